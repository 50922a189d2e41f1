// The shared arithmetic in a GPU thread: the same source, run on the host and in a kernel, must give the same
// bits. (That the host's are right is what every other test is about.) Without a GPU this file is compiled
// only. Prints a JSON record; exit 1 on a mismatch.
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/one_lane.hpp"
#include "arithmetic/rounding.hpp"
#include "arithmetic/windows.hpp"

namespace {

using namespace foldline;

constexpr int length = 64;  // elements of a vector
constexpr int results = 5;  // sum as double and float, mean, norm, and 1 if the bins held the vector

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (false)

/// Adds x by three levels of bins; false if it does not fit them.
FOLDLINE_HOST_DEVICE bool add_by_bins(const double* x, ExactSum<SumLimbs>& sum) {
  constexpr int levels = 3;
  int highest = 0;
  for (int i = 0; i < length; ++i) {
    const int field = static_cast<int>(bits_of(x[i]) >> fraction_bits) & infinite_field;
    highest = field > highest ? field : highest;
  }
  BinWindow window;
  window.top = highest - exponent_bias + 1;
  if (window.top > BinWindow::highest_top) return false;
  if (window.top < BinWindow::lowest_top) window.top = BinWindow::lowest_top;
  std::int64_t count[levels] = {};
  std::uint64_t range = 0;
  std::uint64_t residual = 0;
  for (int i = 0; i < length; i += deposits_per_block) {
    double bin[levels];
    for (int k = 0; k < levels; ++k) bin[k] = window.anchor(k);
    for (int j = i; j < i + deposits_per_block; ++j)
      one_lane::Deposit<0, levels, 0>(x[j], bin, window.anchor(0), 1.0, range, residual);
    for (int k = 0; k < levels; ++k)
      count[k] += static_cast<std::int64_t>(bits_of(bin[k]) - bits_of(window.anchor(k)));
  }
  if ((range >> fraction_bits) != 0 || (residual << 1) != 0) return false;
  for (int k = 0; k < levels; ++k) sum.add(count[k], window.unit(k));
  return true;
}

FOLDLINE_HOST_DEVICE void compute(const double* x, double* result) {
  const FloatFormat to_double = format_of_double;
  const FloatFormat to_float = format_of_float;
  ExactSum<SumLimbs> sum;
  const bool fits = add_by_bins(x, sum);
  if (!fits)
    for (int i = 0; i < length; ++i) sum.limbs().add(x[i]);
  ExactSum<ProductLimbs> squares;
  for (int i = 0; i < length; ++i) {
    const Decomposed parts = decompose(x[i]);
    squares.limbs().add(false, static_cast<Uint128>(parts.significand) * parts.significand,
                        2 * parts.exponent);
  }
  Natural<160> magnitude;
  const auto total = sum.magnitude(magnitude);
  const bool zero = magnitude.is_zero();
  result[0] = zero ? 0.0 : round(total.negative, leading_bits(magnitude, total.exponent), to_double);
  result[1] = zero ? 0.0 : round(total.negative, leading_bits(magnitude, total.exponent), to_float);
  result[2] =
      zero ? 0.0 : round(total.negative, leading_quotient(magnitude, total.exponent, length, 1), to_double);
  const auto square = squares.magnitude(magnitude);
  result[3] = magnitude.is_zero() ? 0.0 : round(false, leading_root(magnitude, square.exponent), to_double);
  result[4] = fits ? 1.0 : 0.0;
}

__global__ void compute_all(const double* x, double* result, int vectors) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < vectors)
    compute(x + static_cast<std::size_t>(i) * length, result + static_cast<std::size_t>(i) * results);
}

/// Finite vectors of six kinds: uniform, normal, every exponent, subnormal, cancelling, near the largest.
std::vector<double> make_vectors(int vectors) {
  std::mt19937_64 random(20261121);
  std::normal_distribution<double> normal;
  std::vector<double> x(static_cast<std::size_t>(vectors) * length);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t bits = random();
    const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
    switch (i / length % 6) {
      case 0:
        x[i] = unit;
        break;
      case 1:
        x[i] = normal(random);
        break;
      case 2:
        x[i] = from_bits((bits & infinity_bits) == infinity_bits ? bits ^ std::uint64_t{1} << 62 : bits);
        break;
      case 3:
        x[i] = from_bits(bits & (sign_bit | 0xfffffffffffff));
        break;
      case 4:
        x[i] = i % 2 == 0 ? unit * 0x1p60 : -x[i - 1] * (1 + 0x1p-50);
        break;
      default:
        x[i] = (unit - 0.5) * 0x1.fp1023;
        break;
    }
  }
  return x;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no CUDA device: compiled, not run");
    return 0;
  }
  constexpr int vectors = 6 * 20000;
  const std::vector<double> x = make_vectors(vectors);
  std::vector<double> expected(static_cast<std::size_t>(vectors) * results);
  std::vector<double> found(expected.size());
  for (std::size_t i = 0; i < vectors; ++i) compute(x.data() + i * length, expected.data() + i * results);

  double* device_x = nullptr;
  double* device_result = nullptr;
  CHECK(cudaMalloc(&device_x, x.size() * sizeof(double)));
  CHECK(cudaMalloc(&device_result, found.size() * sizeof(double)));
  CHECK(cudaMemcpy(device_x, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(device_result, 0xff, found.size() * sizeof(double)));  // NaN: what is not written shows
  compute_all<<<(vectors + 127) / 128, 128>>>(device_x, device_result, vectors);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(found.data(), device_result, found.size() * sizeof(double), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device_x));
  CHECK(cudaFree(device_result));

  int mismatches = 0;
  int held = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    held += i % results == 4 && expected[i] == 1.0 ? 1 : 0;
    if (std::memcmp(&found[i], &expected[i], sizeof(double)) == 0) continue;
    if (++mismatches <= 5)
      std::fprintf(stderr, "vector %zu, result %zu: host %a, device %a\n", i / results, i % results,
                   expected[i], found[i]);
  }
  cudaDeviceProp properties;
  int driver = 0;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  CHECK(cudaDriverGetVersion(&driver));
  std::printf(
      "{\"test\": \"arithmetic\", \"gpu\": \"%s\", \"compute_capability\": \"%d.%d\", \"cuda_driver\": %d, "
      "\"cuda_runtime\": %d, "
      "\"vectors\": %d, \"held_by_bins\": %d, \"results\": %zu, \"mismatches\": %d}\n",
      properties.name, properties.major, properties.minor, driver, CUDART_VERSION, vectors, held,
      found.size(), mismatches);
  return mismatches == 0 ? 0 : 1;
}
