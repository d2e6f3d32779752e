#include "http/outgoing_body.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace chandler::http {

namespace {

// Fills in a row for one frame: a compressing source may take several before it gives anything.
constexpr int kFillsPerFrame = 16;

}  // namespace

OutgoingBody::OutgoingBody(Response response)
    : source_(std::move(response.source)),
      text_(std::move(response.body)),
      owner_(std::move(response.owner)),
      tail_(response.tail),
      announced_(response.content_length) {
  if (source_) text_.clear();
  unsent_ = text_;
}

void OutgoingBody::take_view(std::string& out, size_t until, std::string_view& view) {
  const size_t size = std::min(view.size(), until - out.size());
  out += view.substr(0, size);
  view.remove_prefix(size);
}

OutgoingBody::State OutgoingBody::take(std::string& out, size_t limit) {
  const size_t until = out.size() + limit;
  take_view(out, until, unsent_);
  if (!unsent_.empty()) return State::kMore;
  if (!source_) {
    take_view(out, until, tail_);
    return tail_.empty() ? State::kEnd : State::kMore;
  }
  if (!text_.empty()) std::string().swap(text_);  // gives its memory back
  for (int i = 0; i < kFillsPerFrame && out.size() < until; ++i) {
    if (last_ == BodySource::State::kEnd || (last_ == BodySource::State::kWaiting && !woken_)) break;
    last_ = fill(out, until - out.size());
    if (out.size() > until) {
      text_.assign(out, until);
      unsent_ = text_;
      out.resize(until);
      return State::kMore;
    }
  }
  if (broken_) return State::kBroken;
  if (last_ == BodySource::State::kEnd) return State::kEnd;
  return last_ == BodySource::State::kWaiting && !woken_ ? State::kWaiting : State::kMore;
}

BodySource::State OutgoingBody::fill(std::string& out, size_t budget) {
  woken_ = false;
  const size_t start = out.size();
  BodySource::State state = source_->fill(out, budget);
  if (!announced_) return state;
  const size_t size = out.size() - start;
  if (size > *announced_ || (state == BodySource::State::kEnd && size < *announced_)) {
    // The client can only learn from the stream's end that the body is not what was announced.
    log::error("a response body differs from its announced length", {{"owed", *announced_}, {"given", size}});
    out.resize(start + std::min(size, static_cast<size_t>(*announced_)));
    broken_ = true;
    state = BodySource::State::kEnd;
  }
  *announced_ -= std::min<uint64_t>(size, *announced_);
  return state;
}

void OutgoingBody::prefetch(size_t budget) {
  if (!source_ || !unsent_.empty() || last_ == BodySource::State::kEnd) return;
  text_.clear();
  last_ = fill(text_, budget);
  unsent_ = text_;
}

void OutgoingBody::shut_down() {
  if (!source_) return;
  source_->shut_down();
  woken_ = true;
}

bool OutgoingBody::is_due() const {
  return !source_ || !unsent_.empty() || last_ != BodySource::State::kWaiting || woken_;
}

}  // namespace chandler::http
