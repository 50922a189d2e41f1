#include "nccl/peer_launch.cuh"

namespace foldline::nccl {

template void launch_over_peers<bfloat16>(PeerTask, int, bool, cudaStream_t);
template void launch_sum<bfloat16>(const SumTask&, cudaStream_t);
template void load_kernels<bfloat16>();

}  // namespace foldline::nccl
