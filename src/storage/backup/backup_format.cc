#include "storage/backup/backup_format.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "storage/embedded/crc32c.h"

namespace chandler::storage {
namespace {

using Lines = std::map<std::string_view, std::string_view, std::less<>>;

// "name value" per line. Names that are not known are left to later versions of the format.
Result<Lines> parse_lines(std::string_view text) {
  Lines lines;
  for (const auto line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos || !lines.emplace(line.substr(0, blank), line.substr(blank + 1)).second) {
      return bad_request("a line of it cannot be read");
    }
  }
  return lines;
}

Result<std::string> text_line(const Lines& lines, std::string_view name) {
  const auto found = lines.find(name);
  if (found == lines.end()) return bad_request(fmt::format("it does not say \"{}\"", name));
  return std::string(found->second);
}

Result<int64_t> count_line(const Lines& lines, std::string_view name) {
  CH_TRY_LET(text, text_line(lines, name));
  const auto value = parse_int64(text);
  if (!value || *value < 0) return bad_request(fmt::format("its \"{}\" is no number", name));
  return *value;
}

}  // namespace

std::string BackupHeader::text() const {
  return fmt::format("revision {}\nstore {}\ntime {}\nprogram {}\nobjects {}\nkeys {}\n", revision, store, time,
                     program, objects, with_keys ? "yes" : "no");
}

Result<BackupHeader> BackupHeader::parse(std::string_view text) {
  CH_TRY_LET(lines, parse_lines(text));
  BackupHeader header;
  CH_TRY_LET(revision, count_line(lines, "revision"));
  header.revision = revision;
  CH_TRY_LET(store, text_line(lines, "store"));
  header.store = std::move(store);
  CH_TRY_LET(time, text_line(lines, "time"));
  header.time = std::move(time);
  CH_TRY_LET(program, text_line(lines, "program"));
  header.program = std::move(program);
  CH_TRY_LET(objects, count_line(lines, "objects"));
  header.objects = objects;
  CH_TRY_LET(keys, text_line(lines, "keys"));
  header.with_keys = keys == "yes";
  return header;
}

std::string BackupEnd::text() const { return fmt::format("objects {}\nbytes {}\nsha256 {}\n", objects, bytes, sha256); }

Result<BackupEnd> BackupEnd::parse(std::string_view text) {
  CH_TRY_LET(lines, parse_lines(text));
  BackupEnd end;
  CH_TRY_LET(objects, count_line(lines, "objects"));
  end.objects = objects;
  CH_TRY_LET(bytes, count_line(lines, "bytes"));
  end.bytes = bytes;
  CH_TRY_LET(sha256, text_line(lines, "sha256"));
  end.sha256 = std::move(sha256);
  return end;
}

void put_u32(std::string& out, uint32_t value) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i));
}

void put_i64(std::string& out, int64_t value) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
}

uint32_t get_u32(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

int64_t get_i64(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return static_cast<int64_t>(value);
}

uint32_t frame_checksum(std::string_view type_and_length, std::string_view payload) {
  return crc32c(payload, crc32c(type_and_length));
}

std::string frame_head(FrameType type, std::string_view payload) {
  std::string head(1, static_cast<char>(type));
  put_u32(head, static_cast<uint32_t>(payload.size()));
  put_u32(head, frame_checksum(head, payload));
  return head;
}

}  // namespace chandler::storage
