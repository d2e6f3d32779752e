// Requests that change one ConfigMap after the other, each time to something it was not: whole (update), one annotation
// (patch), or one field as its owner (apply).
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "http_client.h"
#include "objects.h"

namespace chandler::bench {

class Changes {
 public:
  Changes(std::string_view how, int64_t among, std::string token)
      : how_(how), among_(among), token_(std::move(token)), objects_(objects_of("configmaps", 1000)) {
    if (how != "update" && how != "patch" && how != "apply") fail("--change: update, patch or apply");
    if (among < 1) fail("--among: at least 1");
  }

  std::string next() {
    const int64_t number = count_ % among_;
    const auto mark = fmt::format("{:012}", ++count_);
    const auto path = fmt::format("{}/item-{}", objects_.path, number);
    if (how_ == "patch") {
      return whole("PATCH", path, "application/merge-patch+json",
                   fmt::format(R"({{"metadata":{{"annotations":{{"bench":"{}"}}}}}})", mark));
    }
    if (how_ == "apply") {
      return whole(
          "PATCH", path + "?fieldManager=bench&force=true", "application/apply-patch+yaml",
          fmt::format(
              R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"item-{}"}},"data":{{"applied":"{}"}}}})",
              number, mark));
    }
    auto body = objects_.make(number);
    body.replace(body.find(kText) + kText.size(), mark.size(), mark);
    return whole("PUT", path, "application/json", body);
  }

 private:
  static constexpr std::string_view kText = R"("text":")";

  std::string whole(std::string_view method, std::string_view path, std::string_view type,
                    std::string_view body) const {
    return fmt::format(
        "{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\nContent-Length: "
        "{}\r\n\r\n{}",
        method, path, token_, type, body.size(), body);
  }

  const std::string how_;
  const int64_t among_;
  const std::string token_;
  const Objects objects_;
  int64_t count_ = 0;
};

}  // namespace chandler::bench
