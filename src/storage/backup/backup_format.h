// The backup file, as values: what its frames hold and how a frame is laid out. docs/formats/backup.md is the
// description for people. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/store.h"

namespace chandler::storage {

inline constexpr std::string_view kBackupMagic = "chandler-backup 1\n";
inline constexpr size_t kFrameHead = 9;             // type, length, check sum
inline constexpr size_t kMaxTextFrame = 64 * 1024;  // header and end
inline constexpr size_t kMaxFileFrame = 1024 * 1024;
inline constexpr size_t kMaxEntryFrame = 64 << 20;  // far above the largest object that the API takes

// The files of a data directory that a backup may carry (--include-keys), besides the database: what others rely on
// and nobody can make again. No other name is taken from a backup, so none can reach outside of the directory.
inline constexpr std::array<std::string_view, 4> kBackupFiles = {"encryption.keys", "pki/ca.crt", "pki/ca.key",
                                                                 "pki/sa.key"};

enum class FrameType : char { kHeader = 'H', kFile = 'F', kEntry = 'O', kEnd = 'E' };

struct BackupHeader {
  Revision revision = 0;  // of the state in it
  std::string store;      // id of the store it came from
  std::string time;       // RFC 3339
  std::string program;    // version of Chandler that wrote it
  int64_t objects = 0;
  bool with_keys = false;

  std::string text() const;
  static Result<BackupHeader> parse(std::string_view text);
};

struct BackupEnd {
  int64_t objects = 0;
  int64_t bytes = 0;   // of their values
  std::string sha256;  // of everything before the frame of the end, in hex

  std::string text() const;
  static Result<BackupEnd> parse(std::string_view text);
};

// The frame's first bytes. The check sum covers type, length and payload.
std::string frame_head(FrameType type, std::string_view payload);
uint32_t frame_checksum(std::string_view type_and_length, std::string_view payload);

void put_u32(std::string& out, uint32_t value);
void put_i64(std::string& out, int64_t value);
uint32_t get_u32(std::string_view bytes);  // of the first 4
int64_t get_i64(std::string_view bytes);   // of the first 8

}  // namespace chandler::storage
