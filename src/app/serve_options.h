// What `chandler serve` can be told, by flags or by the same names in a configuration file. Plain data.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "app/access_options.h"
#include "app/families.h"
#include "brokers/bundled_services.h"

namespace chandler::app {

struct ServeOptions {
  std::string data_dir = "data";
  std::string listen = "127.0.0.1:6443";
  std::vector<std::string> hosts;   // further names by which clients reach the server
  std::string token_file;           // static tokens, CSV
  std::string controllers = "*";    // which duties run: all, none (""), or a list; -name leaves one out
  std::string durability = "full";  // what an acknowledged write survives: full, normal or memory
  std::string log_level = "info";
  std::string log_format = "text";
  bool http2 = true;  // besides HTTP/1.1
  size_t io_threads = 2;
  size_t worker_threads = 4;
  std::chrono::seconds event_ttl{3600};
  std::chrono::seconds history{300};  // how far back a watch may resume
  size_t history_mib = 256;           // and how much memory that may cost
  size_t storage_quota_mib = 0;       // what objects may take in memory; 0: half of the memory there is
  std::chrono::seconds shutdown_grace{10};
  std::vector<std::string> without_groups;  // kinds of these groups are left to CustomResourceDefinitions
  AuditOptions audit;
  LaneOptions lanes;
  OidcOptions oidc;
  FamilyOptions families;
  bool bundled_brokers = true;          // run and register the brokers that come with the server
  brokers::DatabaseUrls database_urls;  // existing database servers for them
};

}  // namespace chandler::app
