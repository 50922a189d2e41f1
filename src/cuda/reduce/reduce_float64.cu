// Contiguous doubles.
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

namespace {

/// Up to so many squares are added up in four levels for products and their errors: of normally distributed
/// numbers 2^17 often and 2^20 nearly always have some outside of the 22 binades of DoubleProductsApart, and
/// to add those afterwards takes longer (on an H200, when these took 19 operations, 2^18 6.9 us instead of
/// 4.9, 2^20 8.1 instead of 7.2).
/// That it takes more operations does not show with so few elements.
constexpr std::int64_t few_squares = std::int64_t{1} << 20;

bool is_of_few_squares(const Reduction& reduction) {
  const Needs& needs = reduction.needs;
  return needs.squares && !needs.values && !needs.extrema && reduction.x.size() <= few_squares;
}

}  // namespace

template <>
std::int64_t launch_contiguous_as<ElementType::float64>(const Reduction& reduction, const Launch& launch) {
  if (is_of_few_squares(reduction)) {
    // Of very few every thread takes one quad, so that more multiprocessors share the work: 2^16 on an H200
    // in 4.9 us instead of 5.7, while 2^18 took 6.7 instead of 6.1 (with 384 threads a block).
    using Squares = Gathered<NoSum, NoSum, FittedSum<DoubleSquares>, false>;
    const std::int64_t count = reduction.x.size();
    const auto quads = contiguous<double, 1, false>(reduction, count);
    if (quads.tiles <= launch.multiprocessors)
      start<Squares>(quads, launch);
    else
      start<Squares>(contiguous<double, 4, false>(reduction, count), launch);
    return count;
  }
  using DoubleKernels = Kernels<FittedSum<DoubleTerms<First>>, FittedSum<DoubleTerms<FirstMagnitude>>,
                                FittedSum<DoubleProductsApart<true>>, FittedSum<DoubleTerms<Second>>,
                                FittedSum<DoubleProductsApart<false>>>;
  return launch_contiguous<double, 4, 2, DoubleKernels>(reduction, launch);
}

}  // namespace foldline::cuda
