/// @file
/// What foldline throws. Every message says what is wrong, where, and what to do.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "foldline/export.hpp"

namespace foldline {

/// Base of every exception that foldline throws itself (std::bad_alloc may also pass through).
class FOLDLINE_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The call makes no sense: shapes that differ, a negative size, an unknown operation, a device not present.
class FOLDLINE_API InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// The data cannot be used: a file that is truncated, malformed or of an unsupported type, or a serialised
/// accumulator that fails validation.
class FOLDLINE_API DataError : public Error {
 public:
  using Error::Error;
};

/// A device did not do what it was told: out of memory, a kernel that failed, a driver that is too old. Says
/// what was being done and what the CUDA runtime said. If a kernel failed, CUDA lets nothing else succeed in
/// this process.
class FOLDLINE_API DeviceError : public Error {
 public:
  using Error::Error;
};

/// The exact result is a number that the integer type asked for cannot hold. See Overflow.
class FOLDLINE_API OverflowError : public Error {
 public:
  /// what() is `problem`, a semicolon, and `advice`. `can_wrap`: whether there is a result under
  /// Overflow::wrap, as there is not of infinities and NaN.
  OverflowError(const std::string& problem, const std::string& advice, bool can_wrap)
      : Error(problem + "; " + advice), problem_size_(problem.size()), can_wrap_(can_wrap) {}

  /// The message without the advice, for programs that give their own.
  [[nodiscard]] std::string_view problem() const noexcept { return {what(), problem_size_}; }
  /// Whether there is a result under Overflow::wrap.
  [[nodiscard]] bool can_wrap() const noexcept { return can_wrap_; }

 private:
  std::size_t problem_size_;
  bool can_wrap_;
};

}  // namespace foldline
