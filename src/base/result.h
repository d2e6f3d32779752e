// Result<T>: a value or an Error. [[nodiscard]], so that no failure is dropped by accident. Result<void> is success or
// an Error. CH_TRY and CH_TRY_LET pass a failure on to the caller; they are the only control-flow macros we have.
#pragma once

#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace chandler {

// Wraps an error so that `return fail(not_found(ref));` reads as what it is, also where T itself is an Error.
template <typename E>
struct Failure {
  E error;
};

template <typename E>
Failure<E> fail(E error) {
  return {std::move(error)};
}

template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  using Value = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Failure<E> failure) : state_(std::in_place_index<1>, std::move(failure.error)) {}  // NOLINT
  template <typename U = E, typename = std::enable_if_t<!std::is_same_v<T, U>>>
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CH_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    CH_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    CH_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const E& error() const& {
    CH_CHECK(!ok());
    return std::get<1>(state_);
  }
  E&& error() && {
    CH_CHECK(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, E> state_;
};

template <typename E>
class [[nodiscard]] Result<void, E> {
 public:
  using Value = void;

  Result() = default;
  Result(E error) : error_(std::move(error)), failed_(true) {}                     // NOLINT: implicit on purpose
  Result(Failure<E> failure) : error_(std::move(failure.error)), failed_(true) {}  // NOLINT

  bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  const E& error() const& {
    CH_CHECK(failed_);
    return error_;
  }
  E&& error() && {
    CH_CHECK(failed_);
    return std::move(error_);
  }

 private:
  E error_{};
  bool failed_ = false;
};

}  // namespace chandler

#define CH_CONCAT_INNER(a, b) a##b
#define CH_CONCAT(a, b) CH_CONCAT_INNER(a, b)

// Returns the error of `expr` (a Result) to the caller; goes on when it succeeded.
#define CH_TRY(expr)                                                            \
  do {                                                                          \
    auto ch_result = (expr);                                                    \
    if (!ch_result.ok()) return ::chandler::fail(std::move(ch_result).error()); \
  } while (false)

// CH_TRY_LET(name, expr): as CH_TRY, and declares `name` with the value. `name` may hold a type: `const auto& x`.
#define CH_TRY_LET(name, expr) CH_TRY_LET_INNER(CH_CONCAT(ch_result_, __LINE__), name, expr)
#define CH_TRY_LET_INNER(temp, name, expr)                          \
  auto temp = (expr);                                               \
  if (!temp.ok()) return ::chandler::fail(std::move(temp).error()); \
  auto name = std::move(temp).value()
