#include "webhooks/review_round.h"

#include <atomic>
#include <exception>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"
#include "json/patch.h"
#include "json/reader.h"
#include "webhooks/review_request.h"

namespace chandler::webhooks {
namespace {

using registry::Review;
using Done = registry::Reviewer::Done;

Error call_error(const Hook& hook, std::string_view why) {
  return internal_error(fmt::format("failed calling webhook {}: {}", quoted(hook.name), why));
}

// What a dry run may not do: have effects.
Result<void> check_dry_run(const Hook& hook, const Review& review) {
  if (!review.admission.dry_run || hook.dry_run_safe) return {};
  return bad_request(fmt::format("admission webhook {} does not support dry run", quoted(hook.name)));
}

// Whether the conditions of a webhook hold. One that is false settles it; one that cannot be evaluated refuses the
// write, or leaves the webhook out, as its failurePolicy says.
Result<bool> conditions_hold(const Hook& hook, const Review& review, const Shown& shown) {
  if (hook.conditions.empty()) return true;
  const json::Value request(shown.request);
  std::string fault;
  uint64_t budget = admission::MatchCondition::kBudget;
  for (const auto& [name, condition] : hook.conditions) {
    const auto holds = condition->holds(shown.object, shown.old, request, budget);
    if (holds.ok() && !*holds) return false;
    if (!holds.ok() && fault.empty()) {
      fault = fmt::format("match condition {} of webhook {} cannot be evaluated: {}", quoted(name), quoted(hook.name),
                          holds.error());
    }
  }
  if (fault.empty()) return true;
  if (hook.fails_open) return false;
  return forbidden(review.admission.kind->ref(review.admission.name), fault);
}

// The question for a webhook whose rules fit; none when it does not want to be asked after all.
Result<std::optional<Question>> question_for(const HookPtr& hook, const Review& review, const Form& form) {
  auto shown = show(review, form);
  CH_TRY_LET(wanted, conditions_hold(*hook, review, shown));
  if (!wanted) return std::optional<Question>();
  CH_TRY(check_dry_run(*hook, review));
  Question question;
  question.hook = hook;
  question.operation = review.admission.operation;
  question.uid = new_uuid();
  question.body = review_request(std::move(shown), question.uid);
  return std::optional(std::move(question));
}

// What the outcome of a call means for the write; the answer is left for who can use its patch.
Result<void> judge(const RoundParts& parts, const Hook& hook, const Review& review,
                   const HookCaller::Outcome& outcome) {
  const auto operation = review.admission.operation;
  if (!outcome.ok()) {
    const auto& failure = outcome.error();
    if (failure.stopping) return unavailable("the server is stopping; try again");
    if (hook.fails_open) {
      parts.metrics.failed_open(hook);
      log::warn("an admission webhook could not be asked and is left out",
                {{"webhook", hook.name}, {"why", failure.why}});
      return {};
    }
    auto error = call_error(hook, failure.why);
    parts.metrics.rejected(hook, operation, "calling_webhook_error", error.http());
    return error;
  }
  auto& warnings = *review.admission.warnings;
  warnings.insert(warnings.end(), outcome->warnings.begin(), outcome->warnings.end());
  if (outcome->allowed) return {};
  parts.metrics.rejected(hook, operation, "no_error", outcome->denial.http());
  return outcome->denial;
}

// Applies what a webhook wants changed. True if anything is different then.
Result<bool> apply_patch(const Hook& hook, Review& review, const Form& form, std::string_view patch_text) {
  auto patch = json::parse(patch_text);
  if (!patch.ok() || !patch->is_array()) {
    return internal_error(fmt::format("the patch of admission webhook {} is no JSON patch", quoted(hook.name)));
  }
  if (patch->get_array().empty()) return false;
  auto& request = review.admission;
  if (request.object == nullptr) {
    return internal_error(
        fmt::format("admission webhook {} attempted to modify the object, which is not supported for this operation",
                    quoted(hook.name)));
  }
  json::Value object = show_object(review, form);
  const json::Value seen = object;
  if (auto patched = json::json_patch(object, *patch); !patched.ok()) {
    return internal_error(fmt::format("the patch of admission webhook {} cannot be applied: {}", quoted(hook.name),
                                      patched.error().message));
  }
  if (!object.is_object() || json::string_or(object, "kind") != json::string_or(seen, "kind") ||
      json::string_or(object, "apiVersion") != json::string_or(seen, "apiVersion")) {
    return internal_error(
        fmt::format("the patch of admission webhook {} changes apiVersion or kind", quoted(hook.name)));
  }
  const json::Value before = *request.object;
  auto changed = out_of_form(request, form, std::move(object));
  if (!changed.ok()) {
    return internal_error(fmt::format("what admission webhook {} makes of the Scale cannot be stored: {}",
                                      quoted(hook.name), changed.error().message));
  }
  CH_TRY(review.revise(std::move(changed).value()));
  return !json::equal(before, *request.object);
}

// Runs on threads where nobody catches: what a patch or a condition makes a library throw refuses the write.
template <typename Step>
void guarded(const Done& done, const Step& step) {
  try {
    step();
  } catch (const std::exception& e) {
    log::error("the review of a write threw", {{"error", e.what()}});
    done(internal_error("an unexpected fault"));
  }
}

class MutatingRound : public std::enable_shared_from_this<MutatingRound> {
 public:
  MutatingRound(const RoundParts& parts, HooksPtr hooks, std::shared_ptr<Review> review, Done done)
      : parts_(parts), hooks_(std::move(hooks)), review_(std::move(review)), done_(std::move(done)) {}

