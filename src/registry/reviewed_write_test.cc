// Writes that somebody outside has a say in.
#include <chrono>
#include <deque>
#include <future>

#include <gmock/gmock.h>

#include "registry/objects.h"
#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::CacheOverMemory;
using testing::FakeAdmission;
using testing::widgets;
using testing::yaml;

// Keeps what it is asked until the test lets it go.
class FakeReviewer final : public Reviewer {
 public:
  FakeReviewer() { set_idle(false); }
  using Reviewer::set_idle;

  bool wants(const AdmissionRequest&, Phase phase) const override { return wanted.empty() || phase == wanted.front(); }
  void review(std::shared_ptr<Review> review, Phase phase, Done done) override {
    MutexLock lock(mutex_);
    questions_.push_back({std::move(review), phase, std::move(done)});
    asked_.notify_all();
  }
  // The question that is open; waits for it, since a write that lost a race asks on the store's thread.
  Review& open() {
    MutexLock lock(mutex_);
    while (questions_.size() == answered_) asked_.wait(mutex_);
    return *questions_[answered_].review;
  }
  void answer(Result<void> result = {}) {
    open();
    Question question;
    {
      MutexLock lock(mutex_);
      question = std::move(questions_[answered_++]);
      phases.push_back(question.phase);
    }
    question.done(std::move(result));
  }

  std::vector<Phase> wanted;  // one alone; empty: both
  std::vector<Phase> phases;  // that were answered

 private:
  struct Question {
    std::shared_ptr<Review> review;
    Phase phase = Phase::kMutate;
    Done done;
  };
  Mutex mutex_;
  CondVar asked_;
  std::deque<Question> questions_ CH_GUARDED_BY(mutex_);
  size_t answered_ CH_GUARDED_BY(mutex_) = 0;
};

class ReviewedWriteTest : public ::testing::Test {
 protected:
  ReviewedWriteTest() { objects_.use(reviewer_); }

  static std::shared_ptr<WriteRequest> request(std::string_view name = "") {
    auto out = std::make_shared<WriteRequest>();
    out->kind = widgets();
    out->version = &widgets()->storage_version();
    out->ns = "ns";
    out->name = name;
    return out;
  }
  Objects::Done into_result() {
    return [this](Result<WriteResult> result) { promise_.set_value(std::move(result)); };
  }
  void create(std::string_view object) { objects_.create(request(), yaml(object), into_result()); }
  void paint(std::string_view name, std::string color) {
    objects_.update(
        request(name),
        [color](const Document& current) -> Result<json::Value> {
          auto object = current.parse();
          object.at("spec").as_object()["color"] = color;
          return object;
        },
        nullptr, into_result());
  }
  std::string stored_color(std::string_view name) {
    const auto document = world_.cache.get(*widgets(), "ns", name);
    if (document == nullptr) return "none";
    const auto object = document->parse();
    return json::string_or(*json::find(object, "spec"), "color");
  }

