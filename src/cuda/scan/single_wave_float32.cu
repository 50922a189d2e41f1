// Single-wave scans of floats.
#include "cuda/scan/single_wave_exact.cuh"
#include "cuda/scan/single_wave_fast.cuh"

namespace foldline::cuda {

template <>
void launch_single_wave_as<ElementType::float32>(const Scan& scan, const PipelineLaunch& launch) {
  if (is_fast(launch))
    launch_single_wave<SingleWaveFast<float>>(scan, launch);
  else
    launch_single_wave_exact<float>(scan, launch);
}

}  // namespace foldline::cuda
