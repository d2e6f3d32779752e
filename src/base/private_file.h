// Files and directories that other accounts of the machine must not read or change. One rule for all of them: they
// belong to this process's account or to root, only the owner writes, a group may be let in to read (root:chandler
// 0640, a mounted Secret), everybody else may at most pass through a directory. Root may use what belongs to any
// account. Links are followed: what they lead to counts. Errors and log lines name the path, its mode and the command
// that puts it right.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chandler {

enum class PrivateKind {
  kKey,        // a key or password that we keep: refused when others could have read it
  kGiven,      // a file with passwords that an operator names: a warning, refused only when anybody may change it
  kData,       // a file that we write: taken back from readers, refused when others could have changed it
  kDirectory,  // taken back from readers and writers: each file inside is looked at by itself
};

enum class PrivateVerdict { kFine, kWarn, kTighten, kRefuse };

// The rule, for a file or directory of `owner` with `mode`, used by the account `self`.
PrivateVerdict judge_private(PrivateKind kind, mode_t mode, uid_t owner, uid_t self);

// The content of a key or password that we keep.
Result<std::string> read_private_file(const std::string& path);

// A file that an operator names.
Result<void> check_given_file(const std::string& path);
Result<std::string> read_given_file(const std::string& path);

// A file that we write, if it is there.
Result<void> secure_file(const std::string& path);

// Makes the directory with mode 0700, with its parents, or secures the one that is there. With `signs` one that is not
// empty is changed only if it holds one of these names: the home of a person or /tmp given by mistake is refused
// instead.
Result<void> secure_directory(const std::string& path, std::initializer_list<std::string_view> signs = {});

}  // namespace chandler
