// A progress bar on standard error, for people who wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace foldline::cli {

/// Shows nothing unless standard error is a terminal and the work has taken half a second. Gone at
/// destruction.
class Progress {
 public:
  /// `total`: bytes of the first file, none if unknown.
  explicit Progress(std::optional<std::int64_t> total, std::size_t files = 1);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Sets the size of the current file; not while another thread calls show().
  void set_total(std::optional<std::int64_t> total) { total_ = total; }
  /// Goes on to the next file; not while another thread calls show().
  void next_file();
  /// `done` bytes of the current file have been read. Any thread may call it; it writes at most ten times a
  /// second.
  void show(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;  ///< a thread that finds it locked skips the update

  std::optional<std::int64_t> total_;
  std::size_t files_ = 1, files_done_ = 0;
  std::int64_t done_before_ = 0, done_ = 0;  ///< bytes read of earlier files and of the current one
  bool enabled_;
  bool colour_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::milliseconds(500);
};

}  // namespace foldline::cli
