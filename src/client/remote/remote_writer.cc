#include "client/remote/remote_writer.h"

#include <utility>

#include <fmt/format.h>

#include "client/remote/wire_object.h"
#include "json/writer.h"

namespace chandler::client {

RemoteWriter::RemoteWriter(std::shared_ptr<Sender> sender, RemoteState& state, std::string field_manager,
                           std::chrono::milliseconds shown_limit)
    : sender_(std::move(sender)), state_(state), field_manager_(std::move(field_manager)), shown_limit_(shown_limit) {}

Result<Sender::Message> RemoteWriter::message(Write& write, const registry::Kind& kind) const {
  const Resource resource{kind.group, kind.storage_version().name, kind.plural};
  const std::string ns = kind.namespaced ? write.ns : "";
  if (kind.namespaced && ns.empty()) {
    return bad_request(fmt::format("{} \"{}\" is to be written without a namespace", kind.plural, write.name));
  }
  Sender::Message out;
  if (write.verb == Write::Verb::kDelete) {
    json::Object preconditions;
    if (!write.uid.empty()) preconditions["uid"] = write.uid;
    if (!write.resource_version.empty()) preconditions["resourceVersion"] = write.resource_version;
    json::Object options{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
    if (!preconditions.empty()) options["preconditions"] = std::move(preconditions);
    out.method = "DELETE";
    out.path = resource_path(resource, ns, write.name);
    out.body = json::write(json::Value(std::move(options)));
    return out;
  }
  if (!write.object.is_object()) return bad_request(fmt::format("the {} to be written is no object", kind.plural));
  auto& members = write.object.as_object();
  members["apiVersion"] = kind.storage_version().api_version;
  members["kind"] = kind.kind;
  const bool creates = write.verb == Write::Verb::kCreate;
  if (creates && !write.name.empty()) {
    auto& metadata = members["metadata"];
    if (!metadata.is_object()) metadata = json::Object();
    metadata.as_object()["name"] = write.name;
  }
  const bool status = write.verb == Write::Verb::kUpdateStatus;
  out.method = creates ? "POST" : "PUT";
  out.path = resource_path(resource, ns, creates ? "" : write.name, status ? "status" : "") +
             query_text({{"fieldManager", field_manager_}});
  out.body = json::write(write.object);
  return out;
}

void RemoteWriter::write(Write write, Done done) {
  const auto kind = state_.kind(write.kind);
  if (kind == nullptr) {
    return done(fail(not_found({std::string(write.kind.group), std::string(write.kind.plural), write.name, ""})));
  }
  auto made = message(write, *kind);
  if (!made.ok()) return done(fail(std::move(made).error()));
  write.object = nullptr;  // sent; only the key is needed from here on
  write.base = {};
  // A server that has deleted something need not say what it was.
  Object before;
  if (write.verb == Write::Verb::kDelete) before = state_.get(write.kind, write.ns, write.name);
  sender_->send(std::move(*made),
                [this, kind, write = std::move(write), before = std::move(before), done = std::move(done)](
                    Result<json::Value> answer) { on_answer(write, *kind, before, std::move(answer), done); });
}

void RemoteWriter::on_answer(const Write& write, const registry::Kind& kind, const Object& before,
                             Result<json::Value> answer, Done done) {
  const bool deletes = write.verb == Write::Verb::kDelete;
  if (!answer.ok()) {
    auto error = std::move(answer).error();
    // Only a Status that names the object says that it is gone; a bare 404 may mean that the kind is not served.
    const bool gone = deletes && error.reason == Reason::kNotFound && error.about.name == write.name;
    return gone ? on_deleted(write, "", Object(), std::move(done)) : done(fail(std::move(error)));
  }
  if (json::string_at(*answer, "kind") == "Status") {
    const auto* details = json::find(*answer, "details");
    auto uid = details == nullptr ? "" : json::string_or(*details, "uid");
    const bool same = before && (uid.empty() || before.uid() == uid);
    return on_deleted(write, std::move(uid), same ? before : Object(), std::move(done));
  }
  const bool removed = is_removed(*answer, deletes);
  auto document = read_object(std::move(*answer), kind);
  if (!document.ok()) return done(fail(std::move(document).error()));
  Object object(std::move(document).value());
  if (removed) return on_deleted(write, std::string(object.uid()), object, std::move(done));
  Shown shown;
  shown.revision = object.revision();
  state_.when_shown(write.kind, std::move(shown), shown_limit_, [object, done = std::move(done)] { done(object); });
}

void RemoteWriter::on_deleted(const Write& write, std::string uid, Object last, Done done) {
  const auto known = state_.get(write.kind, write.ns, write.name);
  if (uid.empty() && known) uid = known.uid();
  if (uid.empty()) return done(std::move(last));
  Shown shown;
  shown.gone_uid = std::move(uid);
  shown.ns = write.ns;
  shown.name = write.name;
  state_.when_shown(write.kind, std::move(shown), shown_limit_, [last, done = std::move(done)] { done(last); });
}

}  // namespace chandler::client
