#include "arrays.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace foldline::bench {
namespace {

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014) at one
/// position of its sequence.
std::uint64_t random_bits(std::uint64_t seed, std::int64_t position) {
  std::uint64_t z = (seed << 40) + (static_cast<std::uint64_t>(position) + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <FloatingElement T>
struct Format;  // bits of the whole and of the fraction, the unsigned integer of that width
template <>
struct Format<double> {
  using Word = std::uint64_t;
  static constexpr int fraction = 52;
};
template <>
struct Format<float> {
  using Word = std::uint32_t;
  static constexpr int fraction = 23;
};
template <>
struct Format<half> {
  using Word = std::uint16_t;
  static constexpr int fraction = 10;
};
template <>
struct Format<bfloat16> {
  using Word = std::uint16_t;
  static constexpr int fraction = 7;
};

template <FloatingElement T>
T from_fields(std::uint64_t sign, std::uint64_t exponent, std::uint64_t fraction) {
  using Word = typename Format<T>::Word;
  constexpr int width = 8 * sizeof(Word);
  fraction &= (std::uint64_t{1} << Format<T>::fraction) - 1;
  return std::bit_cast<T>(
      static_cast<Word>((sign << (width - 1)) | (exponent << Format<T>::fraction) | fraction));
}

template <FloatingElement T>
constexpr std::uint64_t infinite_exponent =
    (std::uint64_t{1} << (8 * sizeof(T) - 1 - Format<T>::fraction)) - 1;

/// In [0, 1), a multiple of the distance of neighbours just below 1, so exact in T.
template <FloatingElement T>
T uniform(std::uint64_t bits) {
  constexpr int digits = Format<T>::fraction + 1;
  constexpr double unit = 1 / static_cast<double>(std::uint64_t{1} << digits);
  return narrow_exactly<T>(static_cast<double>(bits >> (64 - digits)) * unit);
}

template <FloatingElement T>
T wide(std::uint64_t bits) {
  const std::uint64_t exponent = (bits >> 52 & 0x7ff) * infinite_exponent<T> >> 11;
  return from_fields<T>(bits >> 63, exponent, bits);
}

/// Box and Muller's transform gives two at a time, so every kind is made in pairs.
template <FloatingElement T>
std::pair<T, T> normal(std::uint64_t first, std::uint64_t second) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform<double>(first)));
  const double angle = 2 * std::numbers::pi * uniform<double>(second);
  const auto narrow = [](double value) {
    if constexpr (sizeof(T) == 2)
      return T(static_cast<float>(value));
    else
      return static_cast<T>(value);
  };
  return {narrow(radius * std::cos(angle)), narrow(radius * std::sin(angle))};
}

template <Element T, class Make>
void fill(T* x, std::int64_t size, std::uint64_t seed, Make make) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; i += 2) {
    const std::pair<T, T> pair = make(random_bits(seed, i), random_bits(seed, i + 1));
    x[i] = pair.first;
    if (i + 1 < size) x[i + 1] = pair.second;
  }
}

template <FloatingElement T, class Make>
void fill_singly(T* x, std::int64_t size, std::uint64_t seed, Make make) {
  fill(x, size, seed, [&](std::uint64_t a, std::uint64_t b) { return std::pair<T, T>(make(a), make(b)); });
}

/// 1, and then in turn half its last place, +- the smallest number, and the negatives of both.
template <FloatingElement T>
void fill_with_ties(T* x, std::int64_t size, std::uint64_t seed) {
  const double half_place = std::ldexp(1.0, -Format<T>::fraction - 1);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t group = (i - 1) / 4, place = (i - 1) % 4;
    const std::uint64_t sign = (random_bits(seed, group) & 1) ^ (place == 3 ? 1u : 0u);
    x[i] = place % 2 != 0 ? from_fields<T>(sign, 0, 1)
                          : narrow_exactly<T>(place == 0 ? half_place : -half_place);
  }
  if (size > 0) x[0] = narrow_exactly<T>(1.0);
}

