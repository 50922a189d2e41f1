// Runs work in child processes with limits of time and memory, so that a rung that crashes, hangs or corrupts
// the GPU context does not affect others.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace foldline::ladder {

struct ChildResult {
  enum class End { returned, crashed, timed_out, too_large } end;
  std::string text;  ///< what the work returned, or how the process ended
};

struct Work {
  std::function<std::string()> text;
  double seconds;              ///< after which it is ended
  std::int64_t megabytes = 0;  ///< of memory in use with which it is ended; 0: no limit
};

/// Forks; the child returns the text of the work. The caller must have no other threads and must not have
/// used CUDA, which does not survive a fork.
ChildResult run_in_child(const Work& work);

/// Each work in a child of its own, up to `at_once` of them at the same time. `done` is called with the
/// results in the order of the works, each as soon as it and those before it are known.
void run_in_children(const std::vector<Work>& works, std::size_t at_once,
                     const std::function<void(std::size_t, const ChildResult&)>& done);

/// That a process has in memory, as the system counts it; 0 if it has gone.
std::int64_t megabytes_of(pid_t process);

}  // namespace foldline::ladder
