// Idea: what happens when: a kernel is queued in a stream, and its launch returns at once; events tell when
// the stream got to them; kernels in two streams run side by side. One block adds the vectors, so that most
// of the GPU is free: first all elements, then halves, one after the other in one stream and at once in two.
// Fixes: not a rung: it shows how times are taken, and how to use what one kernel leaves idle. The host's
// clock around a launch says how long queueing takes, not the kernel; between two events it is the kernel,
// once the host has waited for the second. A copy to the host waits by itself.
// Limit: streams help kernels that do not fill the GPU, and copies beside kernels. The default stream, in
// which all other rungs run, waits for these two and they for it.
#include <chrono>

#include "common/block_sum.cuh"
#include "dot/bench.hpp"
#include "dot/thread_dot.cuh"
#include "runner/errors.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::dot {
namespace {

template <class T>
__global__ void dot_by_one_block(const T* x, const T* y, std::int64_t n, T* sum) {
  const T of_block = block_sum(thread_dot(x, y, n));
  if (threadIdx.x == 0) *sum = of_block;
}

/// Kept as long as the process, as it needs them to the end.
struct Streams {
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t begin = nullptr, second_is_done = nullptr, end = nullptr;

  Streams() {
    check(cudaStreamCreate(&first), "creating a stream");
    check(cudaStreamCreate(&second), "creating a stream");
    for (cudaEvent_t* const event : {&begin, &second_is_done, &end})
      check(cudaEventCreate(event), "creating an event");
  }
  void record(cudaEvent_t event, cudaStream_t stream) const {
    check(cudaEventRecord(event, stream), "recording an event");
  }
  /// What comes after in the stream starts when the event has happened, in whatever stream that is.
  void wait(cudaStream_t stream, cudaEvent_t event) const {
    check(cudaStreamWaitEvent(stream, event, 0), "letting a stream wait");
  }
  /// From `begin` to `end`, for which the host waits.
  double microseconds() const {
    float milliseconds = 0;
    check(cudaEventSynchronize(end), "waiting for an event");
    check(cudaEventElapsedTime(&milliseconds, begin, end), "reading the time");
    return 1e3 * static_cast<double>(milliseconds);
  }
};

class HostClock {
 public:
  double microseconds() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

template <class T>
void events_and_streams(Bench<T>& bench) {
  static const Streams s;  // a rung has a process of its own
  const std::int64_t n = bench.n(), half = n / 2;
  const T *const x = bench.x(), *const y = bench.y();
  T* const whole = static_cast<T*>(bench.scratch(sizeof(T)));
  T* const sums = bench.partials(2, depth_of_grid(n, 1, bench.block()));
  const auto add = [&](cudaStream_t stream, std::int64_t first, std::int64_t count, T* sum) {
    launch_in(stream, dot_by_one_block<T>, 1, bench.block(), 0, x + first, y + first, count, sum);
  };

  s.record(s.begin, s.first);
  const HostClock clock;
  add(s.first, 0, n, whole);
  bench.took("launch has returned", clock.microseconds());
  s.record(s.end, s.first);
  bench.took("kernel, by events", s.microseconds());
  bench.took("host has waited for it", clock.microseconds());

  s.record(s.begin, s.first);
  add(s.first, 0, half, sums);
  add(s.first, half, n - half, sums + 1);
  s.record(s.end, s.first);
  bench.took("halves, one stream", s.microseconds());

  s.record(s.begin, s.first);
  s.wait(s.second, s.begin);
  add(s.first, 0, half, sums);
  add(s.second, half, n - half, sums + 1);
  s.record(s.second_is_done, s.second);
  s.wait(s.first, s.second_is_done);
  s.record(s.end, s.first);
  bench.took("halves, two streams", s.microseconds());
}

template void events_and_streams(Bench<float>&);
template void events_and_streams(Bench<double>&);

}  // namespace foldline::ladder::dot
