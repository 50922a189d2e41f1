// Contiguous doubles.
#include "cuda/exact/double_terms.cuh"
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

namespace {

/// Up to this many squares use DoubleSquares. Its wider window (39 binades of x, not 22) leaves ordinary data
/// without misfits, which cost more than its extra operations when there are few elements.
constexpr std::int64_t few_squares = std::int64_t{1} << 20;

bool is_of_few_squares(const Reduction& reduction) {
  const Needs& needs = reduction.needs;
  return needs.squares && !needs.values && !needs.extrema && reduction.x.size() <= few_squares;
}

}  // namespace

template <>
std::int64_t launch_contiguous_as<ElementType::float64>(const Reduction& reduction, const Launch& launch) {
  if (is_of_few_squares(reduction)) {
    // For very few elements a thread takes a single vec16, so that more multiprocessors share the work.
    using Squares = KernelSums<NoSum, NoSum, WindowedSum<DoubleSquares>, false>;
    const std::int64_t count = reduction.x.size();
    const auto vec16s = contiguous<double, 1, false>(reduction, count);
    if (vec16s.tiles <= launch.multiprocessors)
      ReduceKernels::start<Squares>(vec16s, launch);
    else
      ReduceKernels::start<Squares>(contiguous<double, 4, false>(reduction, count), launch);
    return count;
  }
  using DoubleKernels =
      Kernels<ReduceKernels, WindowedSum<DoubleTerms<First>>, WindowedSum<DoubleTerms<FirstMagnitude>>,
              WindowedSum<DoubleProductsApart<true>>, WindowedSum<DoubleTerms<Second>>,
              WindowedSum<DoubleProductsApart<false>>>;
  return launch_contiguous<double, 4, 2, DoubleKernels>(reduction, launch);
}

}  // namespace foldline::cuda
