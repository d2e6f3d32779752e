#include "client/local/local_writer.h"

#include <utility>

#include <fmt/format.h>

#include "json/arena.h"

namespace chandler::client {
namespace {

constexpr std::string_view kCreate = "create";
constexpr std::string_view kUpdate = "update";
constexpr std::string_view kStatus = "status";
constexpr std::string_view kControllersFieldManager = "chandler";

std::string_view verb_of(const Write& write) {
  switch (write.verb) {
    case Write::Verb::kCreate:
      return kCreate;
    case Write::Verb::kUpdate:
    case Write::Verb::kUpdateStatus:
    case Write::Verb::kUpdateBoth:
      return kUpdate;
    case Write::Verb::kDelete:
      return "delete";
  }
  return "";
}

// What the object says of itself must be what the write says, as in a request.
Result<void> check_key(const Write& write) {
  if (!write.object.is_object())
    return bad_request(fmt::format("the {} to be written is no object", write.kind.plural));
  const auto* metadata = json::find(write.object, "metadata");
  const std::string name = metadata == nullptr ? "" : json::string_or(*metadata, "name");
  const std::string ns = metadata == nullptr ? "" : json::string_or(*metadata, "namespace");
  if (!write.name.empty() && !name.empty() && name != write.name) {
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name of the write ({})", name, write.name));
  }
  if (!ns.empty() && ns != write.ns) {
    return bad_request(
        fmt::format("the namespace of the object ({}) does not match the namespace of the write ({})", ns, write.ns));
  }
  return {};
}

// An update of one state of the object only: it is tried once, on the thread of the caller.
bool is_pinned(const json::Value& object) {
  const auto* metadata = json::find(object, "metadata");
  return metadata != nullptr && !json::string_or(*metadata, "resourceVersion").empty();
}

// An update ends on the store's thread. Taking the object apart there, string by string, would make both threads wait
// for each other's memory; so it lies in a few large pieces. Unless it is tried only once, these must be its own: the
// store's thread may make a copy in them.
json::Value in_large_pieces(json::Value object, bool once) {
  if (once && object.storage().is_deallocate_trivial()) return object;
  return json::Value(std::move(object), json::arena());
}

// Gives away an object that is written over one state only, so it needs no copy that could be tried again: who asks a
// second time has lost the race, and so has who finds another object of the same name.
registry::Objects::Transform once_of(std::shared_ptr<json::Value> wanted, const Write& write) {
  ObjectRef about{std::string(write.kind.group), std::string(write.kind.plural), write.name, ""};
  return [wanted = std::move(wanted),
          about = std::move(about)](const registry::Document& current) mutable -> Result<json::Value> {
    if (wanted == nullptr) return fail(modified(about));
    const auto given = std::exchange(wanted, nullptr);
    const auto uid = json::string_at(given->at("metadata"), "uid");
    if (uid && !uid->empty() && *uid != current.uid()) return fail(modified(about));
    return std::move(*given);
  };
}

}  // namespace

LocalWriter::LocalWriter(const registry::KindTable& kinds, registry::Objects& objects, const auth::PolicyStore& policy,
                         auth::User identity)
    : kinds_(kinds),
      objects_(objects),
      policy_(policy),
      identity_(std::make_shared<const auth::User>(std::move(identity))),
      rights_(policy, *identity_) {}

Result<std::shared_ptr<registry::WriteRequest>> LocalWriter::request(const Write& write) const {
  const auto kind = kinds_.current()->find(write.kind.group, write.kind.plural);
  if (kind == nullptr || !kind->stored || !kind->stored_as.empty()) {
    return not_found({std::string(write.kind.group), std::string(write.kind.plural), write.name, ""});
  }
  if (kind->namespaced && write.ns.empty()) {
    return bad_request(fmt::format("{} \"{}\" is to be written without a namespace", kind->plural, write.name));
  }
  auto out = std::make_shared<registry::WriteRequest>();
  out->kind = kind;
  out->version = &kind->storage_version();
  out->ns = kind->namespaced ? write.ns : "";
  out->name = write.name;
  if (write.verb == Write::Verb::kUpdateStatus) out->subresource = kStatus;
  out->user = identity_;
  out->more_follows = write.more_follows;
  // What controllers make themselves is theirs as a whole: no record is kept of it until somebody else applies to it.
  if (write.verb != Write::Verb::kCreate) {
    out->manager = kControllersFieldManager;
    out->managed_subresource = out->subresource;
  }
  CH_TRY(authorize(write.name, verb_of(write), *out, out->subresource));
  if (write.verb == Write::Verb::kUpdate && kind->create_on_update) {
    out->may_create = [allowed = authorize(write.name, kCreate, *out, "")] { return allowed; };
  }
  const bool both = write.verb == Write::Verb::kUpdateBoth;
  if (both) CH_TRY(authorize(write.name, kUpdate, *out, kStatus));
  out->with_status = both || begins_with_status(write, *out);
  if ((both || write.verb == Write::Verb::kUpdateStatus) && !out->version->has_status) {
    return not_found(kind->ref(write.name));
  }
  if (write.verb == Write::Verb::kCreate && kind->terminating) {
    return forbidden(kind->ref(write.name), "its CustomResourceDefinition is being deleted; no new objects");
  }
  return out;
}

bool LocalWriter::begins_with_status(const Write& write, const registry::WriteRequest& request) const {
  return write.verb == Write::Verb::kCreate && write.with_status && request.version->has_status && writes_both() &&
         authorize(write.name, kUpdate, request, kStatus).ok();
}

Result<void> LocalWriter::authorize(const std::string& name, std::string_view verb,
                                    const registry::WriteRequest& request, std::string_view subresource) const {
  if (rights_.allow(verb, *request.kind, subresource)) return {};
  auth::Attributes attributes;
  attributes.user = identity_.get();
  attributes.verb = verb;
  attributes.group = request.kind->group;
  attributes.version = request.version->name;
  attributes.resource = request.kind->plural;
  attributes.subresource = subresource;
  // A create has no name in the request, so rules for single names do not allow it.
  if (verb != kCreate) attributes.name = name;
  attributes.namespace_ = request.ns;
  if (policy_.current()->authorize(attributes).allowed) return {};
  return forbidden(request.kind->ref(name), auth::denial(attributes));
}

void LocalWriter::write(Write write, Done done) {
  auto made = request(write);
  if (!made.ok()) return done(fail(std::move(made).error()));
  const bool deletes = write.verb == Write::Verb::kDelete;
  if (auto matched = deletes ? Result<void>() : check_key(write); !matched.ok()) {
    return done(fail(std::move(matched).error()));
  }
  auto finish = [done = std::move(done), deletes](Result<registry::WriteResult> result) {
    if (result.ok()) return done(Object(std::move(result->document)));
    if (deletes && result.error().reason == Reason::kNotFound) return done(Object());
    done(fail(std::move(result).error()));
  };
  switch (write.verb) {
    case Write::Verb::kCreate: {
      auto& object = write.object.as_object();
      if (!write.name.empty()) {
        auto& metadata = object["metadata"];
        if (!metadata.is_object()) metadata = json::Object();
        metadata.as_object()["name"] = write.name;
      }
      return objects_.create(std::move(*made), std::move(write.object), std::move(finish));
    }
    case Write::Verb::kUpdate:
    case Write::Verb::kUpdateStatus:
    case Write::Verb::kUpdateBoth: {
      const bool once = is_pinned(write.object);
      const auto wanted = std::make_shared<json::Value>(in_large_pieces(std::move(write.object), once));
      if (once) {
        const registry::KnownState known{write.base ? &write.base.document() : nullptr,
                                         write.base ? &write.base.value() : nullptr};
        return objects_.update(std::move(*made), once_of(wanted, write), nullptr, std::move(finish), known);
      }
      auto give = [wanted](const registry::Document&) -> Result<json::Value> { return *wanted; };
      return objects_.update(std::move(*made), std::move(give), wanted.get(), std::move(finish));
    }
    case Write::Verb::kDelete: {
      registry::DeleteOptions options;
      options.uid = std::move(write.uid);
      options.resource_version = std::move(write.resource_version);
      return objects_.remove(std::move(*made), std::move(options), std::move(finish));
    }
  }
}

}  // namespace chandler::client
