#include "svcat/listing.h"

#include <fmt/format.h>

#include "client/selection.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

std::vector<Column> columns_of(const Listing& listing, const Format& format) {
  auto columns = listing.columns;
  if (format.is_wide()) columns.insert(columns.end(), listing.wide_columns.begin(), listing.wide_columns.end());
  return columns;
}

// Objects to the output, in the order in which they are given.
class Printer {
 public:
  Printer(Call& call, const Listing& listing, Format format)
      : call_(call),
        listing_(listing),
        format_(std::move(format)),
        table_(call.out(), columns_of(listing, format_), call.style()) {}

  void add(json::Value object) {
    ++count_;
    if (format_.is_table()) {
      table_.add(listing_.row(object, format_.is_wide()));
    } else {
      objects_.push_back(std::move(object));
    }
  }
  void flush() {
    if (format_.is_table()) table_.flush();
  }
  Result<void> finish() {
    flush();
    if (!format_.is_table()) return print_list(call_.out(), format_, std::move(objects_));
    return {};
  }
  // A change that a watch reported.
  Result<void> tell(const json::Value& object) {
    if (!format_.is_table()) {
      CH_TRY(print_object(call_.out(), format_, object));
      if (format_.form == Format::Form::kYaml) call_.out() << "---\n";
      call_.out().flush();
      return {};
    }
    table_.add(listing_.row(object, format_.is_wide()));
    table_.flush();
    return {};
  }
  size_t count() const { return count_; }
  bool is_table() const { return format_.is_table(); }

 private:
  Call& call_;
  const Listing& listing_;
  const Format format_;
  Table table_;
  std::vector<json::Value> objects_;
  size_t count_ = 0;
};

// Until it fails or the user has enough.
Result<void> follow(Call& call, const Source& source, const Listing& listing, std::string resource_version,
                    Printer& printer) {
  CH_TRY_LET(catalog, call.catalog());
  for (;;) {
    client::WatchRequest request;
    request.ns = source.kind.namespaced ? source.ns : "";
    request.field_selector = client::field_selector(source.fields);
    request.resource_version = resource_version;
    Result<void> failed;
    const auto done =
        catalog->rest().watch(source.kind.resource, request, [&](std::string_view type, json::Value object) {
          if (auto version = text_at(object, {"metadata", "resourceVersion"}); !version.empty()) {
            resource_version = std::move(version);
          }
          if (type == "BOOKMARK") return true;
          set_kind(object, source.kind);
          if (listing.judge && listing.judge(object) == Verdict::kSkip) return true;
          failed = printer.tell(object);
          return failed.ok();
        });
    if (!failed.ok()) return failed;
    if (!done.ok() && done.error().reason != Reason::kExpired) return catalog->explained(done.error(), source.kind);
    if (!done.ok()) resource_version.clear();  // too old: everything is told again
    if (!call.env().watch_again()) return {};
  }
}

}  // namespace

Result<int> run_listing(Call& call, const std::vector<Source>& sources, const Listing& listing) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  const bool watch = call.is_set("watch");
  if (watch && sources.size() > 1) {
    return usage_error("--watch follows one scope; add --cluster, or --scope namespace");
  }
  CH_TRY_LET(catalog, call.catalog());
  Printer printer(call, listing, format);
  std::vector<json::Value> later;
  std::string resource_version;
  for (const auto& source : sources) {
    bool first = true;
    CH_TRY(catalog->pages(source.kind, source.ns, source.fields, [&](Page page) {
      if (first && !page.more && listing.arrange) listing.arrange(page.items);
      first = false;
      resource_version = std::move(page.resource_version);
      for (auto& item : page.items) {
        const auto verdict = listing.judge ? listing.judge(item) : Verdict::kShow;
        if (verdict == Verdict::kShow) {
          printer.add(std::move(item));
        } else if (verdict == Verdict::kLater) {
          later.push_back(std::move(item));
        }
      }
      if (page.more) printer.flush();  // long lists show their beginning while the rest is on its way
      return true;
    }));
  }
  for (auto& item : later) {
    CH_TRY_LET(wanted, listing.judge_late(item));
    if (wanted) printer.add(std::move(item));
  }
  CH_TRY(printer.finish());
  if (printer.count() == 0 && printer.is_table() && !listing.nothing.empty() && !watch) call.hint(listing.nothing);
  if (watch) CH_TRY(follow(call, sources.front(), listing, std::move(resource_version), printer));
  return 0;
}

Result<int> show_one(Call& call, const json::Value& object, const Listing& listing) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  if (!format.is_table()) {
    CH_TRY(print_object(call.out(), format, object));
    return 0;
  }
  Table table(call.out(), columns_of(listing, format), call.style());
  table.add(listing.row(object, format.is_wide()));
  table.flush();
  return 0;
}

}  // namespace chandler::svcat
