#include "osb/broker_text.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"
#include "osb/web_link.h"

namespace chandler::osb {
namespace {

const std::string kSecret = "swordfish-4711";

Sensitive sensitive(std::string_view value = kSecret) {
  Sensitive out;
  out.add(value);
  return out;
}

Sensitive missing() {
  Sensitive out;
  out.miss("the secret is gone");
  return out;
}

TEST(BrokerText, IsMaskedBeforeItIsMadeVisibleAndCut) {
  const BrokerText text(sensitive("two\nlines of a secret"));
  EXPECT_EQ(text.line("said \"two\nlines of a secret\"", 100), "said \"<redacted>\"")
      << "made visible first, it would be another text";
  const BrokerText plain(sensitive());
  for (size_t most = 1; most < 30; ++most) {
    EXPECT_EQ(plain.line("password " + kSecret, most).find("sword", 9), std::string::npos) << most;
  }
  EXPECT_EQ(plain.line(std::string(95, 'x') + kSecret, 100), std::string(95, 'x') + "<reda...");
}

TEST(BrokerText, IsOneLineOfVisibleText) {
  const BrokerText text{Sensitive()};
  EXPECT_EQ(text.line(" a\nb\x1b[31mc\xC2\x9B"
                      "d\xE2\x80\xAE"
                      "e\x7F ",
                      100),
            "a b [31mc d e");
  EXPECT_EQ(text.prose("a\n\tb\x1b"), "a\n\tb ");
  EXPECT_EQ(text.label(" a\n"), " a ");
  EXPECT_EQ(text.line("\n \t", 100), "");
  EXPECT_EQ(text.line("\xC3\xBC\xC3\xBC", 3), "\xC3\xBC...") << "cut between characters";
}

TEST(BrokerText, IsWithheldWhenItMayRepeatWhatNobodyCanName) {
  const BrokerText text(missing());
  EXPECT_EQ(text.line("the password is x", 1000), "[text withheld: the secret is gone]");
  EXPECT_EQ(text.line(" ", 1000), "") << "nothing was said";
  EXPECT_FALSE(text.is_clean("a"));
  EXPECT_NE(text.link_fault("https://a.example"), "");
  Sensitive many;
  for (int i = 0; i < 200; ++i) many.add(std::string(1024, 'a'));
  EXPECT_TRUE(BrokerText(many).withholds()) << "what it would take to find them all is bounded";
}

TEST(BrokerText, CleansMetadata) {
  const BrokerText text(sensitive());
  const auto metadata =
      json::parse(R"({"displayName":"My\u001b[31m","n":5,"list":["swordfish-4711",{"deep":"a\u202eb"}],
      "a\u0007":"x","swordfish-4711":1,"text":"two\nlines"})");
  EXPECT_EQ(json::write(text.cleaned(*metadata)),
            R"({"displayName":"My [31m","list":["<redacted>",{"deep":"a b"}],"n":5,"text":"two\nlines"})");
}

struct AnswerRow {
  std::string reason, body;
  std::string error, description;
};

TEST(Clean, MakesTheTextsOfAnAnswerReadable) {
  for (const AnswerRow& row : std::vector<AnswerRow>{
           {"both", R"({"error":"Bad\u001b[1m","description":"x swordfish-4711"})", "Bad [1m", "x <redacted>"},
           {"words of the API stay", R"({"error":"ConcurrencyError"})", "ConcurrencyError", ""},
           {"credentials of the same answer", R"({"description":"user hunter-two","credentials":{"p":"hunter-two"}})",
            "", "user <redacted>"},
           {"long", R"({"error":")" + std::string(200, 'e') + R"(","description":")" + std::string(2000, 'd') + "\"}",
            std::string(100, 'e') + "...", std::string(1000, 'd') + "..."},
       }) {
    Answer answer;
    answer.body = json::parse(row.body).value();
    answer.error = json::string_or(answer.body, "error");
    answer.description = json::string_or(answer.body, "description");
    clean(answer, sensitive());
    EXPECT_EQ(answer.error, row.error) << row.reason;
    EXPECT_EQ(answer.description, row.description) << row.reason;
  }
}

TEST(Clean, SaysOnceThatATextIsWithheld) {
  Answer answer;
  answer.status = 400;
  answer.error = "Word";
  clean(answer, missing());
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.description, "[text withheld: the secret is gone]");
  answer.error = "ConcurrencyError";
  answer.description = "x";
  clean(answer, missing());
  EXPECT_EQ(answer.error, "ConcurrencyError");
  EXPECT_EQ(answer.description, "[text withheld: the secret is gone]");
}

TEST(Clean, KeepsTagsAsTheyAreOrNotAtAll) {
  const auto kept = [](std::string_view etag) {
    Answer answer;
    answer.etag = etag;
    clean(answer, sensitive());
    return answer.etag;
  };
  EXPECT_EQ(kept("W/\"abc\""), "W/\"abc\"");
  EXPECT_EQ(kept("\"a\xC2\x9B\""), "");
  EXPECT_EQ(kept("\"a b\""), "");
  EXPECT_EQ(kept("\"swordfish-4711\""), "");
}

TEST(Clean, FailuresKeepTheirMeaning) {
  Answer answer;
  answer.failure = http::ClientFailure{http::ClientFailure::Kind::kConnect, "subject \x1b]0;x\x07 swordfish-4711"};
  clean(answer, sensitive());
  EXPECT_EQ(answer.failure->message, "subject  ]0;x  <redacted>");
  answer.failure->message = "connection refused";
  clean(answer, missing());
  EXPECT_EQ(answer.failure->message, "connection refused") << "the broker has said nothing";
  auto some = sensitive();
  some.miss("others are gone");
  answer.failure->message = "subject " + kSecret;
  clean(answer, some);
  EXPECT_EQ(answer.failure->message, "subject <redacted>") << "what can be named is hidden all the same";
}

TEST(Sensitive, IsEveryTextAndNumber) {
  Sensitive all;
  all.add_all(json::parse(R"({"a":["x",5432,true,null,{"b":"{\"c\":\"inner\"}"}]})").value());
  EXPECT_EQ(all.values, (std::vector<std::string>{"x", "5432", R"({"c":"inner"})", "inner"}));
  Sensitive basic;
  basic.add_authorization("Basic " + base64_encode("user:pass:word"));
  EXPECT_EQ(basic.values, (std::vector<std::string>{base64_encode("user:pass:word"), "user:pass:word", "pass:word"}));
  Sensitive bearer;
  bearer.add_authorization("Bearer token-1");
  EXPECT_EQ(bearer.values, std::vector<std::string>{"token-1"});
  Sensitive none;
  none.add_authorization("");
  EXPECT_TRUE(none.values.empty());
}

struct LinkRow {
  std::string reason, url;
  bool good = false;
};

TEST(WebLink, IsHttpWithAHost) {
  for (const LinkRow& row :
       std::vector<LinkRow>{{"plain", "https://dashboard.example.com/a?b=c#d", true},
                            {"http", "http://10.0.0.1:8080", true},
                            {"letters of any case", "HTTPS://Example.com/", true},
                            {"an address of version 6", "http://[::1]:80/x", true},
                            {"a path with an at sign", "https://a.example/@me", true},
                            {"a script", "javascript:alert(1)"},
                            {"a script that looks like a URL", "javascript://a.example/%0aalert(1)"},
                            {"data", "data:text/html,x"},
                            {"a file", "file:///etc/passwd"},
                            {"relative", "/dashboard"},
                            {"relative to the scheme", "//evil.example"},
                            {"no host", "https://"},
                            {"no host but a path", "https:///x"},
                            {"no host but a port", "https://:80/"},
                            {"not even slashes", "https:example.com"},
                            {"no port", "https://a.example:x/"},
                            {"too large a port", "https://a.example:65536/"},
                            {"no address", "http://[evil]/"},
                            {"no end of the address", "http://[::1"},
                            {"a user that looks like a host", "https://bank.example@evil.example/"},
                            {"a blank in front", " https://a.example"},
                            {"a line end", "https://a.example/\njavascript:x"},
                            {"an escape", "https://a.example/\x1b[31m"},
                            {"the other slash", "https:\\\\a.example"},
                            {"a quote", "https://a.example/\"onclick=x"},
                            {"letters that look like others", "https://\xD0\xB0.example"},
                            {"a direction", "https://a.example/\xE2\x80\xAE"},
                            {"empty", ""},
                            {"endless", "https://a.example/" + std::string(3000, 'a')}}) {
    EXPECT_EQ(web_link_fault(row.url).empty(), row.good) << row.reason;
  }
}

TEST(WebLink, DoesNotRepeatASecret) {
  const BrokerText text(sensitive());
  EXPECT_EQ(text.link_fault("https://a.example/?token=abc"), "");
  EXPECT_EQ(text.link_fault("https://a.example/?token=swordfish%2d4711"), "repeats a secret value");
}

}  // namespace
}  // namespace chandler::osb
