#include "client/kind_names.h"

#include <set>
#include <utility>

#include "base/mutex.h"
#include "meta/gvk.h"

namespace chandler::client {
namespace {

class Names {
 public:
  KindName get(std::string_view group, std::string_view plural) CH_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto& kept = *names_.emplace(group, plural).first;  // nodes of a set stay where they are
    return {kept.first, kept.second};
  }

 private:
  Mutex mutex_;
  std::set<std::pair<std::string, std::string>> names_ CH_GUARDED_BY(mutex_);
};

}  // namespace

KindName intern_kind(std::string_view group, std::string_view plural) {
  static Names names;
  return names.get(group, plural);
}

std::string ServedKind::api_version() const { return meta::GroupVersion{std::string(name.group), version}.str(); }

}  // namespace chandler::client
