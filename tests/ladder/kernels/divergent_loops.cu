// Steps of Collatz: lanes leave their loop at different times.
__global__ void collatz(const int* start, int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  for (long long x = start[i] + 1; x != 1; x = x % 2 ? 3 * x + 1 : x / 2) count++;
  steps[i] = count;
}
