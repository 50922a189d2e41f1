// Single-wave scans of doubles.
#include "cuda/scan/single_wave_exact.cuh"
#include "cuda/scan/single_wave_fast.cuh"

namespace foldline::cuda {

template <>
void launch_single_wave_as<ElementType::float64>(const Scan& scan, const PipelineLaunch& launch) {
  if (is_fast(launch))
    launch_single_wave<SingleWaveFast<double>>(scan, launch);
  else
    launch_single_wave_exact<double>(scan, launch);
}

}  // namespace foldline::cuda
