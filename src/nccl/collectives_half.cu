#include "nccl/peer_launch.cuh"

namespace foldline::nccl {

template void launch_over_peers<half>(PeerTask, int, bool, cudaStream_t);
template void launch_sum<half>(const SumTask&, cudaStream_t);
template void load_kernels<half>();

}  // namespace foldline::nccl
