// Every way in which a text of a broker comes in, with a text that means harm: it repeats all secrets that the broker
// knows, in several spellings, steers terminals, turns lines around, and is so long that it is cut somewhere in
// between. Whatever is written then (objects other than the Secrets meant to carry secrets, events, log lines) is
// searched for any piece of a secret and any character that is not shown.
#include <algorithm>
#include <set>

#include "base/find_any_text.h"
#include "base/log.h"
#include "base/visible_text.h"
#include "osb/client/sender.h"
#include "reconcilers/broker/catalog_world_fixture.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

using osb::Method;

// From a secret, nested in one, marked by the plan's schema, of the broker's login, of the credentials.
const std::string kParameter = "hunter2\"Kf8/Zq+w";
const std::string kNested = "Xy77\\grape&vine=9";
const std::string kMarked = "Pm31 olive%branch";
const std::string kLogin = "Lg59-walnut-Shell";
const std::string kCredential = "Cr64:maple\nsyrup8";
constexpr std::string_view kMarker = "plainly visible";  // so that a test in which nothing came through fails

// Until credentials have been given out, nobody but the broker knows them.
std::vector<std::string> all_secrets(bool with_credentials = true) {
  std::vector<std::string> out{kParameter, kNested, kMarked, kLogin};
  if (with_credentials) out.push_back(kCredential);
  return out;
}

std::string json_text(std::string_view text) {
  std::string out;
  json::write_string(out, text);
  return out;
}
std::string json_inside(std::string_view text) {
  const auto out = json_text(text);
  return out.substr(1, out.size() - 2);
}

std::string hostile_text(bool with_credentials) {
  std::string out(kMarker);
  out +=
      " \x1b[31mred\x07 \xC2\x9B"
      "32m \xE2\x80\xAEorder\xE2\x81\xA6 \x7F\r\n\tline ";
  for (int i = 0; out.size() < 4'000; ++i) {
    for (const auto& secret : all_secrets(with_credentials)) {
      const std::string spellings[] = {secret, json_inside(secret), json_inside(json_inside(secret)),
                                       percent_encode(secret), base64_encode("user:" + secret)};
      out += spellings[static_cast<size_t>(i) % std::size(spellings)] + "|";
    }
  }
  return out;
}

// Pieces by which a secret is told: eight characters of any of its spellings. Ends of base64 say less than a character.
AnyText pieces() {
  constexpr size_t kSize = 8;
  std::vector<AnyText::Wanted> out;
  for (const auto& secret : all_secrets()) {
    for (const auto& text : {secret, visible_text(secret), json_inside(secret), percent_encode(secret),
                             base64_encode(secret), base64_encode("user:" + secret).substr(8)}) {
      for (size_t i = 0; i + kSize <= text.size(); ++i) out.push_back({text.substr(i, kSize)});
    }
  }
  return AnyText(std::move(out));
}

// Texts and names in it that should not be there, each with its path.
void search(const json::Value& value, const std::string& path, std::vector<std::string>& out) {
  static const auto kPieces = pieces();
  const auto look = [&](std::string_view text) {
    if (!is_visible(text, Lines::kKeep)) out.push_back(path + " is not visible: " + quoted(text.substr(0, 300)));
    for (const auto& place : kPieces.places(text)) {
      out.push_back(fmt::format("{} holds {}: {}", path, quoted(text.substr(place.begin, place.end - place.begin)),
                                quoted(text.substr(0, 300))));
    }
  };
  if (const auto* object = value.if_object()) {
    for (const auto& [key, each] : *object) {
      look({key.data(), key.size()});
      search(each, fmt::format("{}.{}", path, std::string_view(key.data(), key.size())), out);
    }
  } else if (const auto* list = value.if_array()) {
    for (const auto& each : *list) search(each, path + "[]", out);
  } else if (const auto* text = value.if_string()) {
    look(json::view(*text));
  }
}

