#include "brokers/supervisor/server_record.h"

#include "json/reader.h"
#include "json/writer.h"

namespace chandler::brokers {

std::string write_record(const ServerRecord& record) {
  json::Array members;
  for (const auto& member : record.members) members.emplace_back(member);
  return json::write(json::Object{{"name", record.name},
                                  {"port", record.port},
                                  {"adminPassword", record.admin_password},
                                  {"organization", record.organization},
                                  {"space", record.space},
                                  {"takesMembers", record.takes_members},
                                  {"settings", record.settings},
                                  {"members", std::move(members)}}) +
         "\n";
}

Result<ServerRecord> read_record(std::string_view text) {
  CH_TRY_LET(document, json::parse(text));
  ServerRecord record;
  record.name = json::string_or(document, "name");
  const int64_t port = json::int_at(document, "port").value_or(0);
  record.admin_password = json::string_or(document, "adminPassword");
  record.organization = json::string_or(document, "organization");
  record.space = json::string_or(document, "space");
  record.takes_members = json::bool_at(document, "takesMembers").value_or(false);
  const auto* settings = json::object_at(document, "settings");
  if (record.name.empty() || port < 1 || port > 65535 || record.admin_password.empty() || settings == nullptr) {
    return unavailable("name, port, adminPassword or settings is missing or out of its bounds");
  }
  record.port = static_cast<uint16_t>(port);
  record.settings = *settings;
  if (const auto* members = json::array_at(document, "members")) {
    for (const auto& member : *members) {
      if (member.is_string()) record.members.emplace(json::view(member.get_string()));
    }
  }
  return record;
}

}  // namespace chandler::brokers
