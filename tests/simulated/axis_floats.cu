// The kernels that add floating-point numbers of up to 32 bits along an axis.
#include "kernel_words.hpp"

#include <simt/simt.hpp>

#include "integer_words.hpp"

#include "cuda/axis/direct_launch.cuh"

namespace foldline::cuda {

void launch_direct_float32(const AxisTask& task, cudaStream_t stream) { launch_direct<float>(task, stream); }
void launch_direct_16_bits(const AxisTask& task, cudaStream_t stream) {
  if (task.type == ElementType::half)
    launch_direct<Half>(task, stream);
  else
    launch_direct<Bfloat16>(task, stream);
}

}  // namespace foldline::cuda