// What users write into a spec stands there and in the record of the request, for all who may read the instance.
void leave_out_inline(json::Object& root) {
  object_in(root, "spec").erase("parameters");
  for (const std::string_view record : {"inProgressProperties", "externalProperties"}) {
    if (object_in(root, "status").contains(record)) object_in(object_in(root, "status"), record).erase("parameters");
  }
  if (auto* unconfirmed = object_in(root, "status").if_contains("unconfirmedProperties")) {
    for (auto& properties : unconfirmed->as_array()) properties.as_object().erase("parameters");
  }
}

std::vector<std::string> leaks(const controller::FakeApi& api) {
  std::vector<std::string> out;
  for (const auto& kind : {kInstances, kBindings, kClusterBrokers, kClusterClasses, kClusterPlans, kConfigMaps,
                           client::KindName{"", "events"}}) {
    for (const auto& object : api.list(kind, {})) {
      auto value = object.value();
      leave_out_inline(value.as_object());
      search(value, fmt::format("{} {}", kind.plural, object.name()), out);
    }
  }
  return out;
}

std::vector<std::string> leaks_of_log(const std::string& lines) {
  std::vector<std::string> out;
  for (const auto line : split(lines, '\n')) {
    json::Value value(boost::json::string_view(line.data(), line.size()));
    search(value, "log", out);
  }
  return out;
}

// An answer as it comes from the wire.
osb::Answer wire(Method method, int status, std::string body) {
  http::ClientResponse response;
  response.status = status;
  response.body = std::move(body);
  return osb::to_answer(method, std::move(response));
}

