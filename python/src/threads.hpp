// How many threads calls use, also after a fork.
#pragma once

#include <cxxabi.h>
#include <unistd.h>

#include <cstdint>

#include "foldline/context.hpp"
#include "numpy_api.hpp"

namespace foldline::python {

/// What every call runs with: the threads that were asked for; one in a process that was forked, whose OpenMP
/// would wait for threads that only its parent has.
Context current_context();

/// Calls f, which runs Python or waits for its lock. Before CPython 3.14 a thread that does so when the
/// interpreter ends is unwound, which ends the process with an abort at the first function that must not
/// throw. It sleeps instead, as it does from 3.14 on.
template <class F>
auto until_exit(const F& f) {
  try {
    return f();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

/// Releases Python's lock while it lives, if the work is worth it.
class WithoutLock {
 public:
  explicit WithoutLock(std::int64_t elements) : state_(elements < worth_it ? nullptr : PyEval_SaveThread()) {}
  ~WithoutLock() {
    if (state_ != nullptr) until_exit([this] { PyEval_RestoreThread(state_); });
  }
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

 private:
  static constexpr std::int64_t worth_it = 4096;
  PyThreadState* state_;
};

void register_threads(nb::module_& module);

}  // namespace foldline::python
