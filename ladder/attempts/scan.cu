// Your own prefix sums. What stays is the function solve() with these parameters; all else is yours: kernels,
// blocks, shared memory, as many launches as you like. `foldline ladder try scan` and the name of this file
// compile it for the simulator, look for mistakes (races, barriers, bounds, unwritten memory), compare its
// results at awkward sizes, count what it does, and show it among the rungs of the ladder.

/// Right, and slow: one thread goes through all.
__global__ void scan_all(const int* x, int n, int* sums) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sums[i] = sum += x[i];
}

/// x: n ints from -9 to 9. sums[i] shall be x[0] + ... + x[i]; it has no value yet. Both are in the GPU's
/// memory. n can be anything from 0 on; a launch of 0 blocks is an error.
void solve(const int* x, int n, int* sums) { scan_all<<<1, 1>>>(x, n, sums); }
