#include "meta/protobuf/decoder.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/embedded.h"
#include "base/text.h"
#include "meta/protobuf/message_decoder.h"
#include "meta/protobuf/wire_reader.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kMediaType = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kMagic{"k8s\0", 4};

struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;
  std::string_view content_encoding;
  std::string_view content_type;
};

// typeMeta=1 {apiVersion=1, kind=2}, raw=2, contentEncoding=3, contentType=4
Result<Envelope> open_envelope(std::string_view body) {
  if (!body.starts_with(kMagic)) return malformed_protobuf("it does not start with the bytes 6b 38 73 00");
  Envelope envelope;
  std::string_view type_meta;
  for (WireReader reader(body.substr(kMagic.size())); !reader.done();) {
    CH_TRY_LET(field, reader.next());
    if (field.number == 1) type_meta = field.bytes;
    if (field.number == 2) envelope.raw = field.bytes;
    if (field.number == 3) envelope.content_encoding = field.bytes;
    if (field.number == 4) envelope.content_type = field.bytes;
  }
  for (WireReader reader(type_meta); !reader.done();) {
    CH_TRY_LET(field, reader.next());
    if (field.number == 1) envelope.api_version = field.bytes;
    if (field.number == 2) envelope.kind = field.bytes;
  }
  return envelope;
}

}  // namespace

const ProtobufTable& builtin_protobuf_table() {
  static const ProtobufTable table = [] {
    const auto files = api_files();
    const auto file = std::find_if(files.begin(), files.end(), [](auto& f) { return f.path == "protobuf.txt"; });
    CH_CHECK(file != files.end());
    return ProtobufTable::parse(file->content).value();
  }();
  return table;
}

Result<json::Value> decode_protobuf(std::string_view body) { return decode_protobuf(body, builtin_protobuf_table()); }

Result<json::Value> decode_protobuf(std::string_view body, const ProtobufTable& table) {
  CH_TRY_LET(envelope, open_envelope(body));
  if (envelope.api_version.empty() || envelope.kind.empty() || !is_valid_utf8(envelope.api_version) ||
      !is_valid_utf8(envelope.kind)) {
    return malformed_protobuf("its envelope does not name apiVersion and kind");
  }
  if (!envelope.content_encoding.empty() || (!envelope.content_type.empty() && envelope.content_type != kMediaType)) {
    return unsupported_media_type(fmt::format("{} with inner type {} and encoding {}", kMediaType,
                                              quoted(envelope.content_type), quoted(envelope.content_encoding)),
                                  kMediaType);
  }
  const auto* message = table.find(envelope.api_version, envelope.kind);
  if (message == nullptr) {
    return unsupported_media_type(fmt::format("{} of {}/{}", kMediaType, envelope.api_version, envelope.kind),
                                  "application/json, application/yaml");
  }
  json::Object document;
  document["apiVersion"] = envelope.api_version;
  document["kind"] = envelope.kind;
  CH_TRY(MessageDecoder(table).decode(*message, envelope.raw, document));
  return json::Value(std::move(document));
}

}  // namespace chandler::meta
