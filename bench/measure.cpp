#include "measure.hpp"

#include <cblas.h>
#include <omp.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <thread>
#include <utility>

#include "ratio.hpp"

namespace foldline::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_for(const Contestant& contestant, std::int64_t calls) {
  const Clock::time_point start = Clock::now();
  contestant.repeat(calls);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Waits until no thread is running: each library has its own threads, which spin for a while after a call
/// (OpenBLAS's for about 30 ms) and would take cores from the next contestant.
void wait_until_idle() {
  using namespace std::chrono_literals;
  for (const Clock::time_point deadline = Clock::now() + 200ms; Clock::now() < deadline;) {
    const double before = processor_seconds();
    std::this_thread::sleep_for(500us);
    if (processor_seconds() - before < 100e-6) return;
  }
}

/// The number of calls that takes long enough to measure.
std::int64_t calibrate(const Contestant& contestant, double shortest) {
  for (std::int64_t calls = 1;;) {
    const double seconds = seconds_for(contestant, calls);
    if (seconds >= shortest) return calls;
    // In steps: the first calls are slow and would make the quotient too small.
    const double factor = std::clamp(1.2 * shortest / std::max(seconds, 1e-9), 2.0, 10.0);
    calls = static_cast<std::int64_t>(std::ceil(static_cast<double>(calls) * factor));
  }
}

}  // namespace

Timing summarise(std::vector<double> rounds, std::int64_t calls) {
  const double centre = median(rounds);
  std::vector<double> distances;
  distances.reserve(rounds.size());
  for (const double round : rounds) distances.push_back(std::abs(round - centre));
  const double minimum = *std::ranges::min_element(rounds);
  return {centre, minimum, median(std::move(distances)), std::move(rounds), calls};
}

std::vector<Timing> measure(std::span<const Contestant> contestants, const Method& method, bool threaded) {
  std::vector<std::int64_t> calls;
  wait_until_idle();
  for (const Contestant& contestant : contestants) {
    calls.push_back(calibrate(contestant, method.shortest));
    if (threaded) wait_until_idle();
  }
  std::vector<std::vector<double>> rounds(contestants.size());
  for (int round = 0; round < method.rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      if (threaded) wait_until_idle();
      // Warm-up of threads, code and data; pointless if a single call takes long.
      if (calls[i] > 1) contestants[i].repeat(std::min<std::int64_t>(calls[i], 10));
      rounds[i].push_back(seconds_for(contestants[i], calls[i]) / static_cast<double>(calls[i]) * 1e9);
    }
  }
  std::vector<Timing> timings;
  timings.reserve(contestants.size());
  for (std::size_t i = 0; i < contestants.size(); ++i)
    timings.push_back(summarise(std::move(rounds[i]), calls[i]));
  return timings;
}

void limit_threads(int threads) {
  static std::unique_ptr<oneapi::tbb::global_control> control;
  omp_set_num_threads(threads);
  openblas_set_num_threads(threads);
  control.reset();  // two controls would both apply
  control = std::make_unique<oneapi::tbb::global_control>(
      oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
}

}  // namespace foldline::bench
