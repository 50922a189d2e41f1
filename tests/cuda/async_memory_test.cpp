// What calls allocate: nothing after the first ones, and nothing is lost when that fails.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory_resource>
#include <stdexcept>

#include "allocations.hpp"
#include "lane.hpp"

namespace {

using namespace cuda_test;

/// Memory that cudaMallocAsync hands out.
class StreamOrderedMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, bytes, cudaStreamLegacy));
    check(cudaStreamSynchronize(cudaStreamLegacy));
    return memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    cudaFreeAsync(memory, cudaStreamLegacy);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST_F(CudaAsync, MemoryOfTheCaller) {
  const auto x = normal_deviates(100'000, 20);
  const DeviceMemory<double> there{std::span(x)}, result(1);
  const VectorView view(there.data(), 100'000);
  const auto check_with = [&](std::pmr::memory_resource* memory, const char* what) {
    const auto before = cuda_test::allocations();
    {
      DeviceWorkspace workspace(Device::cuda(), memory);
      DeviceWorkspace moved = std::move(workspace);
      async::sum(view, result.data(), {.workspace = &moved});
      check(cudaDeviceSynchronize());
      double sum = 0;
      check(cudaMemcpy(&sum, result.data(), sizeof sum, cudaMemcpyDeviceToHost));
      EXPECT_EQ(sum, foldline::sum(x)) << what;
    }
    EXPECT_EQ(cuda_test::allocations().live, before.live) << what;
    return cuda_test::allocations().made - before.made;
  };
  EXPECT_EQ(check_with(nullptr, "the runtime's"), 1);
  StreamOrderedMemory ordered;
  EXPECT_EQ(check_with(&ordered, "in stream order"), 1);
  const DeviceMemory<std::byte> own(DeviceWorkspace::bytes());
  std::pmr::monotonic_buffer_resource buffer(own.data(), static_cast<std::size_t>(DeviceWorkspace::bytes()),
                                             std::pmr::null_memory_resource());
  EXPECT_EQ(check_with(&buffer, "the caller's"), 0);
}

TEST_F(CudaAsync, NothingIsAllocatedAfterTheFirstCalls) {
  const auto x = normal_deviates(100'000, 21);
  const DeviceMemory<double> there{std::span(x)}, out(100'000);
  const VectorView view(there.data(), 100'000);
  const Context waiting{.execution = {.device = Device::cuda()}};
  Lane lane;
  const auto work = [&] {
    all_results(view, view, lane);
    async::inclusive_scan(view, MutableVectorView(out.data(), 100'000), lane.queue());
    async::reduce_rows(Operation::mean, foldline::MatrixView(there.data(), 1000, 100),
                       foldline::MutableArrayView(out.data(), {1000}), {}, lane.queue());
    (void)foldline::sum<double>(view, waiting);
    foldline::inclusive_scan(view, MutableVectorView(out.data(), 100'000), waiting);
    foldline::reduce_rows(Operation::mean, foldline::MatrixView(there.data(), 1000, 100),
                          foldline::MutableArrayView(out.data(), {1000}), {}, waiting);
    (void)foldline::sum(x, waiting);
  };
  work();
  std::size_t free_before = 0, free_after = 0, total = 0;
  check(cudaMemGetInfo(&free_before, &total));
  const std::int64_t before = cuda_test::allocations().made;
  for (int i = 0; i < 20; ++i) work();
  check(cudaMemGetInfo(&free_after, &total));
  EXPECT_EQ(cuda_test::allocations().made, before);
  EXPECT_EQ(free_after, free_before);
}

// The device forgets what kernels were allowed. In a process of its own: whatever others have there is lost.
TEST_F(CudaAsync, AfterTheDeviceWasReset) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto is_right = [] {
    constexpr std::int64_t size = 5'000'000;  // these kernels have dynamic shared memory
    const std::vector<float> x(size, 1.0F);
    const DeviceMemory<float> there{std::span<const float>(x)}, out(size), result(1);
    const VectorView view(there.data(), size);
    DeviceWorkspace workspace(Device::cuda());
    const async::Queue queue{.workspace = &workspace};
    async::inclusive_scan(view, MutableVectorView(out.data(), size), queue);
    async::sum(VectorView(out.data(), size), result.data(), queue);
    float sum = 0;
    check(cudaMemcpy(&sum, result.data(), sizeof sum, cudaMemcpyDeviceToHost));
    return sum == static_cast<float>(0.5 * size * (size + 1));
  };
  const auto twice = [&] {
    const bool first = is_right();
    check(cudaDeviceReset());
    std::exit(first && is_right() ? 0 : 1);
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(0), "");
}

TEST_F(CudaAsync, NothingIsLostWhenAllocationsFail) {
  const std::vector<double> x(100'000, 1.0);
  const DeviceMemory<double> there{std::span(x)}, out(100'000);
  const VectorView view(there.data(), 100'000);
  const Context waiting{.execution = {.device = Device::cuda()}};
  // Calls in threads of their own find no memory of earlier calls while `busy` ones hold it.
  const auto calls = std::to_array<void (*)(const VectorView&, double*)>(
      {[](const VectorView&, double*) { const DeviceWorkspace workspace{Device::cuda()}; },
       [](const VectorView& a, double*) {
         const auto backwards = foldline::MatrixView(static_cast<const double*>(a.data()), 10, 10'000);
         std::vector<double> results(10'000);  // of the host, so that memory for them is allocated
         foldline::reduce_columns(Operation::sum, backwards, results, {},
                                  {.execution = {.device = Device::cuda()}});
         if (results[0] != 10) throw std::runtime_error("wrong sum");
       }});
  for (const auto& call : calls) {
    call(view, out.data());
    const std::int64_t live = cuda_test::allocations().live;
    cuda_test::fail_allocation(1);
    EXPECT_THROW(call(view, out.data()), foldline::DeviceError);
    cuda_test::fail_allocation(0);
    EXPECT_LE(cuda_test::allocations().live, live);
    EXPECT_EQ(foldline::sum<double>(view, waiting), 100'000) << "the next call works";
    call(view, out.data());
  }
}

}  // namespace
