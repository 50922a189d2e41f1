/// @file
/// What foldline throws. Every message says what is wrong, where, and what to do.
#pragma once

#include <stdexcept>

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
  using Error::Error;
};

}  // namespace foldline
