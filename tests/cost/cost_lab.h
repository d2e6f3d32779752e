// For tests of what requests cost: a whole server over a store in memory, shapes of requests with a size, and the check
// that the work of the server grows no faster than the request.
#pragma once

#include <sched.h>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/whole_server_fixture.h"
#include "base/check.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "registry/kind_loader.h"
#include "registry/object_rules.h"
#include "support/growth.h"

namespace chandler::cost {

using http::Method;

// A request as a client would send it.
struct Message {
  Method method = Method::kPost;
  std::string target;
  std::string body;
  std::string content_type = "application/json";
  std::string user = "admin";
  std::string group = std::string(auth::kMasters);
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct Shape {
  std::string name;
  std::string reason;  // what makes it worth a row: where the server could do more than it must
  size_t largest = 0;  // of the numbers that `make` gets; about what a body of 3 MiB holds, or less where a row is slow
  int status = 0;      // what the server answers: a shape that is refused too early would measure nothing
  std::function<Message(size_t size)> make;
};

// n pieces with commas between them: repeat(3, [](size_t i) { return fmt::format("{}", i); }) is "0,1,2".
inline std::string repeat(size_t n, const std::function<std::string(size_t)>& piece, std::string_view between = ",") {
  std::string out;
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) out += between;
    out += piece(i);
  }
  return out;
}

// Keeps this thread, and those that it makes, on one processor. The time of a thread that runs on another one is known
// only to the last tick of the system's clock; on the same one it has stopped when its time is asked for.
struct OneProcessor {
  OneProcessor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    CH_CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
  }
};

class CostLab {
 public:
  CostLab() { server_.world.create_namespace("ns"); }

  void check(const std::vector<Shape>& shapes) {
    for (const auto& shape : shapes) {
      SCOPED_TRACE(fmt::format("{}: {}", shape.name, shape.reason));
      const auto result = ::chandler::testing::is_linear(shape.largest, [&](size_t size) -> testing::Growth::Work {
        auto message = shape.make(size);
        const auto answer = send(message);
        EXPECT_EQ(answer.status, shape.status)
            << size << ": " << (answer.body + std::string(answer.tail)).substr(0, 300);
        return [this, message = std::move(message)] { send(message); };
      });
      EXPECT_TRUE(result);
      std::printf("  %-34s %s\n", shape.name.c_str(), result.message());
    }
  }

  http::Response send(const Message& message) {
    http::Headers headers;
    if (!message.body.empty()) headers.add("Content-Type", message.content_type);
    for (const auto& [name, value] : message.headers) headers.add(name, value);
    return server_.exchange(apiserver::testing::WholeServer::request(message.method, message.target, message.body,
                                                                     message.user, message.group, headers));
  }

  // Stores an object through the API.
  void create(std::string_view collection, std::string_view yaml) {
    const auto answer = send({Method::kPost, std::string(collection), std::string(yaml), "application/yaml"});
    CH_CHECK(answer.status == 201);
  }
  // Stores an object as it is, past all rules: a state that an older schema or an older server has left.
  void store(std::string_view group, std::string_view plural, std::string_view name, std::string_view yaml) {
    const auto kind = server_.world.kind(plural, group);
    auto object = json::parse_yaml(yaml);
    CH_CHECK(object.ok());
    auto& metadata = registry::metadata_of(*object);
    if (kind->namespaced) metadata["namespace"] = "ns";
    metadata["name"] = name;
    metadata["uid"] = fmt::format("uid-of-{}", name);
    metadata["creationTimestamp"] = "2020-01-01T00:00:00Z";
    const auto done = server_.world.store.commit_and_wait(
        {kind->key(kind->namespaced ? "ns" : "", name), json::write(*object), storage::Write::kAny});
    CH_CHECK(done.ok());
  }
  // Serves the kind of a CustomResourceDefinition.
  void serve(std::string_view definition) {
    auto parsed = json::parse_yaml(definition);
    CH_CHECK(parsed.ok());
    meta::FieldErrors faults;
    auto kind = registry::load_kind(*parsed, nullptr, nullptr, faults);
    CH_CHECK(kind != nullptr && faults.empty());
    CH_CHECK(server_.world.cache.serve(*kind).ok());
    server_.world.kinds.put(std::move(kind));
  }
  void grant(std::string_view documents) {
    const auto parsed = json::parse_yaml_stream(documents);
    CH_CHECK(parsed.ok());
    for (const auto& document : *parsed) server_.world.policy().apply(document);
  }

 private:
  OneProcessor processor_;
  apiserver::testing::WholeServer server_;
};

}  // namespace chandler::cost
