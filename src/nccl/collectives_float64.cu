#include "nccl/peer_launch.cuh"

namespace foldline::nccl {

template void launch_over_peers<double>(PeerTask, int, bool, cudaStream_t);
template void launch_sum<double>(const SumTask&, cudaStream_t);
template void load_kernels<double>();

}  // namespace foldline::nccl
