// Where there is no GPU, programs that have ranks on GPUs are linked and get an error.
#include <gtest/gtest.h>

#include <cstdint>

#include "foldline/device.hpp"
#include "foldline/error.hpp"
#include "foldline/nccl/communicator.hpp"

namespace {

using foldline::nccl::Communicator;

/// Every call, so that a build without CUDA has them all.
[[maybe_unused]] void call_everything(Communicator& rank, foldline::Accumulator& accumulator, void* memory) {
  const foldline::VectorView x(static_cast<const double*>(memory), 1);
  const foldline::MutableVectorView out(static_cast<double*>(memory), 1);
  rank.register_memory(memory, 1);
  rank.all_reduce(static_cast<const float*>(memory), static_cast<float*>(memory), 1, nullptr);
  rank.reduce_scatter(static_cast<const float*>(memory), static_cast<float*>(memory), 1, nullptr);
  rank.sum(x, static_cast<double*>(memory), nullptr);
  rank.dot(x, x, static_cast<double*>(memory), nullptr);
  rank.statistics(x, static_cast<foldline::Statistics<double, double, double>*>(memory), {}, nullptr);
  rank.all_reduce(accumulator, nullptr);
  rank.column_sums(foldline::MatrixView(static_cast<const double*>(memory), 1, 1), out, nullptr);
  rank.inclusive_scan(x, out, nullptr);
  rank.exclusive_scan(x, out, foldline::Scalar(0.0), nullptr);
  rank.check();
}

TEST(Communicator, NeedsAGpu) {
  const volatile auto kept = reinterpret_cast<std::uintptr_t>(&call_everything);  // linked, not called
  EXPECT_NE(kept, 0U);
  if (!foldline::gpus().empty()) GTEST_SKIP() << "there is a GPU";
  const int first[] = {0};
  EXPECT_THROW((void)Communicator::of_devices(first), foldline::Error);
}

}  // namespace
