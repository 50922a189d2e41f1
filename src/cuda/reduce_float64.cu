// Contiguous doubles.
#include "cuda/launch_reduce.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_contiguous_as<ElementType::float64>(const Reduction& reduction, const Launch& launch) {
  using DoubleKernels =
      Kernels<FittedSum<DoubleTerms<First>>, FittedSum<DoubleTerms<FirstMagnitude>>, FittedSum<DoubleSquares>,
              FittedSum<DoubleTerms<Second>>, FittedSum<DoubleProducts>>;
  return launch_contiguous<double, 4, 2, DoubleKernels>(reduction, launch);
}

}  // namespace foldline::cuda
