// Measures the bandwidth of a GPU's memory.
#include <algorithm>
#include <array>
#include <cstdint>

#include "contract/backend.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/properties.hpp"
#include "foldline/gpu_bandwidth.hpp"

namespace foldline {

namespace {

using cuda::check;

constexpr int threads = 512, blocks_per_multiprocessor = 4, loads = 4;

/// Uses every word, so that no load is optimised away; `out` is hardly ever written.
__global__ void __launch_bounds__(threads) read_all(const uint4* words, std::int64_t count, unsigned* out) {
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  unsigned combined = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += loads * all) {
    uint4 word[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k)
      word[k] = i + k * all < count ? __ldcs(words + i + k * all) : uint4{0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < loads; ++k) combined |= word[k].x | word[k].y | word[k].z | word[k].w;
  }
  if (combined == 0xffffffffu) *out = combined;
}

class Memory {
 public:
  explicit Memory(std::int64_t bytes) {
    check(cudaMalloc(&data_, static_cast<std::size_t>(bytes)), "allocating memory to measure its speed");
  }
  ~Memory() { cudaFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

/// A stream and two events.
class Clock {
 public:
  Clock() {
    check(cudaEventCreate(&begin_), "making an event");
    check(cudaEventCreate(&end_), "making an event");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  ~Clock() {
    cudaStreamDestroy(stream_);
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  /// GB/s, the median of several runs after a warm-up run.
  template <class Work>
  double median_speed(std::int64_t bytes, const Work& work) {
    work(stream_);
    std::array<float, 9> milliseconds;
    for (float& duration : milliseconds) {
      check(cudaEventRecord(begin_, stream_), "recording an event");
      work(stream_);
      check(cudaEventRecord(end_, stream_), "recording an event");
      check(cudaEventSynchronize(end_), "measuring the speed of memory");
      check(cudaEventElapsedTime(&duration, begin_, end_), "measuring the speed of memory");
    }
    std::ranges::nth_element(milliseconds, milliseconds.begin() + milliseconds.size() / 2);
    return static_cast<double>(bytes) / milliseconds[milliseconds.size() / 2] / 1e6;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

GpuBandwidth measure_bandwidth(const Device& gpu) {
  if (gpu.kind != Device::Kind::cuda)
    throw InvalidArgument("measure_bandwidth: of a GPU's memory, but was asked for that of " + name_of(gpu));
  cuda::require_device(gpu.index);
  const cuda::DeviceGuard guard(gpu.index);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for a device's properties");
  constexpr std::int64_t most = std::int64_t{2} << 30, granule = 4096;
  const std::int64_t bytes = std::min(most, static_cast<std::int64_t>(total / 8)) / granule * granule;
  const Memory memory(bytes);
  check(cudaMemset(memory.data(), 0, static_cast<std::size_t>(bytes)), "writing to memory");
  check(cudaStreamSynchronize(cudaStreamLegacy), "writing to memory");

  Clock clock;
  const auto blocks = static_cast<unsigned>(blocks_per_multiprocessor * cuda::multiprocessors_of(gpu.index));
  const auto* words = reinterpret_cast<const uint4*>(memory.data());
  std::int64_t count = bytes / static_cast<std::int64_t>(sizeof *words);
  auto* out = reinterpret_cast<unsigned*>(memory.data());
  void* arguments[] = {&words, &count, &out};
  const double read = clock.median_speed(bytes, [&](cudaStream_t stream) {
    check(cudaLaunchKernel(read_all, dim3(blocks), dim3(threads), arguments, 0, stream), "reading memory");
  });
  const double copy = clock.median_speed(bytes, [&](cudaStream_t stream) {
    check(cudaMemcpyAsync(memory.data() + bytes / 2, memory.data(), static_cast<std::size_t>(bytes / 2),
                          cudaMemcpyDeviceToDevice, stream),
          "copying memory");
  });
  return {read, copy};
}

}  // namespace foldline