template <FloatingElement T>
void fill_floats(T* x, std::int64_t size, std::string_view kind, std::uint64_t seed) {
  using Bits = std::uint64_t;
  if (kind == "uniform") {
    fill_singly(x, size, seed, uniform<T>);
  } else if (kind == "normal") {
    fill(x, size, seed, normal<T>);
  } else if (kind == "wide") {
    fill_singly(x, size, seed, wide<T>);
  } else if (kind == "sparse") {
    fill_singly(x, size, seed, [](Bits bits) { return bits % 100 == 0 ? uniform<T>(bits) : T{}; });
  } else if (kind == "subnormal") {
    fill_singly(x, size, seed, [](Bits bits) { return from_fields<T>(bits >> 63, 0, bits); });
  } else if (kind == "infinite") {
    fill_singly(x, size, seed, [](Bits bits) {
      return bits % 1024 == 0 ? from_fields<T>(0, infinite_exponent<T>, 0) : uniform<T>(bits);
    });
  } else if (kind == "outliers") {
    fill_singly(x, size, seed, [](Bits bits) { return bits % 100 == 0 ? wide<T>(bits) : uniform<T>(bits); });
  } else if (kind == "ties") {
    fill_with_ties(x, size, seed);
  } else {
    throw std::invalid_argument(fmt::format("no data of the kind '{}'", kind));
  }
}

/// Integers whose prefix sums fit T (arrays.hpp).
template <IntegerElement T>
void fill_integers(T* x, std::int64_t size, std::string_view kind, std::uint64_t seed) {
  const int size_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size) - 1));
  const int bits = std::clamp(static_cast<int>(8 * sizeof(T)) - 1 - size_bits, 1, sizeof(T) == 8 ? 36 : 5);
  constexpr double deviation = sizeof(T) == 8 ? 0x1p30 : 0x1p10;
  if (kind == "uniform") {
    const auto make = [=](std::uint64_t random) { return static_cast<T>(random >> (64 - bits)); };
    fill(x, size, seed, [&](std::uint64_t a, std::uint64_t b) { return std::pair<T, T>(make(a), make(b)); });
  } else if (kind == "normal") {
    fill(x, size, seed, [](std::uint64_t a, std::uint64_t b) {
      const auto [first, second] = normal<double>(a, b);
      return std::pair<T, T>(static_cast<T>(first * deviation), static_cast<T>(second * deviation));
    });
  } else {
    throw std::invalid_argument(fmt::format("no integers of the kind '{}'; use uniform or normal", kind));
  }
}

/// Memory in pages of 2 MiB if the system has them, as NumPy requests it: with pages of 4 KiB one thread
/// reads a tenth more slowly. Null if there is none. (It does not begin at such a page: two vectors a power
/// of two apart would map to the same cache sets.)
void* memory_of(std::uint64_t bytes, std::uint64_t page) {
  void* const memory = std::aligned_alloc(64, std::max<std::uint64_t>(64, (bytes + 63) / 64 * 64));
#ifdef MADV_HUGEPAGE
  const auto first = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (memory != nullptr && first < end)  // a refusal is no error
    static_cast<void>(::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
#endif
  return memory;
}

template <Element T>
Array<T> allocate(std::int64_t size) {
  const auto bytes = static_cast<std::uint64_t>(size) * sizeof(T);
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (bytes > pages * page / 3)
    throw std::invalid_argument(fmt::format(
        "an array of {} {} takes more than a third of this machine's memory; choose smaller --sizes", size,
        name_of(element_type_of<T>)));
  void* const memory = memory_of(bytes, page);
  if (memory == nullptr) throw std::bad_alloc();
  return Array<T>(static_cast<T*>(memory));
}

}  // namespace

void Free::operator()(void* memory) const { std::free(memory); }

const std::vector<std::string>& data_kinds() {
  static const std::vector<std::string> kinds = {"uniform",   "normal",   "wide",     "sparse",
                                                 "subnormal", "infinite", "outliers", "ties"};
  return kinds;
}

template <Element T>
Array<T> make_array(std::int64_t size, std::string_view kind, std::uint64_t seed) {
  Array<T> array = allocate<T>(size);
  if constexpr (IntegerElement<T>)
    fill_integers(array.get(), size, kind, seed);
  else
    fill_floats(array.get(), size, kind, seed);
  return array;
}

template Array<double> make_array(std::int64_t, std::string_view, std::uint64_t);
template Array<float> make_array(std::int64_t, std::string_view, std::uint64_t);
template Array<half> make_array(std::int64_t, std::string_view, std::uint64_t);
template Array<bfloat16> make_array(std::int64_t, std::string_view, std::uint64_t);
template Array<std::int32_t> make_array(std::int64_t, std::string_view, std::uint64_t);
template Array<std::int64_t> make_array(std::int64_t, std::string_view, std::uint64_t);

}  // namespace foldline::bench
