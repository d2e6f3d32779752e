#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apiserver/body.h"
#include "apiserver/delete_options.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/list_options.h"
#include "apiserver/pages.h"
#include "apiserver/respond.h"
#include "apiserver/table.h"
#include "apiserver/write_answers.h"
#include "base/mutex.h"
#include "json/reader.h"

namespace chandler::apiserver {
namespace {

// Deletes a page of objects one after the other (the API promises no atomicity) and answers with what they were.
class CollectionDeletion : public std::enable_shared_from_this<CollectionDeletion> {
 public:
  CollectionDeletion(const Services& services, CallPtr call, std::shared_ptr<registry::WriteRequest> request,
                     registry::DeleteOptions options, registry::Page page)
      : services_(services),
        call_(std::move(call)),
        request_(std::move(request)),
        options_(std::move(options)),
        page_(std::move(page)) {}

  void next() {
    if (call_->answered) return;  // out of time: nobody waits for the rest
    if (at_ == page_.items.size()) return finish();
    if (call_->is_overdue(services_.clock.mono())) return respond_error(services_, *call_, too_slow());
    const auto& item = *page_.items[at_];
    auto one = std::make_shared<registry::WriteRequest>(*request_);
    one->due.reset();  // the time is that of the collection
    one->ns = item.ns();
    one->name = item.name();
    registry::DeleteOptions options = options_;
    options.uid = item.uid();
    services_.objects.remove(
        one, std::move(options),
        [self = shared_from_this()](Result<registry::WriteResult> result) { self->took(std::move(result)); });
  }

 private:
  Error too_slow() const {
    return timeout(
        fmt::format("request did not complete within the requested timeout: {} of {} objects are deleted; repeat the "
                    "request to delete the rest",
                    deleted_.size(), page_.items.size()));
  }

  // On the store's thread, which must not parse what was deleted.
  void took(Result<registry::WriteResult> result) {
    // Somebody else was quicker: gone is gone.
    const bool gone =
        !result.ok() && (result.error().reason == Reason::kNotFound || result.error().reason == Reason::kConflict);
    if (!result.ok() && !gone) return respond_error(services_, *call_, result.error());
    if (result.ok()) {
      result->remains.reset();
      deleted_.push_back(std::move(*result));
    }
    ++at_;
    // Through the pool, so that a long collection does not nest calls on the store's thread.
    auto self = shared_from_this();
    if (!services_.pool.submit([self] { self->next(); })) self->next();
  }

  // The list of what was deleted, in the shape that the client asked for.
  void finish() {
    const Output& output = call_->output;
    auto metadata = page_metadata(page_);
    json::Array items;
    for (const auto& result : deleted_) {
      auto value = json::parse(result.json());
      if (value.ok()) items.push_back(in_version(*call_, std::move(value).value()));
    }
    if (output.shape == Shape::kTable) {
      json::Array rows;
      for (const auto& item : items) {
        rows.push_back(table_row(*call_->version, output, item, services_.clock.now()));
      }
      return respond_value(services_, *call_, 200,
                           make_table(output, table_columns(*call_->version), std::move(rows), std::move(metadata)));
    }
    const bool partial = output.shape == Shape::kPartialMetadata;
    for (auto& item : items) {
      if (partial) {
        item = partial_metadata(output, item);
      } else if (call_->kind->builtin) {
        item.as_object().erase("apiVersion");
        item.as_object().erase("kind");
      }
    }
    json::Object list;
    list["apiVersion"] = partial ? "meta.k8s.io/" + output.shape_version : call_->version->api_version;
    list["kind"] = partial ? "PartialObjectMetadataList" : call_->kind->list_kind;
    list["metadata"] = std::move(metadata);
    list["items"] = std::move(items);
    respond_value(services_, *call_, 200, list);
  }

  const Services& services_;
  const CallPtr call_;
  const std::shared_ptr<registry::WriteRequest> request_;
  const registry::DeleteOptions options_;
  const registry::Page page_;
  size_t at_ = 0;
  std::vector<registry::WriteResult> deleted_;  // what they were
};

}  // namespace

void handle_delete_collection(const Services& services, const CallPtr& call) {
  auto request = write_request(*call, "DeleteOptions");
  if (!request.ok()) return respond_error(services, *call, request.error());
  auto options = delete_options(*call, **request);
  if (!options.ok()) return respond_error(services, *call, options.error());
  auto list = list_options(services, *call, false);
  if (!list.ok()) return respond_error(services, *call, list.error());
  auto page = read_page(services, *call, *list);
  if (!page.ok()) return respond_error(services, *call, page.error());
  use_stored_kind(services, **request);
  std::make_shared<CollectionDeletion>(services, call, *request, std::move(*options), std::move(*page))->next();
}

}  // namespace chandler::apiserver