struct Row {
  std::string name;
  Method method;  // that is answered so, or whose polls are
  bool polled = false;
  int status = 400;
  std::string body;  // {text} stands for the hostile text as a JSON string
  bool failure = false;
  // How the text is to come through: with its marker; or withheld, since a secret is gone; or not at all.
  enum class Shown { kCleaned, kWithheld, kNothing } shown = Shown::kCleaned;
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

const std::string kError = R"({"error":{text},"description":{text}})";
const std::string kSaid = R"({"description":{text}})";
const std::string kFailedLater = R"({"state":"failed","description":{text}})";
const std::string kGoing = R"({"state":"in progress","description":{text}})";

std::vector<Row> rows() {
  using S = Row::Shown;
  std::vector<Row> out;
  for (const auto& [name, method, shown] : std::vector<std::tuple<std::string, Method, S>>{
           {"provision", Method::kProvision, S::kCleaned},
           {"update", Method::kUpdate, S::kCleaned},
           {"deprovision", Method::kDeprovision, S::kCleaned},
           {"bind", Method::kBind, S::kCleaned},
           {"unbind", Method::kUnbind, S::kWithheld},  // its Secret goes first
           {"look", Method::kGetInstance, S::kCleaned},
           {"fetch", Method::kGetBinding, S::kCleaned}}) {
    const bool get = method == Method::kGetInstance || method == Method::kGetBinding;
    // What GETs of instances answer with errors decides, and is not quoted.
    const auto quoted_by = [&](int status) {
      return method == Method::kGetInstance && status < 500 ? S::kNothing : shown;
    };
    for (const int status : {400, 401, 404, 409, 422, 429, 500, 503}) {
      // What is there already is looked at.
      auto wanted = status == 409 && method == Method::kProvision ? S::kNothing : quoted_by(status);
      if (method == Method::kGetInstance && (status == 401 || status == 429)) wanted = shown;
      out.push_back({fmt::format("{} {}", name, status), method, false, status, kError, false, wanted});
    }
    out.push_back({name + " broken", method, false, 0, "", true, shown == S::kWithheld ? S::kCleaned : shown});
    out.push_back({name + " not what it promises", method, false, 200,
                   R"({"operation":{"a":{text}},"credentials":{text},)"
                   R"("dashboard_url":[{text}],"parameters":{text},"service_id":7})",
                   false, S::kNothing});
    if (get) continue;
    out.push_back({name + " failed later", method, true, 200, kFailedLater, false, shown});
    out.push_back({name + " at work", method, true, 200, kGoing, false, shown});
    out.push_back({name + " poll refused", method, true, 400, kError, false, shown});
    const bool removes = method == Method::kDeprovision || method == Method::kUnbind;  // then it is what was asked for
    out.push_back({name + " poll gone", method, true, 410, kSaid, false, removes ? S::kNothing : shown});
  }
  for (const auto& url : std::vector<std::string>{"{text}", R"("javascript:alert(1)//\u001b[31m")",
                                                  R"("https://a.example/\u202e")", R"("data:text/html,x")",
                                                  R"("https://a.example/?p=)" + percent_encode(kNested) + "\""}) {
    out.push_back({"provision dashboard", Method::kProvision, false, 201, R"({"dashboard_url":)" + url + "}", false,
                   S::kNothing});
    out.push_back(
        {"update dashboard", Method::kUpdate, false, 200, R"({"dashboard_url":)" + url + "}", false, S::kNothing});
    out.push_back(
        {"accepted dashboard", Method::kProvision, false, 202, R"({"dashboard_url":)" + url + "}", false, S::kNothing});
  }
  out.push_back({"update not repeatable", Method::kUpdate, false, 500,
                 R"({"description":{text},"update_repeatable":false,"instance_usable":false})"});
  out.push_back({"keys of credentials", Method::kBind, false, 201, R"({"credentials":{{text}:"x","a/\u202eb":"y"}})"});
  return out;
}

class HostileText : public CatalogStory {
 protected:
  HostileText() {
    own_ids = true;  // nobody chose them, so all answers lead on
    objects.put(kSecrets,
                fmt::format("{{apiVersion: v1, kind: Secret, metadata: {{name: login, namespace: ops}}, data: "
                            "{{username: {}, password: {}}}}}",
                            base64_encode("user"), base64_encode(kLogin)));
    apply(kClusterBrokers,
          "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, metadata: {name: azure}, "
          "spec: {url: \"https://azure.example.com\", authInfo: {basic: {secretRef: {namespace: ops, name: login}}}}}");
    apply_class("c1", "externalName: mysql, instanceRetrievable: true");
    apply_plan("p1",
               R"(externalName: small, instanceCreateParameterSchema: {properties: {own: {$ref: "#/definitions/key"}},
                        definitions: {key: {type: string, writeOnly: true}}})");
    apply_secret(
        "params", "json",
        fmt::format(R"({{"password":{},"deep":{{"list":[1,{}]}}}})", json_text(kParameter), json_text(kNested)));
  }

  void apply_all_parameters(std::string_view more) {
    apply_instance(
        fmt::format("{{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small, "
                    "parametersFrom: [{{secretKeyRef: {{name: params, key: json}}}}], parameters: {{own: {}{}}}}}",
                    json_text(kMarked), more));
  }

  // Up to the request in question, and some way beyond it.
  void tell(const Row& row) {
    // What is no answer has no text of the broker but a name in a certificate: it cannot know credentials.
    const bool with_credentials = !row.failure && (row.method == Method::kUpdate || row.method == Method::kUnbind);
    const auto said = hostile_text(with_credentials);
    auto body = row.body;
    for (size_t at = 0; (at = body.find("{text}", at)) != std::string::npos;) {
      const auto text = json_text(said);
      body.replace(at, 6, text);
      at += text.size();
    }
    int left = 0;  // answers like that
    broker.script = [row, body, said, &left](const osb::Call& call) -> std::optional<osb::Answer> {
      const bool poll = call.method == Method::kPollInstance || call.method == Method::kPollBinding;
      if (row.method == Method::kGetInstance && call.method == Method::kProvision && left > 0) return answer_of(409);
      if (row.method == Method::kGetBinding && call.method == Method::kBind && left > 0) {
        return answer_of(409);
      }
      const bool is_it = row.polled ? poll : call.method == row.method;
      if (left > 0 && row.polled && call.method == row.method) {
        --left;
        return wire(call.method, 202, "{}");
      }
      if (is_it && left > 0) {
        --left;
        if (row.failure) {
          osb::Answer answer;
          answer.failure = http::ClientFailure{http::ClientFailure::Kind::kBroken, said, true};
          return answer;
        }
        return wire(call.method, row.status, body);
      }
      if (call.method == Method::kBind || call.method == Method::kGetBinding) {
        return wire(call.method, 200,
                    fmt::format(R"({{"credentials":{{"user":"u","key":{}}}}})", json_text(kCredential)));
      }
      return std::nullopt;
    };
    constexpr int kTimes = 4;
    const bool about_binding =
        row.method == Method::kBind || row.method == Method::kUnbind || row.method == Method::kGetBinding;
    if (row.method == Method::kProvision || row.method == Method::kGetInstance) left = kTimes;
    if (row.method == Method::kGetBinding) apply_class("c1", "externalName: mysql, bindingRetrievable: true");
    apply_all_parameters("");
    look_on(left > 0);
    if (about_binding) {
      if (row.method != Method::kUnbind) left = kTimes;
      apply_binding("{instanceRef: {name: mydb}, parametersFrom: [{secretKeyRef: {name: params, key: json}}]}");
      look_on(left > 0);
    } else if (row.method == Method::kUpdate || row.method == Method::kDeprovision) {
      // Credentials are known to the broker by then.
      apply_binding();
      finish();
      left = kTimes;
      if (row.method == Method::kUpdate) apply_update();
      if (row.method == Method::kDeprovision) {
        left = 0;
        remove(kBindings, "b");
        finish();
        left = kTimes;
        remove(kInstances, "mydb");
      }
      look_on(true);
    }
    if (row.method == Method::kUnbind) {
      left = kTimes;
      remove(kBindings, "b");
      look_on(true);
    }
    EXPECT_LT(left, kTimes) << "the broker was never asked";
    left = 0;
    broker.script = nullptr;
  }
  void apply_update() {
    edit_spec(kInstances, "mydb",
              [](json::Object& spec) { object_in(spec, "parameters")["size"] = "larger than before"; });
  }

  // Lets time pass, with crashes, and looks at everything after each step.
  void look_on(bool in_trouble) {
    settle();
    look();
    for (int i = 0; in_trouble && i < 8 && engine->next_due(); ++i) {
      if (i % 3 == 1) crash();
      clock.advance(std::max(*engine->next_due() - clock.now(), WallTime::duration(0)));
      settle();
      look();
    }
    if (!in_trouble) finish();
  }
  void look() {
    for (const auto& leak : leaks(objects)) found.insert(leak);
    for (const auto& kind : {kInstances, kBindings, client::KindName{"", "events"}}) {
      for (const auto& object : objects.list(kind, {})) seen += json::write(object.value());
    }
  }

  std::set<std::string> found;
  std::string seen;
};

class HostileAnswers : public HostileText, public ::testing::WithParamInterface<Row> {};

TEST_P(HostileAnswers, NeitherSpeakSecretsNorSteer) {
  const Row& row = GetParam();
  ::testing::internal::CaptureStderr();
  tell(row);
  log::flush();
  const auto logged = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(found, std::set<std::string>());
  EXPECT_EQ(leaks_of_log(logged), std::vector<std::string>());
  const bool has_marker = seen.find(kMarker) != std::string::npos;
  const bool is_withheld = seen.find("[text withheld: ") != std::string::npos;
  EXPECT_EQ(has_marker, row.shown == Row::Shown::kCleaned) << all_conditions();
  EXPECT_EQ(is_withheld, row.shown == Row::Shown::kWithheld) << all_conditions();
}

INSTANTIATE_TEST_SUITE_P(Every, HostileAnswers, ::testing::ValuesIn(rows()), [](const auto& about) {
  std::string name;
  for (const char c : about.param.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return fmt::format("{}_{}", name, about.index);
});

// Secrets that changed since they were sent cannot be hidden, so what may repeat them is not shown.
TEST_F(HostileText, IsWithheldWhenTheSecretsHaveChanged) {
  apply_all_parameters("");
  finish();
  ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  apply_secret("params", "json", R"({"password":"another one"})");
  broker.script = [](const osb::Call& call) {
    return wire(call.method, 400, fmt::format(R"({{"description":{}}})", json_text(hostile_text(false))));
  };
  remove(kInstances, "mydb");
  look_on(true);
  EXPECT_EQ(found, std::set<std::string>());
  EXPECT_TRUE(
      message().starts_with("The broker answered 400: [text withheld: the secrets with its parameters have "
                            "changed since they were sent, or are gone]"))
      << message();
}

TEST_F(HostileText, DashboardsThatNobodyShouldOpenAreNotShown) {
  broker.dashboard = "javascript:alert(1)";
  apply_all_parameters("");
  finish();
  EXPECT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully") << "the operation has succeeded all the same";
  EXPECT_EQ(instance("status.dashboardURL"), "null");
  EXPECT_TRUE(has_event(reason::kDashboardNotShown,
                        "The broker's dashboard_url is not an http or https address; it is not shown."));
}

const std::string kHostileCatalog = R"json({"services":[{"id":"s1","name":"mysql","bindable":true,"description":{text},
  "tags":[{text},"ServiceType=mysql","Cores={text}"],"requires":[{text}],
  "metadata":{"displayName":{text},"bullets":[{text},{"x":{text}}],{text}:1,"documentationUrl":{text},
    "supportUrl":"javascript:alert(1)","imageUrl":"https://a.example/logo.png","longDescription":"two\nlines",
    "defaultProvisionParameters":{"a\u202eb":1},"defaultSecretTransform":[{"renameKey":{"from":{text}}},{{text}:1}]},
  "plans":[{"id":"p1","name":"small","description":{text},"tags":[{text}],"metadata":{"tags":[{text}],"bullets":[{text}]},
     "maintenance_info":{"version":"1.0.0","description":{text}}},
    {"id":"p2","name":"large","description":"d","maintenance_info":{"version":{text}}},
    {"id":{text},"name":"a","description":"d"},{"id":"p3","name":{text},"description":"d"},
    {"id":"p4","name":"turn\u202e","description":"d"},{"id":"p5","name":"csi\u009b","description":"d"},
    {"id":"p6","name":"small","description":{text}},{text}]},
  {"id":"s2","name":{login},"bindable":true,"description":"d","plans":[{"id":"p7","name":"a","description":"d"}]}]})json";

