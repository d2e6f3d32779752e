#include "reconcilers/broker/broker_view.h"

#include <algorithm>

#include "base/time_text.h"

namespace chandler::reconcilers {

std::optional<std::chrono::milliseconds> BrokerView::relist_interval() const {
  const auto duration = parse_go_duration(text_at(spec(), "relistDuration"));
  if (!duration || duration->count() <= 0) return std::nullopt;
  return std::max(std::chrono::milliseconds(1'000), std::chrono::duration_cast<std::chrono::milliseconds>(*duration));
}

std::optional<BrokerView::SecretRef> BrokerView::auth_secret() const {
  const auto& info = member(spec(), "authInfo");
  const bool basic = !member(info, "basic").is_null();
  const auto& reference = member(info, {basic ? "basic" : "bearer", "secretRef"});
  if (reference.is_null()) return std::nullopt;
  return SecretRef{scope_ == Scope::kCluster ? text_at(reference, "namespace") : std::string(object_.ns()),
                   text_at(reference, "name")};
}

std::vector<std::string> BrokerView::restrictions(std::string_view of) const {
  std::vector<std::string> out;
  const auto* list = json::array_at(member(spec(), "catalogRestrictions"), of);
  if (list == nullptr) return out;
  for (const auto& entry : *list) {
    if (entry.is_string()) out.emplace_back(json::view(entry.get_string()));
  }
  return out;
}

}  // namespace chandler::reconcilers