  bool is_done() { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

  std::promise<Result<WriteResult>> promise_;
  std::future<Result<WriteResult>> result_ = promise_.get_future();
  FakeReviewer reviewer_;
  FakeAdmission admission_;
  ::chandler::testing::FakeClock clock_;
  CacheOverMemory world_;
  Objects objects_{world_.store, world_.cache, nullptr, admission_, clock_};
};

TEST_F(ReviewedWriteTest, AWriteWaitsForBothPhasesAndIsStoredAfterwards) {
  create("{metadata: {name: a}, spec: {color: blue}}");
  EXPECT_EQ(stored_color("a"), "none");
  EXPECT_FALSE(is_done());
  reviewer_.answer();
  EXPECT_EQ(stored_color("a"), "none");
  reviewer_.answer();
  ASSERT_TRUE(result_.get().ok());
  EXPECT_EQ(reviewer_.phases, (std::vector{Reviewer::Phase::kMutate, Reviewer::Phase::kValidate}));
  EXPECT_EQ(stored_color("a"), "blue");
}

TEST_F(ReviewedWriteTest, ARefusalEndsIt) {
  create("{metadata: {name: a}}");
  reviewer_.answer(fail(forbidden({}, "no")));
  EXPECT_EQ(result_.get().error().reason, Reason::kForbidden);
  EXPECT_EQ(reviewer_.phases.size(), 1u);
  EXPECT_EQ(world_.store.revision(), 0);
}

TEST_F(ReviewedWriteTest, ARevisedObjectIsPreparedLikeABody) {
  int mutated = 0;
  admission_.on_mutate = [&](AdmissionRequest&) {
    ++mutated;
    return Result<void>();
  };
  create("{metadata: {name: a}, spec: {color: blue}}");
  auto& review = reviewer_.open();
  ASSERT_TRUE(
      review
          .revise(yaml("{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, uid: mine, labels: {x: z}}, "
                       "spec: {color: red, what: 1}, status: {phase: forged}}"))
          .ok());
  EXPECT_EQ(mutated, 2) << "the rules of the kind complete it again";
  reviewer_.answer();
  reviewer_.answer();
  ASSERT_TRUE(result_.get().ok());
  const auto object = world_.cache.get(*widgets(), "ns", "a")->parse();
  EXPECT_EQ(json::write(object.at("spec")), R"({"color":"red","size":1})");
  EXPECT_EQ(json::write(object.at("metadata").at("labels")), R"({"x":"z"})");
  EXPECT_NE(json::string_or(object.at("metadata"), "uid"), "mine");
  EXPECT_EQ(json::find(object, "status"), nullptr);
}

TEST_F(ReviewedWriteTest, ANameOrSomethingElseThanAnObjectIsRefused) {
  create("{metadata: {name: a}}");
  EXPECT_FALSE(reviewer_.open().revise(yaml("{metadata: {name: b}}")).ok());
  EXPECT_FALSE(reviewer_.open().revise(yaml("{metadata: 5}")).ok());
  EXPECT_FALSE(reviewer_.open().revise(json::Value(5)).ok());
}

TEST_F(ReviewedWriteTest, WhatChangedMeanwhileIsNotOverwritten) {
  world_.put("ns", "a", "{spec: {color: blue, size: 1}}");
  reviewer_.wanted = {Reviewer::Phase::kValidate};
  paint("a", "green");
  world_.put("ns", "a", "{spec: {color: yellow, size: 7}}");
  reviewer_.answer();
  EXPECT_EQ(json::int_at(reviewer_.open().admission.old->at("spec"), "size"), 7)
      << "it begins anew, with the object that is there now";
  EXPECT_FALSE(is_done());
  reviewer_.answer();
  ASSERT_TRUE(result_.get().ok());
  EXPECT_EQ(stored_color("a"), "green");
}

TEST_F(ReviewedWriteTest, WhatTheWriterKnewIsKeptForAsLongAsItTakes) {
  world_.put("ns", "a", "{spec: {color: blue}}");
  {
    const auto document = world_.cache.get(*widgets(), "ns", "a");
    const auto known = document->parse_unmanaged();
    objects_.update(request("a"),
                    [](const Document& current) -> Result<json::Value> {
                      auto object = current.parse();
                      object.at("spec").as_object()["color"] = "green";
                      return object;
                    },
                    nullptr, into_result(), {document.get(), &known});
  }
  const auto& old = *reviewer_.open().admission.old;
  EXPECT_EQ(json::string_or(old.at("spec"), "color"), "blue");
  EXPECT_EQ(json::find(old.at("metadata"), "resourceVersion"), nullptr);
  reviewer_.answer();
  reviewer_.answer();
  ASSERT_TRUE(result_.get().ok());
  EXPECT_EQ(stored_color("a"), "green");
}

TEST_F(ReviewedWriteTest, ADeletionShowsWhatIsThereAndCannotBeRevisedAway) {
  world_.put("ns", "a", "{spec: {color: blue}}");
  objects_.remove(request("a"), {}, into_result());
  EXPECT_EQ(reviewer_.open().admission.object, nullptr);
  EXPECT_NE(reviewer_.open().options, nullptr);
  EXPECT_EQ(reviewer_.open().revision, 1);
  reviewer_.answer();
  reviewer_.answer();
  ASSERT_TRUE(result_.get().ok());
  EXPECT_EQ(stored_color("a"), "none");
}

TEST_F(ReviewedWriteTest, ARefusalTakesItsWarningsAlong) {
  const auto asked = request();
  objects_.create(asked, yaml("{metadata: {name: a}, what: 1}"), into_result());
  reviewer_.answer(fail(forbidden({}, "no")));
  ASSERT_FALSE(result_.get().ok());
  EXPECT_EQ(asked->warnings, std::vector<std::string>{"unknown field \"what\""});
}

TEST_F(ReviewedWriteTest, AnIdleReviewerIsNotAsked) {
  reviewer_.set_idle(true);
  create("{metadata: {name: a}}");
  EXPECT_TRUE(result_.get().ok());
  EXPECT_TRUE(reviewer_.phases.empty());
}

}  // namespace
}  // namespace chandler::registry
