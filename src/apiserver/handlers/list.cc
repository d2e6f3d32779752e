#include <utility>

#include "apiserver/audit/audit_trail.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/lanes/enter_lane.h"
#include "apiserver/list_options.h"
#include "apiserver/pages.h"
#include "apiserver/respond.h"
#include "apiserver/table.h"
#include "http/gzip.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

constexpr size_t kGzipFrom = 128 * 1024;
constexpr size_t kInlineObjects = 2000;  // lists that look at more objects run on the pool, not on an I/O thread

// Streams the stored bytes of many objects as the items of a list: nothing is built in memory but the next piece.
class ListSource final : public http::BodySource {
 public:
  ListSource(std::string head, std::vector<registry::DocumentPtr> items, bool typed, std::string tail)
      : head_(std::move(head)), items_(std::move(items)), typed_(typed), tail_(std::move(tail)) {}

  uint64_t length() const {
    uint64_t total = head_.size() + tail_.size() + (items_.empty() ? 0 : items_.size() - 1);
    for (const auto& item : items_) total += typed_ ? item->bytes().size() : item->untyped_size();
    return total;
  }

  State fill(std::string& out, size_t budget) override {
    const size_t until = out.size() + budget;
    if (at_ == 0 && !started_) {
      out += head_;
      started_ = true;
    }
    while (at_ < items_.size() && out.size() < until) {
      if (at_ > 0) out += ',';
      if (typed_) {
        out += items_[at_]->bytes();
      } else {
        items_[at_]->append_untyped(out);
      }
      items_[at_].reset();
      ++at_;
    }
    if (at_ < items_.size()) return State::kMore;
    out += tail_;
    return State::kEnd;
  }

 private:
  std::string head_;
  std::vector<registry::DocumentPtr> items_;
  const bool typed_;
  std::string tail_;
  size_t at_ = 0;
  bool started_ = false;
};

void send_source(const Services& services, Call& call, std::unique_ptr<ListSource> source) {
  http::Response response;
  response.headers.set("Content-Type", "application/json");
  const uint64_t length = source->length();
  if (audits_answer(call) && length <= kMaxAuditedBody) {
    // The log wants to see it as a whole.
    while (source->fill(response.body, length) != http::BodySource::State::kEnd) {
    }
    return respond(services, call, std::move(response));
  }
  if (length > kGzipFrom && accepts_gzip(*call.request)) {
    response.headers.set("Content-Encoding", "gzip");
    response.headers.set("Vary", "Accept-Encoding");
    response.source = http::gzip(std::move(source));
  } else {
    response.content_length = length;
    response.source = std::move(source);
  }
  respond(services, call, std::move(response));
}

Error too_slow() {
  return timeout("request did not complete within the requested timeout; list fewer objects at a time, with `limit`");
}

// Another shape, version or media type: the items are parsed one by one.
void send_converted(const Services& services, Call& call, const registry::Page& page) {
  const auto& output = call.output;
  json::Array items;
  for (const auto& item : page.items) {
    if (call.is_overdue(services.clock.mono())) return respond_error(services, call, too_slow());
    json::Value object = in_version(call, item->parse());
    if (output.shape == Shape::kTable) {
      items.push_back(table_row(*call.version, output, object, services.clock.now()));
    } else if (output.shape == Shape::kPartialMetadata) {
      items.push_back(partial_metadata(output, object));
    } else {
      if (call.kind->builtin) {
        object.as_object().erase("apiVersion");
        object.as_object().erase("kind");
      }
      items.push_back(std::move(object));
    }
  }
  if (output.shape == Shape::kTable) {
    return respond_value(services, call, 200,
                         make_table(output, table_columns(*call.version), std::move(items), page_metadata(page)));
  }
  const bool partial = output.shape == Shape::kPartialMetadata;
  json::Object list;
  list["apiVersion"] = partial ? "meta.k8s.io/" + output.shape_version : call.version->api_version;
  list["kind"] = partial ? "PartialObjectMetadataList" : call.kind->list_kind;
  list["metadata"] = page_metadata(page);
  list["items"] = std::move(items);
  respond_value(services, call, 200, list);
}

void list_now(const Services& services, const CallPtr& call, const ListOptions& options) {
  auto page = read_page(services, *call, options);
  if (!page.ok()) return respond_error(services, *call, page.error());
  if (!sends_stored_bytes(*call)) return send_converted(services, *call, *page);

  std::string head = "{\"apiVersion\":";
  json::write_string(head, call->version->api_version);
  head += ",\"items\":[";
  std::string tail = "],\"kind\":";
  json::write_string(tail, call->kind->list_kind);
  tail += ",\"metadata\":";
  json::write_to(tail, page_metadata(*page));
  tail += "}";
  send_source(
      services, *call,
      std::make_unique<ListSource>(std::move(head), std::move(page->items), !call->kind->builtin, std::move(tail)));
}

}  // namespace

void handle_list(const Services& services, const CallPtr& call) {
  auto options = list_options(services, *call, false);
  if (!options.ok()) return respond_error(services, *call, options.error());
  const size_t reach = services.cache.reach(*call->kind, options->query);
  if (sends_stored_bytes(*call) && reach <= kInlineObjects) return list_now(services, call, *options);
  auto shared = std::make_shared<ListOptions>(std::move(options).value());
  run_heavy(services, call, list_width(reach), [&services, call, shared] { list_now(services, call, *shared); });
}

}  // namespace chandler::apiserver