  // Asks the next one that wants to be asked, or ends.
  void next() {
    std::optional<Question> question;
    for (; !question; ++at_) {
      if (at_ == hooks_->mutating.size()) {
        if (again_ || due_again_.empty()) return done_({});
        again_ = true;
        at_ = 0;
      }
      const auto& hook = hooks_->mutating[at_];
      if (again_ && !due_again_.contains(at_)) continue;
      form_ = match(*hook, review_->admission, place_labels(parts_.lookup, review_->admission));
      if (!form_) continue;
      auto made = question_for(hook, *review_, *form_);
      if (!made.ok()) return done_(fail(std::move(made).error()));
      question = std::move(made).value();
    }
    --at_;  // of the one that is asked
    parts_.caller.call(std::move(*question), [self = shared_from_this()](HookCaller::Outcome outcome) {
      auto kept = std::make_shared<HookCaller::Outcome>(std::move(outcome));
      self->parts_.run([self, kept] { guarded(self->done_, [&] { self->took(*kept); }); });
    });
  }

 private:
  void took(const HookCaller::Outcome& outcome) {
    const auto& hook = hooks_->mutating[at_];
    if (auto judged = judge(parts_, *hook, *review_, outcome); !judged.ok()) return done_(std::move(judged));
    if (outcome.ok() && outcome->patch) {
      const auto changed = apply_patch(*hook, *review_, *form_, *outcome->patch);
      if (!changed.ok()) {
        parts_.metrics.rejected(*hook, review_->admission.operation, "apiserver_internal_error",
                                changed.error().http());
        return done_(fail(changed.error()));
      }
      // Those that were asked before have not seen this.
      if (*changed && !again_) due_again_.insert(asked_.begin(), asked_.end());
    }
    if (hook->reinvoked && !again_) asked_.insert(at_);
    ++at_;
    next();
  }

  const RoundParts& parts_;
  const HooksPtr hooks_;
  const std::shared_ptr<Review> review_;
  const Done done_;
  size_t at_ = 0;
  std::optional<Form> form_;  // in which the one that is being asked sees the object
  bool again_ = false;        // the second round
  std::set<size_t> asked_;    // that want to be asked again after changes
  std::set<size_t> due_again_;
};

class ValidatingRound : public std::enable_shared_from_this<ValidatingRound> {
 public:
  ValidatingRound(const RoundParts& parts, HooksPtr hooks, std::shared_ptr<Review> review, Done done)
      : parts_(parts), hooks_(std::move(hooks)), review_(std::move(review)), done_(std::move(done)) {}

  void start() {
    const auto place = place_labels(parts_.lookup, review_->admission);
    std::vector<Question> questions;
    for (const auto& hook : hooks_->validating) {
      const auto form = match(*hook, review_->admission, place);
      if (!form) continue;
      auto made = question_for(hook, *review_, *form);
      if (!made.ok()) return done_(fail(std::move(made).error()));
      if (!made->has_value()) continue;
      asked_.push_back(hook);
      questions.push_back(std::move(**made));
    }
    if (questions.empty()) return done_({});
    outcomes_.resize(questions.size());
    open_ = questions.size();
    for (size_t i = 0; i < questions.size(); ++i) {
      parts_.caller.call(std::move(questions[i]), [self = shared_from_this(), i](HookCaller::Outcome outcome) {
        self->outcomes_[i].emplace(std::move(outcome));
        // The last one carries on; it sees what the others have left.
        if (self->open_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
          self->parts_.run([self] { guarded(self->done_, [&] { self->finish(); }); });
        }
      });
    }
  }

 private:
  void finish() {
    Result<void> first;
    for (size_t i = 0; i < asked_.size(); ++i) {
      auto judged = judge(parts_, *asked_[i], *review_, *outcomes_[i]);
      if (!judged.ok() && first.ok()) first = std::move(judged);
    }
    done_(std::move(first));
  }

  const RoundParts& parts_;
  const HooksPtr hooks_;
  const std::shared_ptr<Review> review_;
  const Done done_;
  std::vector<HookPtr> asked_;
  std::vector<std::optional<HookCaller::Outcome>> outcomes_;
  std::atomic<size_t> open_{0};
};

}  // namespace

meta::LabelLookup place_labels(const admission::Lookup& lookup, const registry::AdmissionRequest& request) {
  if (!request.kind->namespaced) return [](std::string_view) { return std::nullopt; };
  const auto document = lookup.get("", "namespaces", "", request.ns);
  return [document](std::string_view key) {
    return document == nullptr ? std::optional<std::string_view>() : document->label(key);
  };
}

void ask_mutating(const RoundParts& parts, HooksPtr hooks, std::shared_ptr<Review> review, Done done) {
  std::make_shared<MutatingRound>(parts, std::move(hooks), std::move(review), std::move(done))->next();
}

void ask_validating(const RoundParts& parts, HooksPtr hooks, std::shared_ptr<Review> review, Done done) {
  std::make_shared<ValidatingRound>(parts, std::move(hooks), std::move(review), std::move(done))->start();
}

}  // namespace chandler::webhooks
