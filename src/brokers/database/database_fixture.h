// For tests: a DatabaseService with instances and bindings made directly, and clients that log in with what a binding
// says. Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "brokers/database/database_service.h"
#include "brokers/database/shared_server_fixture.h"
#include "brokers/mysql/mysql_session.h"
#include "brokers/postgresql/postgresql_session.h"
#include "brokers/temp_directory_fixture.h"
#include "json/reader.h"

namespace chandler::brokers {

using Rows = std::vector<std::vector<std::string>>;

inline void ignore_progress(const std::string&) {}

// An SQL session of whichever kind.
class SqlClient {
 public:
  static Result<SqlClient> connect(const std::string& kind, const ServerAddress& address, const std::string& database) {
    SqlClient client;
    if (kind == "mysql") {
      CH_TRY_LET(session, MysqlSession::connect(address, database));
      auto shared = std::make_shared<MysqlSession>(std::move(session));
      client.query_ = [shared](const std::string& sql) { return shared->query(sql); };
    } else {
      CH_TRY_LET(session, PostgresqlSession::connect(address, database));
      auto shared = std::make_shared<PostgresqlSession>(std::move(session));
      client.query_ = [shared](const std::string& sql) { return shared->query(sql); };
    }
    return client;
  }
  Result<Rows> query(const std::string& sql) const { return query_(sql); }
  bool can(const std::string& sql) const { return query_(sql).ok(); }

 private:
  std::function<Result<Rows>(const std::string&)> query_;
};

class DatabaseLab {
 public:
  // With the shared server of all tests, or with one of its own; the latter below a directory that is closed to its
  // account, if asked for.
  explicit DatabaseLab(std::string kind, bool has_own_shared_server = false, bool is_closed = false)
      : kind_(std::move(kind)), has_own_(has_own_shared_server), is_closed_(is_closed) {
    open();
  }

  void open() { open_with(has_own_ ? std::nullopt : std::optional(shared_server(kind_).address())); }
  // The end of the broker and a new start, with another existing server or none.
  void open_with(std::optional<ServerAddress> existing) {
    DatabaseServiceOptions options;
    options.directory = directory_.path() + "/" + kind_;
    options.top = is_closed_ ? options.directory : directory_.path();
    options.existing = std::move(existing);
    service_.reset();
    service_ = DatabaseService::open(std::move(options), make_engine(kind_)).value();
  }

  DatabaseService& service() { return *service_; }
  const std::string& directory() const { return directory_.path(); }

  osb::server::InstanceSpec instance(const std::string& id, std::string_view plan,
                                     const std::string& parameters = "{}") const {
    osb::server::InstanceSpec spec;
    spec.id = id;
    spec.service_id = make_engine(kind_)->offer().id;
    spec.plan_id = plan;
    spec.organization_guid = "org";
    spec.space_guid = "space";
    spec.parameters = json::parse(parameters).value();
    return spec;
  }
  static osb::server::BindingSpec binding(const osb::server::InstanceSpec& instance, const std::string& id,
                                          const std::string& access = "admin") {
    osb::server::BindingSpec spec;
    spec.instance_id = instance.id;
    spec.id = id;
    spec.service_id = instance.service_id;
    spec.plan_id = instance.plan_id;
    spec.parameters = json::Object{{"user", access}};
    return spec;
  }
  Result<void> create(const osb::server::InstanceSpec& spec) {
    CH_TRY(service_->check_create(spec));
    CH_TRY(service_->create_instance(spec, ignore_progress));
    return {};
  }
  // The credentials.
  Result<json::Value> bind(const osb::server::InstanceSpec& spec, const std::string& id,
                           const std::string& access = "admin") {
    auto answer = service_->create_binding(spec, binding(spec, id, access), ignore_progress);
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    CH_TRY_LET(body, std::move(answer));
    return *json::find(body, "credentials");
  }
  Result<void> unbind(const osb::server::InstanceSpec& spec, const std::string& id) {
    return service_->delete_binding(spec, binding(spec, id));
  }
  Result<void> remove(const osb::server::InstanceSpec& spec) {
    return service_->delete_instance(spec, ignore_progress);
  }

  static ServerAddress address(const json::Value& credentials) {
    return {json::string_or(credentials, "host"),
            static_cast<uint16_t>(json::int_at(credentials, "port").value_or(0)),
            json::string_or(credentials, "username"),
            json::string_or(credentials, "password"),
            TlsMode::kOff,
            ""};
  }
  Result<SqlClient> client(const json::Value& credentials, const std::string& database = "") const {
    return SqlClient::connect(kind_, address(credentials),
                              database.empty() ? json::string_or(credentials, "database") : database);
  }
  // As the admin of a server of the lab's own.
  SqlClient admin(const std::string& server = "shared") {
    const auto record =
        has_own_ || server != "shared" ? service_->fleet()->ready(server).value() : shared_server(kind_).record();
    return SqlClient::connect(kind_, admin_address(record), kind_ == "mysql" ? "mysql" : "postgres").value();
  }

 private:
  const std::string kind_;
  const bool has_own_;
  const bool is_closed_;
  const TempDirectory directory_;
  std::unique_ptr<DatabaseService> service_;
};

}  // namespace chandler::brokers
