// What the tests of scans on a GPU share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu_test.hpp"
#include "scan_cases.hpp"

namespace cuda_test {

class CudaScan : public GpuTest {};

/// How a vector is scanned.
struct Layouts {
  std::int64_t stride = 1, misalignment = 0, out_stride = 1, out_misalignment = 0;
};

/// The bits of a scan's results, or what was wrong with it, as text.
struct Outcome {
  std::vector<std::uint64_t> results;
  std::string error;
};

inline Outcome scan(const cases::Layout& x, cases::ElementType result, bool exclusive,
                    const foldline::Scalar& init, const Layouts& layouts, const foldline::Context& context) {
  cases::OutputLayout out(x.view().size(), result, layouts.out_stride, layouts.out_misalignment);
  const foldline::MutableVectorView target = out.view(context.execution.device);
  Outcome outcome;
  try {
    if (exclusive)
      foldline::exclusive_scan(x.view(context.execution.device), target, init, context);
    else
      foldline::inclusive_scan(x.view(context.execution.device), target, context);
  } catch (const foldline::OverflowError& error) {
    outcome.error = error.what();
    return outcome;
  }
  out.fetch();
  EXPECT_TRUE(out.padding_is_untouched());
  outcome.results = out.results();
  return outcome;
}

/// Compares the GPU's results with the CPU's, of a scan of either kind.
inline void compare(const cases::Layout& x, cases::ElementType result, const Layouts& layouts = {},
                    foldline::Overflow overflow = foldline::Overflow::error, double floating_init = 0.25) {
  const foldline::Scalar init =
      is_floating(result) ? foldline::Scalar(floating_init) : foldline::Scalar(std::int64_t{3});
  for (const bool exclusive : {false, true}) {
    const foldline::Context cpu{.overflow = overflow, .execution = {.threads = 1}};
    const foldline::Context gpu{.overflow = overflow, .execution = {.device = foldline::Device::cuda()}};
    const Outcome expected = scan(x, result, exclusive, init, layouts, cpu);
    const Outcome actual = scan(x, result, exclusive, init, layouts, gpu);
    ASSERT_EQ(actual.error, expected.error);
    ASSERT_EQ(cases::difference(actual.results, expected.results), "")
        << name_of(x.view().type()) << " to " << name_of(result) << (exclusive ? " exclusive" : " inclusive")
        << " size " << x.view().size();
  }
}

}  // namespace cuda_test
