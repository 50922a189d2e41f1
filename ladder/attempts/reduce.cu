// Your own sum of ints. What stays is the function solve() with these parameters; all else is yours: kernels,
// blocks, shared memory, as many launches as you like. `foldline ladder try reduce` and the name of this file
// compile it for the simulator, look for mistakes (races, barriers, bounds, unwritten memory), compare its
// results at awkward sizes, count what it does, and show it among the rungs of the ladder.

/// Right, and slow: one thread adds all.
__global__ void add_all(const int* x, int n, int* sum) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += x[i];
  *sum = total;
}

/// x: n ints from 0 to 255, which you may overwrite. sum: one int, without a value yet. Both are in the GPU's
/// memory. n can be anything from 0 on; a launch of 0 blocks is an error.
void solve(int* x, int n, int* sum) { add_all<<<1, 1>>>(x, n, sum); }
