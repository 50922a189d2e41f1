#include "plain.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace foldline::bench {
namespace {

// GCC and Clang's vector extension: 64 bytes are one AVX-512 register, two of AVX2, four of NEON.
template <class T>
struct Vector {
  using type [[gnu::vector_size(64)]] = T;
};
template <class T>
using Lanes = typename Vector<T>::type;
template <class T>
constexpr std::int64_t lanes = 64 / sizeof(T);

// A sum in one accumulator waits for the latency of the addition; eight hide it.
constexpr int accumulators = 8;

template <class T>
Lanes<T> load(const T* address) {
  Lanes<T> vector;
  std::memcpy(&vector, address, sizeof vector);
  return vector;
}

Lanes<std::uint32_t> load_16_bits(const void* address) {
  using Words [[gnu::vector_size(32)]] = std::uint16_t;
  Words words;
  std::memcpy(&words, address, sizeof words);
  return __builtin_convertvector(words, Lanes<std::uint32_t>);
}

Lanes<float> load(const bfloat16* address) { return Lanes<float>(load_16_bits(address) << 16); }

Lanes<float> load(const half* address) {
  // The exponent's bias is changed by a multiplication, exact for every finite value (an infinity reads as
  // 65536).
  const Lanes<std::uint32_t> words = load_16_bits(address);
  return Lanes<float>((words & 0x8000u) << 16 | (words & 0x7fffu) << 13) * 0x1p112f;
}

template <class Value, class Step, class Rest>
Value accumulate(std::int64_t size, Step step, Rest rest) {
  constexpr std::int64_t width = lanes<Value>;
  std::array<Lanes<Value>, accumulators> partial = {};
  std::int64_t i = 0;
  for (; i + accumulators * width <= size; i += accumulators * width) {
#pragma GCC unroll 8
    for (int k = 0; k < accumulators; ++k) step(partial[static_cast<std::size_t>(k)], i + k * width);
  }
  for (; i + width <= size; i += width) step(partial[0], i);
  if (size >= accumulators * width)
    for (std::size_t k = 1; k < accumulators; ++k) partial[0] += partial[k];
  std::array<Value, width> lane;
  std::memcpy(lane.data(), partial.data(), sizeof lane);
  for (std::size_t half_width = width / 2; half_width > 0; half_width /= 2)
    for (std::size_t k = 0; k < half_width; ++k) lane[k] += lane[k + half_width];
  Value total = lane[0];
  for (; i < size; ++i) rest(total, i);
  return total;
}

template <FloatingElement T>
Widened<T> sum_of(const T* x, std::int64_t size) {
  return accumulate<Widened<T>>(
      size, [=](auto& partial, std::int64_t i) { partial += load(x + i); },
      [=](auto& total, std::int64_t i) { total += static_cast<Widened<T>>(x[i]); });
}

template <FloatingElement T>
T dot_of(const T* x, const T* y, std::int64_t size) {
  return accumulate<T>(
      size, [=](auto& partial, std::int64_t i) { partial += load(x + i) * load(y + i); },
      [=](auto& total, std::int64_t i) { total += x[i] * y[i]; });
}

std::uint64_t read_of(const std::byte* data, std::int64_t bytes) {
  const auto word = [=](std::int64_t i) {
    std::uint64_t value;
    std::memcpy(&value, data + 8 * i, 8);
    return value;
  };
  return accumulate<std::uint64_t>(
      bytes / 8,
      [=](auto& partial, std::int64_t i) {
        Lanes<std::uint64_t> vector;
        std::memcpy(&vector, data + 8 * i, sizeof vector);
        partial ^= vector;
      },
      [=](auto& total, std::int64_t i) { total ^= word(i); });
}

/// Adds up part(first, count) over contiguous parts, one for each thread.
template <class Value, class Part>
Value over_threads(std::int64_t size, int threads, Part part) {
  if (threads == 1 || size < worth_sharing) return part(std::int64_t{0}, size);
  Value total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
  {
    const std::int64_t team = omp_get_num_threads(), rank = omp_get_thread_num();
    const std::int64_t chunk = (size / team + 63) / 64 * 64;  // parts begin at whole cache lines
    const std::int64_t first = std::min(size, rank * chunk);
    total += part(first, rank + 1 == team ? size - first : std::min(chunk, size - first));
  }
  return total;
}

}  // namespace

template <FloatingElement T>
Widened<T> plain_sum(const Problem<T>& problem) {
  return over_threads<Widened<T>>(problem.size, problem.threads, [&](std::int64_t first, std::int64_t count) {
    return sum_of(problem.x_data + first, count);
  });
}

template <FloatingElement T>
T plain_dot(const Problem<T>& problem) {
  return over_threads<T>(problem.size, problem.threads, [&](std::int64_t first, std::int64_t count) {
    return dot_of(problem.x_data + first, problem.y_data + first, count);
  });
}

template <FloatingElement T>
double plain_read(const Problem<T>& problem, int vectors) {
  std::uint64_t bits = 0;
  for (const T* const data : {problem.x_data, vectors == 2 ? problem.y_data : nullptr}) {
    if (data == nullptr) continue;
    bits ^= over_threads<std::uint64_t>(problem.size, problem.threads,
                                        [&](std::int64_t first, std::int64_t count) {
                                          return read_of(reinterpret_cast<const std::byte*>(data + first),
                                                         count * static_cast<std::int64_t>(sizeof(T)));
                                        });
  }
  return static_cast<double>(bits);
}

template double plain_sum(const Problem<double>&);
template float plain_sum(const Problem<float>&);
template float plain_sum(const Problem<half>&);
template float plain_sum(const Problem<bfloat16>&);
template double plain_dot(const Problem<double>&);
template float plain_dot(const Problem<float>&);
template double plain_read(const Problem<double>&, int);
template double plain_read(const Problem<float>&, int);
template double plain_read(const Problem<half>&, int);
template double plain_read(const Problem<bfloat16>&, int);

}  // namespace foldline::bench
