#include "osb/answer.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"

namespace chandler::osb {
namespace {

// What sort of answer it is. The order is that of the table.
enum class Sort {
  kOk,
  kOkMalformed,
  kCreated,
  kCreatedMalformed,
  kAccepted,
  kAcceptedMalformed,
  kOtherSuccess,
  kNotModified,
  kRedirect,
  kBadRequest,
  kCredentials,
  kVersion,
  kTimeout408,
  kConflict,
  kGone,
  kAsyncRequired,
  kConcurrency,
  kRequiresApp,
  kMaintenance,
  kUnprocessable,
  kTooMany,
  kOtherClientError,
  kServerError,
  kOddStatus,
  kLost,
  kTooLarge,
  kUnreachable,
  kForbidden,
  kInterrupted,
  kNotBegun,
};

struct Row {
  Sort sort;
  // Creating is provision and bind; a fetch is GET of an instance or binding. A poll's cell says only whether to go on
  // polling (kPoll) or that read_poll has something to say (kDone): a poll alone decides about nothing.
  Consequence create, update, remove, catalog, fetch, poll;
  unsigned flags = 0;
  std::string_view hint = "";  // follows what was answered
};

constexpr unsigned kBreaker = 1;  // as in Verdict
constexpr unsigned kBrokerAtFault = 2;
constexpr unsigned kRefetch = 4;

constexpr auto kDone = Consequence::kDone;
constexpr auto kAsk = Consequence::kPoll;
constexpr auto kSame = Consequence::kNotModified;
constexpr auto kReject = Consequence::kRejected;
constexpr auto kRetry = Consequence::kRetry;
constexpr auto kClean = Consequence::kCleanUp;
constexpr auto kLook = Consequence::kLookAgain;
constexpr auto kAsync = Consequence::kSendAsync;

constexpr std::string_view kCheckCredentials = "; check the credentials that the broker's authInfo refers to";
constexpr std::string_view kCheckVersion = "; it does not accept the version of the API that was sent";
constexpr std::string_view kNoRedirects = "; redirects are not followed: the broker's URL must be its final address";
constexpr std::string_view kOddSuccess = ", which means nothing for this request";

// clang-format off
constexpr std::array kTable{
    //                            create   update   remove   catalog  fetch    poll
    Row{Sort::kOk,                kDone,   kDone,   kDone,   kDone,   kDone,   kDone},
    Row{Sort::kOkMalformed,       kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
    Row{Sort::kCreated,           kDone,   kDone,   kDone,   kRetry,  kRetry,  kAsk},
    Row{Sort::kCreatedMalformed,  kClean,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
    Row{Sort::kAccepted,          kAsk,    kAsk,    kAsk,    kRetry,  kRetry,  kAsk},
    Row{Sort::kAcceptedMalformed, kClean,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
    Row{Sort::kOtherSuccess,      kClean,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk, 0, kOddSuccess},
    Row{Sort::kNotModified,       kReject, kReject, kReject, kSame,   kReject, kAsk},
    Row{Sort::kRedirect,          kReject, kReject, kReject, kReject, kReject, kAsk, 0, kNoRedirects},
    Row{Sort::kBadRequest,        kReject, kReject, kReject, kRetry,  kReject, kAsk},
    Row{Sort::kCredentials,       kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk, kBrokerAtFault, kCheckCredentials},
    Row{Sort::kVersion,           kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk, kBrokerAtFault, kCheckVersion},
    Row{Sort::kTimeout408,        kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
    Row{Sort::kConflict,          kLook,   kReject, kReject, kRetry,  kReject, kAsk},
    Row{Sort::kGone,              kReject, kReject, kDone,   kRetry,  kReject, kDone},
    Row{Sort::kAsyncRequired,     kAsync,  kAsync,  kAsync,  kRetry,  kReject, kAsk},
    Row{Sort::kConcurrency,       kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
    Row{Sort::kRequiresApp,       kReject, kReject, kReject, kRetry,  kReject, kAsk},
    Row{Sort::kMaintenance,       kRetry,  kRetry,  kReject, kRetry,  kReject, kAsk, kRefetch},
    Row{Sort::kUnprocessable,     kReject, kReject, kReject, kRetry,  kReject, kAsk},
    Row{Sort::kTooMany,           kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
    Row{Sort::kOtherClientError,  kReject, kReject, kReject, kRetry,  kReject, kAsk},
    Row{Sort::kServerError,       kClean,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk, kBreaker},
    Row{Sort::kOddStatus,         kClean,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk, 0, kOddSuccess},
    Row{Sort::kLost,              kClean,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk, kBreaker},
    Row{Sort::kTooLarge,          kClean,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
    Row{Sort::kUnreachable,       kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk, kBreaker},
    Row{Sort::kForbidden,         kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk, kBrokerAtFault},
    Row{Sort::kInterrupted,       kClean,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
    Row{Sort::kNotBegun,          kRetry,  kRetry,  kRetry,  kRetry,  kRetry,  kAsk},
};
// clang-format on

constexpr bool in_order() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].sort != static_cast<Sort>(i)) return false;
  }
  return kTable.size() == static_cast<size_t>(Sort::kNotBegun) + 1;
}
static_assert(in_order(), "a row for every sort, in the order of the sorts");

Sort sort_of(const http::ClientFailure& failure) {
  using Kind = http::ClientFailure::Kind;
  switch (failure.kind) {
    case Kind::kBadRequest:
    case Kind::kRefused:
      return Sort::kForbidden;
    case Kind::kConnect:
      return Sort::kUnreachable;
    case Kind::kTimeout:
    case Kind::kBroken:
      return Sort::kLost;
    case Kind::kTooLarge:
      return Sort::kTooLarge;
    case Kind::kCancelled:
      return failure.sent ? Sort::kInterrupted : Sort::kNotBegun;
  }
  return Sort::kLost;
}

Sort sort_of_422(std::string_view word) {
  if (word == "AsyncRequired") return Sort::kAsyncRequired;
  if (word == "ConcurrencyError") return Sort::kConcurrency;
  if (word == "RequiresApp") return Sort::kRequiresApp;
  if (word == "MaintenanceInfoConflict") return Sort::kMaintenance;
  return Sort::kUnprocessable;
}

Sort sort_of_client_error(const Answer& answer) {
  switch (answer.status) {
    case 400:
      return Sort::kBadRequest;
    case 401:
    case 403:
      return Sort::kCredentials;
    case 408:
      return Sort::kTimeout408;
    case 409:
      return Sort::kConflict;
    case 410:
      return Sort::kGone;
    case 412:
      return Sort::kVersion;
    case 422:
      return sort_of_422(answer.error);
    case 429:
      return Sort::kTooMany;
    default:
      return Sort::kOtherClientError;
  }
}

Sort sort_of(const Call& call, const Answer& answer) {
  if (answer.failure) return sort_of(*answer.failure);
  switch (answer.status / 100) {
    case 2:
      if (answer.status == 200) return answer.well_formed ? Sort::kOk : Sort::kOkMalformed;
      if (answer.status == 201) return answer.well_formed ? Sort::kCreated : Sort::kCreatedMalformed;
      if (answer.status == 202) return answer.well_formed ? Sort::kAccepted : Sort::kAcceptedMalformed;
      return Sort::kOtherSuccess;
    case 3:
      // Only where it was asked for; otherwise it is as useless as any other 3xx.
      return answer.status == 304 && call.method == Method::kGetCatalog && !call.etag.empty() ? Sort::kNotModified
                                                                                              : Sort::kRedirect;
    case 4:
      return sort_of_client_error(answer);
    case 5:
      return Sort::kServerError;
    default:
      return Sort::kOddStatus;
  }
}

Consequence cell(const Row& row, Method method) {
  switch (method) {
    case Method::kProvision:
    case Method::kBind:
      return row.create;
    case Method::kUpdate:
      return row.update;
    case Method::kDeprovision:
    case Method::kUnbind:
      return row.remove;
    case Method::kGetCatalog:
      return row.catalog;
    case Method::kGetInstance:
    case Method::kGetBinding:
      return row.fetch;
    case Method::kPollInstance:
    case Method::kPollBinding:
      return row.poll;
  }
  return Consequence::kRetry;
}

std::string describe(const Row& row, const Answer& answer) {
  if (answer.failure) {
    return row.sort == Sort::kUnreachable ? "the broker cannot be reached: " + answer.failure->message
                                          : "there is no answer from the broker: " + answer.failure->message;
  }
  std::string text = fmt::format("the broker answered {}", answer.status);
  if (!answer.well_formed) return fmt::format("{} with a malformed body: {}", text, answer.malformed_why);
  if (!answer.error.empty()) text += " " + answer.error;
  if (!answer.description.empty()) text += ": " + answer.description;
  return text.append(row.hint);
}

}  // namespace

std::string_view consequence_name(Consequence consequence) {
  switch (consequence) {
    case Consequence::kDone:
      return "done";
    case Consequence::kPoll:
      return "poll";
    case Consequence::kNotModified:
      return "not modified";
    case Consequence::kRejected:
      return "rejected";
    case Consequence::kRetry:
      return "retry";
    case Consequence::kCleanUp:
      return "clean up";
    case Consequence::kLookAgain:
      return "look again";
    case Consequence::kSendAsync:
      return "send async";
  }
  return "";
}

Verdict judge(const Call& call, const Answer& answer) {
  const Row& row = kTable[static_cast<size_t>(sort_of(call, answer))];
  Verdict verdict;
  verdict.consequence = cell(row, call.method);
  verdict.broker_at_fault = (row.flags & kBrokerAtFault) != 0;
  verdict.breaker = (row.flags & kBreaker) != 0;
  verdict.message = describe(row, answer);
  verdict.refetch_catalog = (row.flags & kRefetch) != 0 && verdict.consequence == Consequence::kRetry;
  // A broker that asks for what it was given would be asked for ever.
  if (verdict.consequence == Consequence::kSendAsync && call.accepts_incomplete) {
    verdict.consequence = Consequence::kRejected;
    verdict.message += "; accepts_incomplete=true was sent already";
  }
  return verdict;
}

Poll read_poll(const Call& call, const Answer& answer) {
  CH_CHECK(call.method == Method::kPollInstance || call.method == Method::kPollBinding);
  Poll poll;
  if (answer.failure) return poll;
  poll.description = answer.description;
  if (answer.status == 410) poll.state = PollState::kGone;
  if (answer.status != 200 || !answer.well_formed) return poll;
  const std::string state = json::string_or(answer.body, "state");
  if (state == "in progress") poll.state = PollState::kInProgress;
  if (state == "succeeded") poll.state = PollState::kSucceeded;
  if (state == "failed") poll.state = PollState::kFailed;
  poll.instance_usable = json::bool_at(answer.body, "instance_usable").value_or(true);
  poll.update_repeatable = json::bool_at(answer.body, "update_repeatable").value_or(true);
  return poll;
}

}  // namespace chandler::osb
