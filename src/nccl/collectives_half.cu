#include "nccl/peer_kernel.cuh"
#include "nccl/sum_kernel.cuh"

namespace foldline::nccl {

template void launch_over_peers<half>(PeerTask, int, cudaStream_t);
template void launch_sum<half>(const SumTask&, cudaStream_t);
template void load_kernels<half>();

}  // namespace foldline::nccl
