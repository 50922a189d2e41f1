#include "nccl/peer_launch.cuh"

namespace foldline::nccl {

template void launch_over_peers<float>(PeerTask, int, bool, cudaStream_t);
template void launch_sum<float>(const SumTask&, cudaStream_t);
template void load_kernels<float>();

}  // namespace foldline::nccl
