// The number of threads, and tasks on threads.
#include "foldline/detail/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <exception>
#include <mutex>
#include <string>

#include "api/validate.hpp"
#include "foldline/error.hpp"

namespace foldline::detail {

namespace {

// Below this much data a second thread costs more than it saves: waking it takes 2 to 5 us, in which one
// thread reads 150 KB from L2 cache.
constexpr std::int64_t bytes_per_thread = std::int64_t{1} << 18;
constexpr int max_threads = 4096;

/// Gives this thread another thread's floating-point environment while it lives: a new thread has the default
/// one, whatever its creator has set.
class BorrowedEnvironment {
 public:
  explicit BorrowedEnvironment(const std::fenv_t& environment) {
    std::fegetenv(&own_);
    std::fesetenv(&environment);
  }
  ~BorrowedEnvironment() { std::fesetenv(&own_); }
  BorrowedEnvironment(const BorrowedEnvironment&) = delete;
  BorrowedEnvironment& operator=(const BorrowedEnvironment&) = delete;

 private:
  std::fenv_t own_;
};

/// The exception of the lowest part that failed.
class Failure {
 public:
  /// Call in an exception handler.
  void note(std::int64_t part) {
    const std::lock_guard lock(mutex_);
    if (!error_ || part < part_) {
      error_ = std::current_exception();
      part_ = part;
    }
    noted_.store(true, std::memory_order_relaxed);
  }
  bool is_noted() const { return noted_.load(std::memory_order_relaxed); }
  void rethrow_if_noted() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  std::int64_t part_ = 0;
  std::atomic<bool> noted_ = false;
};

}  // namespace

int choose_threads(std::string_view caller, std::int64_t bytes, std::int64_t size,
                   const Execution& execution) {
  require_cpu(caller, execution);
  if (execution.threads < 0 || execution.threads > max_threads)
    throw InvalidArgument(std::string(caller) + ": " + std::to_string(execution.threads) +
                          " threads were asked for; use 0 (automatic) to " + std::to_string(max_threads));
  if (execution.threads > 0) return static_cast<int>(std::clamp<std::int64_t>(size, 1, execution.threads));
  // In a parallel region of the caller its threads already have the cores.
  if (bytes < 2 * bytes_per_thread || omp_in_parallel() != 0) return 1;
  return static_cast<int>(std::min<std::int64_t>(bytes / bytes_per_thread, omp_get_max_threads()));
}

void run_parts(std::int64_t parts, int threads, void (*task)(const void* data, std::int64_t part),
               const void* data) {
  if (threads == 1 || parts <= 1) {
    for (std::int64_t part = 0; part < parts; ++part) task(data, part);
    return;
  }
  std::fenv_t environment;
  std::fegetenv(&environment);
  std::atomic<std::int64_t> next = 0;
  Failure failure;
#pragma omp parallel num_threads(threads)
  {
    const BorrowedEnvironment borrowed(environment);
    // A thread that sees no failure takes the next part: all parts below a failed one have been taken and are
    // finished, so the lowest failure is always recorded.
    while (!failure.is_noted()) {
      const std::int64_t part = next.fetch_add(1, std::memory_order_relaxed);
      if (part >= parts) break;
      try {
        task(data, part);
      } catch (...) {
        failure.note(part);
      }
    }
  }
  failure.rethrow_if_noted();
}

}  // namespace foldline::detail
