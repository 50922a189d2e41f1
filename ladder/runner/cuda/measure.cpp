// Takes the times of a rung on a GPU.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "runner/backend.hpp"
#include "runner/device.hpp"
#include "runner/plain_read.hpp"
#include "runner/verifier.hpp"

namespace foldline::ladder {
namespace {

/// A CUDA event.
class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "creating an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() { check(cudaEventRecord(event_), "recording an event"); }
  /// Waits for this event.
  double microseconds_since(const Event& start) {
    check(cudaEventSynchronize(event_), "waiting for a kernel");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "reading the time");
    return 1e3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Fills the L2 cache with other data, by reading: dirty lines would have to be written to memory during the
/// measurement (8 us of 254 for 2^28 ints on an H200).
class CacheFlush {
 public:
  void queue() { read_memory(scratch_.get(2 * bytes_), 2 * bytes_, sink_.get(1)); }

 private:
  static std::int64_t l2_bytes() {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0), "asking for the size of the cache");
    return bytes;
  }
  std::int64_t bytes_ = l2_bytes();
  DeviceArray<char> scratch_;
  DeviceArray<int> sink_;
};

Times summarise(std::vector<double> rounds) {
  std::ranges::sort(rounds);
  const std::size_t half = rounds.size() / 2;
  const double median = rounds.size() % 2 == 1 ? rounds[half] : (rounds[half - 1] + rounds[half]) / 2;
  return {median, rounds.front(), rounds.back()};
}

/// Fast rungs are measured up to ten times as often.
Times repeat(int rounds, const std::function<double()>& microseconds) {
  constexpr std::chrono::milliseconds enough(50);
  constexpr int max_factor = 10;
  const auto start = std::chrono::steady_clock::now();
  const auto is_short = [&] { return std::chrono::steady_clock::now() - start < enough; };
  std::vector<double> times;
  for (int round = 0; round < rounds || (round < max_factor * rounds && is_short()); ++round)
    times.push_back(microseconds());
  return summarise(std::move(times));
}

void wait_for_gpu() { check(cudaDeviceSynchronize(), "waiting for a kernel"); }

/// From start() to the result on the host.
double total_time(Workbench& bench, bool on_gpu) {
  bench.refresh();
  if (on_gpu) wait_for_gpu();
  const auto start = std::chrono::steady_clock::now();
  bench.start();
  bench.finish();
  if (on_gpu) wait_for_gpu();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// Queues other work before the first event, so that launches are queued ahead and the host's launch time is
/// not measured.
void take_event_times(Workbench& bench, int rounds, Outcome& outcome) {
  Event begin, end;
  CacheFlush flush;
  const auto timed_start = [&] {
    begin.record();
    bench.start();
    end.record();
    return end.microseconds_since(begin);
  };
  outcome.cold = repeat(rounds, [&] {
    bench.refresh();
    flush.queue();
    return timed_start();
  });
  outcome.warm = repeat(rounds, [&] {
    bench.refresh();
    bench.start();
    bench.refresh();
    return timed_start();
  });
}

/// Describes the kernel with the largest grid in the last run.
void describe_launches(Outcome& outcome) {
  outcome.kernels = static_cast<int>(launches().size());
  if (launches().empty()) return;
  const Launch launch = *std::ranges::max_element(launches(), {}, &Launch::grid);
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, launch.kernel), "asking about a kernel");
  int blocks = 0, threads = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, launch.kernel, launch.block,
                                                      launch.shared_bytes),
        "asking for the occupancy");
  check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0),
        "asking for the threads");
  outcome.grid = launch.grid;
  outcome.block = launch.block;
  outcome.registers = attributes.numRegs;
  outcome.shared_bytes = static_cast<std::int64_t>(attributes.sharedSizeBytes + launch.shared_bytes);
  outcome.occupancy = static_cast<double>(blocks) * launch.block / threads;
}

}  // namespace

Outcome run_bench(Workbench& bench, bool on_gpu, const Options& options) {
  const int rounds = options.rounds;
  Outcome outcome;
  Verifier verifier(outcome);
  input_time() = 0;
  bench.start();
  outcome.input = input_time();
  verifier.run(bench);
  if (on_gpu) describe_launches(outcome);
  if (outcome.check.correct == outcome.check.values) {
    outcome.total = repeat(rounds, [&] {
      const double time = total_time(bench, on_gpu);
      verifier.look(bench);
      return time;
    });
    if (on_gpu)
      take_event_times(bench, rounds, outcome);
    else
      outcome.cold = outcome.warm = outcome.total;
    verifier.run(bench);
  }
  outcome.work = bench.work();
  conclude(bench, outcome);
  return outcome;
}

}  // namespace foldline::ladder
