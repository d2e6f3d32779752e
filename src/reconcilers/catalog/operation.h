// What an operation at a broker leaves in status, the same for instances and bindings: beginning it, waiting for it,
// and the conditions that tell about it.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/step.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/endpoint.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/catalog/retry.h"
#include "reconcilers/catalog/settings.h"
#include "reconcilers/catalog/target.h"

namespace chandler::reconcilers {

// The intent: what is going to be asked of the broker. Durable before the call. The run of the controllers that begins
// it is noted: an answer that says "nothing was done" proves that nothing was done only if no other run, which may have
// died after sending, has tried before.
void begin_operation(json::Object& status, std::string_view operation, const Settings& settings, WallTime now);
bool began_here(const json::Value& status, const Settings& settings);
// Nothing is under way any more.
void end_operation(json::Object& status);

// The broker works on it: polls follow, the first one soon or when the broker says.
void begin_polling(json::Object& status, const osb::Answer& answer, const Settings& settings, std::string_view uid,
                   WallTime now);
// The poll told nothing final: the next one follows.
void keep_polling(json::Object& status, const osb::Answer& answer, const Settings& settings, std::string_view uid,
                  std::string_view error, WallTime now);

// Since when the broker has been answering that what it works on is gone.
void note_gone(json::Object& status, bool is_gone, WallTime now);

// A failed request that is going to be repeated.
void note_failure(json::Object& status, const osb::Answer& answer, const Settings& settings, std::string_view uid,
                  std::string_view error, WallTime now,
                  std::chrono::milliseconds at_least = std::chrono::milliseconds(0));

// Something may be left at the broker and is deleted before the next try. `why` and `message` become the condition
// OrphanMitigation. A request that got no answer may still arrive: `quiet` is how long its deletion waits.
void begin_clean_up(json::Object& status, std::string_view ready_reason, std::string_view why, std::string_view message,
                    const Settings& settings, WallTime now, std::chrono::milliseconds quiet);
// How long a broker that answered so is left alone: the request may still be on its way, or it asks for a pause.
std::chrono::milliseconds quiet_after(const osb::Answer& answer, const Settings& settings);
// Before ending what a run that died may have asked for: the same wait. Keeps one that is on already.
void wait_for_stragglers(json::Object& status, const json::Value& stored, bool cleaning_up, const Settings& settings,
                         WallTime now);
// A removal that the broker had accepted came to nothing: once more, each time later.
void note_failed_removal(json::Object& status, const Settings& settings, std::string_view uid, std::string_view error,
                         WallTime now);
// What is under way is asked for once more, not before `next`.
void begin_again(json::Object& status, WallTime next, WallTime now);
// It is gone. The next round waits longer each time, so that a broker that always fails is not flooded. What has
// failed for good has no next round.
void end_clean_up(json::Object& status, const Settings& settings, std::string_view uid, WallTime now);

// More than the allowed time has passed since the operation began.
bool out_of_time(const json::Value& status, std::chrono::seconds limit, WallTime now);
// The broker has been working on it for longer than `limit`.
bool polled_too_long(const json::Value& status, std::chrono::seconds limit, WallTime now);

// A message as a sentence: begins with a capital and ends with a full stop.
std::string sentence(std::string_view message);

// A step that writes the status if it differs from what is stored, with notes for events.
controller::Step save_status(Draft draft, std::vector<controller::Note> notes = {});
// Shows why nothing can be done now: Ready=False. Waits for what was read to change, or until `wake`.
controller::Step show_problem(Draft draft, const Problem& problem, WallTime now,
                              std::optional<WallTime> wake = std::nullopt);

// Why nothing can be asked of the broker of `target`, when it is not there.
std::optional<Problem> missing_broker(const Target& target, controller::View& view);
// A call to the broker of `target`, or why it cannot be made.
// `sensitive`: what the answer must not repeat.
Found<controller::BrokerCall> call_to(const Target& target, osb::Call call, std::string intent,
                                      osb::Sensitive sensitive, const Settings& settings, controller::View& view);
// A step that makes it, or shows why it cannot be made.
controller::Step call_broker(Draft draft, const Target& target, osb::Call call, std::string intent,
                             osb::Sensitive sensitive, const Settings& settings, controller::View& view);

controller::Note normal(std::string_view reason, std::string_view message);
controller::Note warning(std::string_view reason, std::string_view message);
// One for each reason, in order: scripts wait for the events of all conditions that a failure has set. A reason that is
// empty, or repeats the one before it, is left out.
std::vector<controller::Note> warnings(std::initializer_list<std::string_view> reasons, std::string_view message);
// Tells that a request is going to be repeated, but not at once.
controller::Note backing_off();

}  // namespace chandler::reconcilers
