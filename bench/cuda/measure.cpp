#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "batch.hpp"

namespace foldline::bench::cuda {
namespace {

/// More calls make no difference: the first ones hide the launches of the others.
constexpr std::int64_t most_calls = 1000;

/// Calls this long are not affected by launch latency, and need no warm-up.
constexpr double long_nanoseconds = 20e6;

class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&begin_), "creating an event");
    check(cudaEventCreate(&end_), "creating an event");
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  /// Nanoseconds for one call of the batch.
  double time(const Batch& batch) {
    check(cudaEventRecord(begin_, stream_), "recording an event");
    batch.launch();
    check(cudaEventRecord(end_, stream_), "recording an event");
    check(cudaEventSynchronize(end_), "waiting for the GPU");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading the time");
    return 1e6 * static_cast<double>(milliseconds) / static_cast<double>(batch.calls());
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

struct Entry {
  Batch batch;
  bool is_long;
  std::vector<double> rounds = {};
};

/// A batch that lasts long enough and reads every piece of the data equally often.
Entry entry_for(const DeviceContestant& contestant, std::int64_t pieces, const Method& method,
                cudaStream_t stream, Stopwatch& watch) {
  const Batch one(contestant, 1, stream);
  one.launch();
  const double nanoseconds = watch.time(one);
  const double enough = std::ceil(method.shortest * 1e9 / nanoseconds / static_cast<double>(pieces));
  const double most = std::ceil(static_cast<double>(most_calls) / static_cast<double>(pieces));
  const auto turns = static_cast<std::int64_t>(std::clamp(enough, 1.0, most));
  return {Batch(contestant, turns * pieces, stream),
          nanoseconds * static_cast<double>(turns * pieces) > long_nanoseconds};
}

}  // namespace

std::vector<Timing> measure(std::span<const DeviceContestant> contestants, std::int64_t pieces,
                            const Method& method, cudaStream_t stream) {
  Stopwatch watch(stream);
  std::vector<Entry> entries;
  entries.reserve(contestants.size());
  for (const DeviceContestant& contestant : contestants)
    entries.push_back(entry_for(contestant, pieces, method, stream, watch));
  for (int round = 0; round < method.rounds; ++round)
    for (Entry& entry : entries) {
      // A batch before the timed one keeps the GPU busy until all is queued, so that host time is not
      // measured, and leaves the caches in a typical state.
      if (!entry.is_long) entry.batch.launch();
      entry.rounds.push_back(watch.time(entry.batch));
    }
  std::vector<Timing> timings;
  timings.reserve(entries.size());
  for (Entry& entry : entries) timings.push_back(summarise(std::move(entry.rounds), entry.batch.calls()));
  return timings;
}

}  // namespace foldline::bench::cuda
