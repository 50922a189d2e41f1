// Reductions of contiguous floats and 16-bit types, whose products are those of floats.
#pragma once

#include "cuda/exact/float_terms.cuh"
#include "cuda/reduce/launch_reduce.cuh"

namespace foldline::cuda {

using FloatKernels =
    Kernels<ReduceKernels, WindowedSum<FloatTerms<First>>, WindowedSum<FloatTerms<FirstMagnitude>>,
            WindowedSum<FloatProducts>, WindowedSum<FloatTerms<Second>>, WindowedSum<FloatProducts>>;

}  // namespace foldline::cuda