class HostileCatalog : public CatalogWorld {
 protected:
  // The login is all that a catalog is cleaned of: the broker is asked on nobody's behalf.
  HostileCatalog() {
    api.put(kSecrets, fmt::format("{{apiVersion: v1, kind: Secret, metadata: {{name: login, namespace: ops}}, data: "
                                  "{{token: {}}}}}",
                                  base64_encode(kLogin)));
    api.put(
        kClusterBrokers,
        "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, metadata: {name: azure, generation: "
        "1}, spec: {url: \"https://azure.example.com\", authInfo: {bearer: {secretRef: {namespace: ops, name: "
        "login}}}}}");
    start();
  }
  void give(int status, const std::string& form, std::string etag = "") {
    auto body = form;
    std::string said(kMarker);
    said +=
        " \x1b[31mred\x07 \xC2\x9B"
        "32m \xE2\x80\xAEorder\xE2\x81\xA6 \x7F ";
    const std::string short_text = said + kLogin + " " + percent_encode(kLogin) + " " + base64_encode("user:" + kLogin);
    const std::string inside = json_inside(short_text);
    const auto replace = [&](std::string_view what, const std::string& with) {
      for (size_t at = 0; (at = body.find(what, at)) != std::string::npos; at += with.size())
        body.replace(at, what.size(), with);
    };
    replace("Cores={text}", "Cores=" + inside);
    replace("{text}", json_text(short_text));
    replace("{login}", json_text(kLogin));
    auto answer = wire(Method::kGetCatalog, status, body);
    ASSERT_TRUE(answer.well_formed) << answer.malformed_why;
    answer.etag = std::move(etag);
    ASSERT_FALSE(sender.sent.empty());
    sender.answer(std::move(answer));
    settle();
  }
};

