#include <algorithm>

#include <fmt/format.h>

#include "admission/broker_url.h"
#include "admission/catalog_metadata.h"
#include "admission/catalog_requester.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "auth/certificate.h"
#include "base/text.h"
#include "base/time_text.h"
#include "meta/names.h"
#include "resolve/catalog_restrictions.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kRelistRequests = "relistRequests";
constexpr size_t kMaxCertificates = 1000;

// "" when the text is made of certificates, else what is wrong. Text between the blocks is comment, as in any bundle.
std::string bundle_fault(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  constexpr std::string_view kType = "CERTIFICATE";
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
  size_t count = 0;
  for (size_t at = pem.find(kBegin); at != pem.npos; at = pem.find(kBegin, at)) {
    const auto type_at = at + kBegin.size();
    const auto type = pem.substr(type_at, pem.find(kDashes, type_at) - type_at);
    if (type != kType) {
      return type.ends_with("PRIVATE KEY") ? "holds a private key; give certificates of authorities only"
                                           : "holds something other than certificates";
    }
    auto end = pem.find(kEnd, type_at);
    if (end == pem.npos) return fmt::format("certificate {} is cut off", count + 1);
    end += kEnd.size();
    if (++count > kMaxCertificates) return fmt::format("holds more than {} certificates", kMaxCertificates);
    const auto parsed = auth::Certificate::from_pem(std::string(pem.substr(at, end - at)) + "\n");
    if (!parsed.ok()) return fmt::format("certificate {} cannot be read", count);
    at = end;
  }
  return count == 0 ? "holds no certificate; give PEM text, in base64" : "";
}

void check_tls(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  const auto bundle = json::string_or(spec, "caBundle");
  if (bundle.empty()) return;
  if (json::bool_at(spec, "insecureSkipTLSVerify").value_or(false)) {
    errors.invalid(path.member("insecureSkipTLSVerify"), json::Value(true),
                   "certificates are either not verified or verified against caBundle; give one of the two");
  }
  const auto pem = base64_decode(bundle);
  if (!pem) return;  // the schema says so
  if (const auto fault = bundle_fault(*pem); !fault.empty()) {
    errors.invalid(path.member("caBundle"), fmt::format("({} bytes)", pem->size()), fault);
  }
}

void check_relist(const Context& context, const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  const auto text = json::string_or(spec, "relistDuration");
  const auto duration = parse_go_duration(text);
  // What does not look like a duration is the schema's to report; too much for 64 bits is ours.
  const bool looks_right = text.find_first_not_of("0123456789.hmsnu\xc2\xb5") == text.npos;
  if (!text.empty() && looks_right && (!duration || duration->count() == 0)) {
    errors.invalid(path.member("relistDuration"), text, "must be longer than zero and at most some 290 years");
  }
  check_counter(context, kRelistRequests, errors);
}

// The secret with the credentials; a ServiceBroker's is in its own namespace.
std::vector<SecretUse> credentials_of(const Context& context, const json::Value& object) {
  std::vector<SecretUse> uses;
  for (const std::string_view branch : {"basic", "bearer"}) {
    const auto& ref = member(member(member(member(object, "spec"), "authInfo"), branch), "secretRef");
    auto name = json::string_or(ref, "name");
    if (name.empty()) continue;
    uses.push_back({context.namespaced ? namespace_of(object) : json::string_or(ref, "namespace"), std::move(name),
                    fmt::format("spec.authInfo.{}.secretRef", branch)});
  }
  return uses;
}

void check_credentials(const Context& context, const json::Value& spec, const meta::Path& path,
                       meta::FieldErrors& errors) {
  const auto& info = member(spec, "authInfo");
  const auto here = path.member("authInfo");
  // An empty object, and two branches, are refused by the schema.
  for (const std::string_view branch : {"basic", "bearer"}) {
    const auto& ref = member(member(info, branch), "secretRef");
    if (!ref.is_object()) continue;
    const auto field = here.member(branch).member("secretRef").member("namespace");
    const auto ns = json::string_or(ref, "namespace");
    if (context.namespaced) {
      if (!ns.empty() && ns != namespace_of(*context.object)) {
        errors.invalid(field, ns, "a ServiceBroker uses a secret of its own namespace; leave the field out");
      }
    } else if (ns.empty()) {
      errors.required(field, "says where the secret is");
    } else if (const auto fault = meta::check_dns1123_label(ns); !fault.empty()) {
      errors.invalid(field, ns, fault);
    }
  }
}

void check_restrictions(const Context& context, const json::Value& spec, const meta::Path& path,
                        meta::FieldErrors& errors) {
  const auto& restrictions = member(spec, "catalogRestrictions");
  const auto check = [&](std::string_view list, resolve::RestrictedKind kind) {
    std::vector<std::string> texts;
    each(restrictions, list, path, [&](const json::Value& item, const meta::Path&) {
      texts.emplace_back(item.is_string() ? json::view(item.get_string()) : "");
    });
    resolve::CatalogRestrictions::parse(texts, kind, path.member("catalogRestrictions").member(list), errors);
  };
  check("serviceClass", resolve::RestrictedKind::kClass);
  check("servicePlan", context.namespaced ? resolve::RestrictedKind::kPlan : resolve::RestrictedKind::kClusterPlan);
}

}  // namespace

void default_broker(Context& context) {
  add_catalog_finalizer(context);
  keep_counter(context, kRelistRequests);
}

void check_broker(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  if (const auto url = json::string_or(spec, "url"); !url.empty()) {
    if (const auto fault = broker_url_fault(url); !fault.empty()) {
      errors.invalid(path.member("url"), shown_url(url), fault);
    }
  }
  check_tls(spec, path, errors);
  check_relist(context, spec, path, errors);
  check_credentials(context, spec, path, errors);
  check_restrictions(context, spec, path, errors);
}

Result<void> permit_broker(const Context& context) {
  // Whoever decides where the credentials are sent could read them there, so he must be allowed to read them here.
  if (context.old != nullptr) {
    const auto& now = member(*context.object, "spec");
    const auto& before = member(*context.old, "spec");
    const auto unchanged = [&](std::string_view field) { return same(now, before, field); };
    if (unchanged("authInfo") && unchanged("url") && unchanged("caBundle") && unchanged("insecureSkipTLSVerify")) {
      return {};
    }
  }
  return permit_secrets(context, credentials_of(context, *context.object));
}

}  // namespace chandler::admission
