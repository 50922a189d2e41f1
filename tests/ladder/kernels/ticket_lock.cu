// A lock whose turns are drawn.
__global__ void add_in_turn(int* next, volatile int* serving, double* total, int n) {
  if (threadIdx.x != 0) return;
  int turn = atomicAdd(next, 1);
  while (*serving != turn) {
  }
  __threadfence();
  total[0] += n;
  total[1] = total[0];
  __threadfence();
  *serving = turn + 1;
}
