// Your own dot product. What stays is the function solve() with these parameters; all else is yours: kernels,
// blocks, shared memory, as many launches as you like. `foldline ladder try dot` and the name of this file
// compile it for the simulator, look for mistakes (races, barriers, bounds, unwritten memory), compare its
// results at awkward sizes, count what it does, and show it among the rungs of the ladder.

/// Right, and slow: one thread adds all products.
template <class T>
__global__ void add_products(const T* x, const T* y, int n, T* result) {
  T sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  *result = sum;
}

/// x, y: n numbers each. result: one number, without a value yet. All are in the GPU's memory. n can be
/// anything from 0 on; a launch of 0 blocks is an error. T is float or double; a solve() for one of them
/// alone is tried with that one.
template <class T>
void solve(const T* x, const T* y, int n, T* result) {
  add_products<<<1, 1>>>(x, y, n, result);
}