TEST_F(HostileCatalog, IsStoredWithoutSecretsAndControls) {
  ::testing::internal::CaptureStderr();
  give(200, kHostileCatalog, "\"" + kLogin + "\"");
  log::flush();
  const auto logged = ::testing::internal::GetCapturedStderr();
  // What is suggested as parameters goes back to the broker, so it stays as it is.
  auto found = leaks(api);
  std::erase_if(found, [](const std::string& leak) {
    return leak.find("defaultProvisionParameters") != std::string::npos ||
           leak.find("externalMetadata.defaultSecretTransform") != std::string::npos;
  });
  EXPECT_EQ(found, std::vector<std::string>());
  EXPECT_EQ(leaks_of_log(logged), std::vector<std::string>());

  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_EQ(show(kClusterBrokers, "azure", "status.catalogETag"), "null") << "it repeats the login";
  EXPECT_EQ(api.list(kClusterClasses, {}).size(), 1U) << "s2 is called like the login";
  EXPECT_EQ(api.list(kClusterPlans, {}).size(), 2U) << "small and large; the others have names that nobody can see";
  const auto description = show(kClusterClasses, "s1", "spec.description");
  EXPECT_TRUE(description.starts_with("\"plainly visible  [31mred   32m  order")) << description;
  EXPECT_NE(description.find("<redacted> <redacted>"), std::string::npos) << description;
  EXPECT_EQ(show(kClusterClasses, "s1", "spec.externalMetadata.imageUrl"), R"("https://a.example/logo.png")");
  EXPECT_EQ(show(kClusterClasses, "s1", "spec.externalMetadata.longDescription"), R"("two\nlines")");
  EXPECT_EQ(show(kClusterClasses, "s1", "spec.externalMetadata.supportUrl"), "null");
  EXPECT_EQ(show(kClusterClasses, "s1", "spec.externalMetadata.documentationUrl"), "null");
  const auto problems = show(kClusterBrokers, "azure", "status.problems");
  for (const std::string_view each :
       {"metadata.supportUrl is not an http or https address; it is left out",
        "metadata.documentationUrl has characters that no URL may have; it is left out",
        "name must not have control characters", "name must not repeat the credentials that the broker is called with",
        "maintenance_info.version must not have control characters"}) {
    EXPECT_NE(problems.find(each), std::string::npos) << each << "\n" << problems;
  }
  // Nothing has changed, so the same catalog changes nothing.
  take_log();
  request_relist(kClusterBrokers, "", "azure");
  give(200, kHostileCatalog);
  for (const auto& line : take_log()) EXPECT_NE(line.find("clusterservicebrokers"), std::string::npos) << line;
}

TEST_F(HostileCatalog, IsNotQuotedWhenItIsRefused) {
  for (const int status : {400, 401, 403, 404, 412, 429, 500, 503}) {
    while (sender.sent.empty()) advance(std::chrono::minutes(10));
    give(status, R"({"error":{text},"description":{text}})");
    EXPECT_EQ(leaks(api), std::vector<std::string>()) << status;
  }
  EXPECT_TRUE(has_event(kMarker));
}

}  // namespace
}  // namespace chandler::reconcilers::testing
