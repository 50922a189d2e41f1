// Your own integral of 4 / (1 + x^2) from 0 to 1, which is pi. What stays is the function solve() with these
// parameters; all else is yours: kernels, blocks, shared memory, as many launches as you like. `foldline
// ladder try quadrature` and the name of this file compile it for the simulator, look for mistakes (races,
// barriers, bounds, unwritten memory), compare its results at awkward sizes, count what it does, and show it
// among the rungs of the ladder.

/// Right, and slow: one thread takes all samples.
template <class T>
__global__ void add_samples(int n, T* sum) {
  T total = 0;
  for (int i = 0; i < n; ++i) {
    const T x = (i + T(0.5)) / n;  // the middle of interval i
    total += 4 / (1 + x * x);
  }
  *sum = total;
}

/// sum: the function in the middles of n intervals, added up; who calls divides by n. It is one number in the
/// GPU's memory, without a value yet. n can be anything from 1 on. T is float or double; a solve() for one of
/// them alone is tried with that one.
template <class T>
void solve(int n, T* sum) {
  add_samples<<<1, 1>>>(n, sum);
}
