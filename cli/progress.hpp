// A progress bar on standard error, for people who wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace foldline::cli {

/// Shows nothing unless standard error is a terminal and the work has taken half a second. Gone at
/// destruction.
class Progress {
 public:
  /// `total` elements of `element_bytes` bytes each; none if it is not known how many.
  Progress(std::optional<std::int64_t> total, std::int64_t element_bytes);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// `done` elements are done. Cheap: writes ten times a second at most.
  void show(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<std::int64_t> total_;
  std::int64_t element_bytes_;
  bool enabled_;
  bool colour_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::milliseconds(500);
};

}  // namespace foldline::cli
