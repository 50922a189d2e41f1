#include "inputs.hpp"

#include <algorithm>

namespace inputs {

std::uint64_t Random::bits() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

int Random::between(int first, int last) {
  return first + static_cast<int>(bits() % static_cast<std::uint64_t>(last - first + 1));
}

std::uint64_t Random::word() {
  const int shift = between(0, 63);
  switch (between(0, 5)) {
    case 0:
      return ~std::uint64_t{0} >> shift;
    case 1:
      return std::uint64_t{1} << shift;
    case 2:
      return (std::uint64_t{1} << shift) + 1;
    case 3:
      return (std::uint64_t{1} << shift) - 1;
    default:
      return bits() >> shift;
  }
}

foldline::Uint128 Random::wide_word() {
  const foldline::Uint128 high = word();
  return (high << 64 | word()) >> between(0, 64);
}

double Random::finite(int first, int last) {
  constexpr std::uint64_t all = (std::uint64_t{1} << 52) - 1;
  std::uint64_t fraction = bits() & all;
  switch (between(0, 7)) {
    case 0:
      fraction = 0;
      break;
    case 1:
      fraction = all;
      break;
    case 2:
      fraction = 1;
      break;
    default:
      break;
  }
  const std::uint64_t sign = coin() ? foldline::sign_bit : 0;
  return foldline::from_bits(sign | static_cast<std::uint64_t>(between(first, last)) << 52 | fraction);
}

std::vector<double> vector(Random& random, int kind, int size) {
  std::vector<double> x;
  const int field = random.between(2, foldline::infinite_field - 2);
  while (static_cast<int>(x.size()) < size) {
    switch (kind) {
      case 0:
        x.push_back(random.finite());
        break;
      case 1:
        x.push_back(random.finite(0, 1));
        break;
      case 2:
        x.push_back(random.coin() ? 0x1.fffffffffffffp1023 : 0x1.ffffffffffffep1023);
        break;
      case 3: {
        const double term = random.finite(field - 1, field + 1);
        x.push_back(term);
        x.push_back(foldline::from_bits((foldline::bits_of(term) ^ foldline::sign_bit) + random.bits() % 2));
        break;
      }
      default:
        x.push_back(random.finite(0, 3));
        if (x.size() == 1) x.push_back(random.finite(foldline::infinite_field - 1));
        break;
    }
  }
  x.resize(static_cast<std::size_t>(size));
  for (std::size_t i = x.size(); i > 1; --i)
    std::swap(x[i - 1], x[static_cast<std::size_t>(random.between(0, static_cast<int>(i) - 1))]);
  return x;
}

}  // namespace inputs
