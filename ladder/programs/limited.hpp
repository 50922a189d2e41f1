// Runs somebody's code in a child process with limits of time and memory.
#pragma once

#include <cstdint>
#include <functional>

namespace foldline::ladder {

struct Limits {
  double seconds = 300;
  std::int64_t megabytes = 4096;  ///< of memory in use
};

/// Forks; the child ends with the status that `work` returns, and has the parent's standard streams. Returns
/// its exit status; 128 and the signal's number, as shells do, if a signal has ended it; 1 if it has reached
/// a limit. How a child ended that did not exit is told on standard error, where `what` names it.
int run_limited(const std::function<int()>& work, const Limits& limits, const char* what);

}  // namespace foldline::ladder
