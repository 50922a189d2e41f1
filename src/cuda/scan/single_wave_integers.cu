// Single-wave scans of integers.
#include "cuda/scan/single_wave_integers.cuh"

namespace foldline::cuda {

template <>
void launch_single_wave_as<ElementType::int32>(const Scan& scan, const PipelineLaunch& launch) {
  launch_single_wave<SingleWaveIntegers<std::int32_t>>(scan, launch);
}
template <>
void launch_single_wave_as<ElementType::uint32>(const Scan& scan, const PipelineLaunch& launch) {
  launch_single_wave<SingleWaveIntegers<std::uint32_t>>(scan, launch);
}
template <>
void launch_single_wave_as<ElementType::int64>(const Scan& scan, const PipelineLaunch& launch) {
  launch_single_wave<SingleWaveIntegers<std::int64_t>>(scan, launch);
}
template <>
void launch_single_wave_as<ElementType::uint64>(const Scan& scan, const PipelineLaunch& launch) {
  launch_single_wave<SingleWaveIntegers<std::uint64_t>>(scan, launch);
}

}  // namespace foldline::cuda
