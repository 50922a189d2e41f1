// Keeps what is above a limit: places by ballots, warps' places by atomics.
__global__ void compact(const float* in, float* out, int* count, int n, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float value = i < n ? in[i] : 0;
  bool keep = i < n && value > limit;
  unsigned kept = __ballot_sync(0xffffffff, keep);
  int base = 0;
  if (lane == 0 && kept != 0) base = atomicAdd(count, __popc(kept));
  base = __shfl_sync(0xffffffff, base, 0);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = value;
}
