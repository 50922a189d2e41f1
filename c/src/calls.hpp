// What every function of the C interface does around a call of the C++ one.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "foldline.h"
#include "foldline/error.hpp"

namespace foldline::c {

/// Keeps the message of this thread's last error; the kind comes back.
foldline_status fail(foldline_status kind, const char* message) noexcept;

/// The kind of the exception that is handled, and its message kept.
foldline_status fail_with_current_exception() noexcept;

/// Calls f; no exception leaves.
template <class F>
foldline_status call(F&& f) noexcept {
  try {
    f();
    return FOLDLINE_OK;
  } catch (...) {
    return fail_with_current_exception();
  }
}

/// Throws InvalidArgument if an address or a handle is null.
template <class T>
T& required(T* pointer, const char* what) {
  if (pointer == nullptr) throw InvalidArgument(std::string("foldline: ") + what + " is null");
  return *pointer;
}

/// Gives the caller a new handle, a Handle made of `arguments`.
template <class Handle, class... Arguments>
void hand_out(Handle** to, Arguments&&... arguments) {
  Handle*& handle = required(to, "the address for the new handle");  // before there is one that could be lost
  handle = new Handle{std::forward<Arguments>(arguments)...};
}

}  // namespace foldline::c
