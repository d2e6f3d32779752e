// A file system for SQLite that joins the writes of a commit. SQLite hands the write-ahead log over in pieces, a head
// and a page for each frame, and then asks for a sync; here the pieces wait in memory until then, and go to the disk in
// one write. Everything else passes through to the file system below. Only for connections with synchronous=FULL: no
// frame is then shown to other connections before it is synced, so nobody misses what waits here. Each connection's
// files are used by one thread at a time, as SQLite demands; the VFS must outlive the connections.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

struct sqlite3_vfs;

namespace chandler::storage {

class JoiningVfs {
 public:
  // `below`: SQLite's name of the file system to write to; empty: the default.
  static Result<std::unique_ptr<JoiningVfs>> make(const std::string& below);
  ~JoiningVfs();
  JoiningVfs(const JoiningVfs&) = delete;
  JoiningVfs& operator=(const JoiningVfs&) = delete;

  const std::string& name() const { return name_; }

 private:
  explicit JoiningVfs(sqlite3_vfs& below);

  std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
};

}  // namespace chandler::storage
