// Runs work in child processes with a time limit, so that a rung that crashes, hangs or corrupts the GPU
// context does not affect others.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace foldline::ladder {

struct ChildResult {
  enum class End { returned, crashed, timed_out } end;
  std::string text;  ///< what the work returned, or how the process ended
};

struct Work {
  std::function<std::string()> text;
  double seconds;  ///< after which it is ended
};

/// Forks; the child returns the text of the work. The caller must have no other threads and must not have
/// used CUDA, which does not survive a fork.
ChildResult run_in_child(const Work& work);

/// Each work in a child of its own, up to `at_once` of them at the same time. `done` is called with the
/// results in the order of the works, each as soon as it and those before it are known.
void run_in_children(const std::vector<Work>& works, std::size_t at_once,
                     const std::function<void(std::size_t, const ChildResult&)>& done);

}  // namespace foldline::ladder
