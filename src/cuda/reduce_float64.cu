// Contiguous doubles.
#include "cuda/launch_reduce.cuh"

namespace foldline::cuda {

namespace {

/// Up to so many squares are added up as products: of normally distributed numbers 2^14 often and 2^17 nearly
/// always have some outside of the 19 binades of DoubleSquares, and to spill one takes 6 us on an H200. That
/// products take more operations does not show with so few elements.
constexpr std::int64_t few_squares = std::int64_t{1} << 20;

bool is_of_few_squares(const Reduction& reduction) {
  const Needs& needs = reduction.needs;
  return needs.squares && !needs.values && !needs.extrema && reduction.x.size() <= few_squares;
}

}  // namespace

template <>
std::int64_t launch_contiguous_as<ElementType::float64>(const Reduction& reduction, const Launch& launch) {
  if (is_of_few_squares(reduction)) {
    const std::int64_t count = reduction.x.size();
    start<Gathered<NoSum, NoSum, FittedSum<DoubleProducts>, false>>(
        contiguous<double, 4, false>(reduction, count), launch);
    return count;
  }
  using DoubleKernels =
      Kernels<FittedSum<DoubleTerms<First>>, FittedSum<DoubleTerms<FirstMagnitude>>, FittedSum<DoubleSquares>,
              FittedSum<DoubleTerms<Second>>, FittedSum<DoubleProducts>>;
  return launch_contiguous<double, 4, 2, DoubleKernels>(reduction, launch);
}

}  // namespace foldline::cuda
