#include "apiserver/respond.h"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "apiserver/audit/audit_trail.h"
#include "apiserver/request_metrics.h"
#include "apiserver/status.h"
#include "apiserver/table.h"
#include "base/log.h"
#include "base/spare_text.h"
#include "http/gzip.h"
#include "json/reader.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "meta/schema.h"
#include "registry/event_conversion.h"

namespace chandler::apiserver {
namespace {

constexpr size_t kGzipFrom = 128 * 1024;

std::string deprecation_of(const Call& call) {
  const auto& text = call.version->deprecation_warning;
  return text.empty() ? fmt::format("{} {} is deprecated", call.version->api_version, call.kind->kind) : text;
}

// Large answers shrink when the client likes that; streams bring their own compression.
void compress(const Call& call, http::Response& response) {
  if (response.source != nullptr || response.body.size() + response.tail.size() <= kGzipFrom ||
      !accepts_gzip(*call.request)) {
    return;
  }
  response.body = http::gzip_text(response.body, response.tail);
  response.tail = {};
  response.owner.reset();
  response.headers.set("Content-Encoding", "gzip");
}

std::string encode(const Output& output, const json::Value& value) {
  if (output.media == MediaType::kYaml) return json::write_yaml(value);
  if (output.pretty) return json::write_pretty(value) + "\n";
  return json::write(value);
}

}  // namespace

auth::Attributes Call::attributes() const {
  auth::Attributes out;
  out.user = &user;
  out.verb = info.verb;
  out.is_resource = info.is_resource;
  if (!info.is_resource) out.path = info.path;
  out.group = info.group;
  out.version = info.version;
  out.resource = info.resource;
  out.subresource = info.subresource;
  out.name = info.name;
  out.namespace_ = info.ns;
  return out;
}

void respond(const Services& services, Call& call, http::Response response, const Warnings& warnings) {
  if (call.answered.exchange(true)) return;
  call.deadline.leave();
  // A write that is overdue still occupies what the seat stands for; its seat goes with the call.
  if (!call.overdue.load()) {
    call.seat.leave();
    call.body_seat.leave();
  }
  response.headers.set("Audit-Id", call.id);
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-cache, private");
  if (call.version != nullptr && call.version->deprecated) {
    Warnings all = {deprecation_of(call)};
    all.insert(all.end(), warnings.begin(), warnings.end());
    add_warnings(response.headers, all);
  } else {
    add_warnings(response.headers, warnings);
  }
  audit_answer(services, call, response);
  compress(call, response);
  // Not for streams, which may last for hours.
  if (response.source == nullptr && response.owner == nullptr) response.owner = call.weak_from_this().lock();
  services.request_metrics.done(call, response.status, services.clock.mono());
  call.responder->send(std::move(response));
}

void respond_error(const Services& services, Call& call, const Error& error, const Warnings& warnings) {
  Output output = call.output;
  output.shape = Shape::kObject;
  http::Response response;
  response.status = error.http();
  response.headers.set("Content-Type", output.content_type());
  if (error.retry_after_seconds) response.headers.set("Retry-After", std::to_string(*error.retry_after_seconds));
  response.body = encode(output, status_of(error));
  respond(services, call, std::move(response), warnings);
}

void respond_fault(const Services& services, Call& call, std::string_view what) {
  log::error("a handler threw", {{"path", call.info.path}, {"error", what}});
  if (call.audit != nullptr) call.audit->panicked = true;
  if (call.responder != nullptr) respond_error(services, call, internal_error("an unexpected fault"));
}

void respond_value(const Services& services, Call& call, int status, const json::Value& value,
                   const Warnings& warnings) {
  http::Response response;
  response.status = status;
  response.headers.set("Content-Type", call.output.content_type());
  response.body = encode(call.output, value);
  respond(services, call, std::move(response), warnings);
}

bool sends_stored_bytes(const Telling& telling) {
  return telling.output.media == MediaType::kJson && telling.output.shape == Shape::kObject && !telling.output.pretty &&
         telling.version->storage && telling.kind->stored_as.empty();
}

json::Value in_version(const Telling& telling, json::Value object) {
  if (!telling.kind->stored_as.empty()) return registry::event_from_core(std::move(object));
  object.as_object()["apiVersion"] = telling.version->api_version;
  // Versions of a custom resource may differ in their schemas; each shows what its own knows.
  if (const auto& schema = telling.version->schema;
      schema != nullptr && !telling.version->storage && !telling.kind->crd_uid.empty()) {
    meta::prune(*schema, object, nullptr);
    meta::apply_defaults(*schema, object);  // those that fit; see fill_defaults
  }
  return object;
}

namespace {

// The slow way out: another version, shape or media type than what is stored.
void respond_converted(const Services& services, Call& call, int status, json::Value object, const Warnings& warnings) {
  json::Value converted = in_version(call, std::move(object));
  if (call.output.shape == Shape::kTable) {
    json::Array rows;
    json::Object list_metadata;
    if (const auto* metadata = json::find(converted, "metadata")) {
      list_metadata["resourceVersion"] = json::string_or(*metadata, "resourceVersion");
    }
    rows.push_back(table_row(*call.version, call.output, converted, services.clock.now()));
    return respond_value(
        services, call, status,
        make_table(call.output, table_columns(*call.version), std::move(rows), std::move(list_metadata)), warnings);
  }
  if (call.output.shape == Shape::kPartialMetadata) {
    return respond_value(services, call, status, partial_metadata(call.output, converted), warnings);
  }
  respond_value(services, call, status, converted, warnings);
}

}  // namespace

void respond_object(const Services& services, Call& call, int status, const registry::DocumentPtr& document,
                    const Warnings& warnings) {
  if (!sends_stored_bytes(call)) {
    return respond_converted(services, call, status, document->parse(), warnings);
  }
  http::Response response;
  response.status = status;
  response.headers.set("Content-Type", "application/json");
  response.owner = call.weak_from_this().lock();
  if (response.owner != nullptr) {
    call.answer = document;
    response.tail = document->bytes();
  } else {
    response.body = document->bytes();
  }
  respond(services, call, std::move(response), warnings);
}

registry::Objects::Done when_written(const Services& services, const CallPtr& call, Call::TellWritten tell) {
  call->services = &services;
  call->tell_written = tell;
  return [call](Result<registry::WriteResult> result) {
    call->written.emplace(std::move(result));
    call->responder->hand_over(call);
  };
}

void run_on_connection(const Services& services, const CallPtr& call, std::function<void()> work) {
  class Later final : public http::Errand {
   public:
    Later(const Services& all, CallPtr of, std::function<void()> what)
        : services_(all), call_(std::move(of)), work_(std::move(what)) {}
    void run() override {
      try {
        work_();
      } catch (const std::exception& e) {
        respond_fault(services_, *call_, e.what());
      }
    }

   private:
    const Services& services_;
    const CallPtr call_;
    const std::function<void()> work_;
  };
  call->responder->hand_over(std::make_shared<Later>(services, call, std::move(work)));
}

void Call::run() {
  give_spare_text(std::move(request->body));  // it was read before the write
  if (!written->ok()) {
    return respond_error(*services, *this, written->error(), asked_for != nullptr ? asked_for->warnings : Warnings());
  }
  tell_written(*services, *this, **written);
}

void respond_written(const Services& services, Call& call, int status, const registry::WriteResult& result) {
  if (result.document != nullptr) return respond_object(services, call, status, result.document, result.warnings);
  auto value = json::parse(result.bytes);
  if (!value.ok()) return respond_error(services, call, value.error());
  respond_converted(services, call, status, std::move(value).value(), result.warnings);
}

}  // namespace chandler::apiserver
