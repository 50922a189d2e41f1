// Data whose exact result lies exactly halfway between two values of some result type, or one tiny bit off:
// where every sticky bit counts.
#include <algorithm>
#include <cmath>

#include "generators.hpp"

namespace generators {

namespace {

/// Odd, of exactly `bits` bits: with one bit more than a format's precision it is halfway between two values.
mpz_class odd_integer(int bits, Random& random) {
  const std::uint64_t leading = std::uint64_t{1} << (bits - 1);
  return mpz_class(static_cast<unsigned long>(leading | (random.bits() & (leading - 1)) | 1u));
}

int bits_in(const mpz_class& value) { return static_cast<int>(mpz_sizeinbase(value.get_mpz_t(), 2)); }

/// What the sum of a vector of `values` shall be: `integer` * 2^place, with the rest of the vector filled
/// with pairs that cancel and, two times of three, one element too small to matter but for the tie.
void build(std::vector<double>& x, Values& values, const mpz_class& integer, std::int64_t place,
           std::int64_t size, Random& random) {
  const auto& format = values.format();
  values.append_integer(x, random.coin() ? integer : mpz_class(-integer), place);
  if (!random.one_in(3) && place > format.min_place()) {
    const double tiny = values.power(random.between(format.min_place(), place - 1));
    x.push_back(random.coin() ? tiny : -tiny);
  }
  const bool wild = random.coin();
  while (static_cast<std::int64_t>(x.size()) + 2 <= size) {
    const double value = values.in_binade(wild ? values.any_exponent() : place + random.between(0, 8));
    x.push_back(value);
    x.push_back(-value);
  }
  if (static_cast<std::int64_t>(x.size()) < size) x.push_back(random.coin() ? 0.0 : -0.0);
  random.shuffle(x);
}

/// Half a unit in the last place of a random value of the result type: the place that a tie's lowest bit is
/// at.
struct Tie {
  int bits;            ///< of the odd integer
  std::int64_t place;  ///< its lowest bit counts 2^place
};

/// A tie of a random result type; `first` and `last` limit the place, `bits_limit` the bits.
Tie random_tie(std::int64_t first, std::int64_t last, int bits_limit, Random& random) {
  std::vector<Tie> choices;
  for (const ElementType type : oracle::all_types) {
    const oracle::Format result = oracle::format_of(type);
    const std::int64_t low = std::max<std::int64_t>(first, result.min_place());
    const std::int64_t high = std::min<std::int64_t>(last, result.max_exponent - result.precision - 1);
    if (result.precision + 1 <= bits_limit && low <= high)
      choices.push_back({result.precision + 1, random.between(low, high)});
    // Halfway between two subnormals, or between 0 and the smallest.
    const std::int64_t below = result.min_place() - 1;
    if (first <= below && below <= last)
      choices.push_back({static_cast<int>(random.between(1, std::min(result.precision, bits_limit))), below});
  }
  return choices.empty() ? Tie{1, first} : random.pick(choices);
}

/// `extra` bits are kept free at the top for a factor.
Tie random_tie_within(const oracle::Format& format, int extra, Random& random) {
  const int range = format.max_exponent - format.min_place() - extra - 1;
  const int bits = std::min(54, range);
  return random_tie(format.min_place(), format.max_exponent - extra - bits - 1, bits, random);
}

Data sum_tie(Values& values, std::int64_t size, Random& random) {
  const Tie tie = random_tie_within(values.format(), 0, random);
  Data data;
  build(data.x, values, odd_integer(tie.bits, random), tie.place, size, random);
  for (std::size_t i = 0; i < data.x.size(); ++i) data.y.push_back(values.in_binade(values.any_exponent()));
  return data;
}

/// The sum is size times a tie; equal weights make it a tie of the weighted mean too.
Data mean_tie(Values& values, std::int64_t size, Random& random) {
  const auto& format = values.format();
  size = std::max<std::int64_t>(size, 10);  // room for the integer and the tiny element
  const mpz_class n = static_cast<long>(size);
  const Tie tie = random_tie_within(format, bits_in(n), random);
  Data data;
  build(data.x, values, odd_integer(tie.bits, random) * n, tie.place, size, random);
  const double weight = values.power(values.normal_exponent());
  data.y.assign(data.x.size(), weight);
  return data;
}

/// (3u, 4u) has the norm 5u; and for a result narrower than the elements, one element may be the tie itself.
Data norm_tie(Values& values, std::int64_t size, Random& random) {
  const auto& format = values.format();
  Data data;
  if (random.coin()) {
    const Tie tie = random_tie_within(format, 0, random);
    const double value = std::ldexp(odd_integer(tie.bits, random).get_d(), static_cast<int>(tie.place));
    data.x.push_back(values.quantise(value));
  } else {
    const auto u = static_cast<std::uint64_t>(
                       std::ldexp(1.0 / 5 + random.real() * (1.0 / 3 - 1.0 / 5), format.precision)) |
                   1u;
    const int exponent =
        static_cast<int>(random.between(format.min_place(), format.max_exponent - format.precision - 3));
    data.x.push_back(values.quantise(std::ldexp(static_cast<double>(3 * u), exponent)));
    data.x.push_back(values.quantise(std::ldexp(static_cast<double>(4 * u), exponent)));
  }
  if (!random.one_in(3)) data.x.push_back(values.power(values.any_exponent()));
  while (static_cast<std::int64_t>(data.x.size()) < size) data.x.push_back(random.coin() ? 0.0 : -0.0);
  random.shuffle(data.x);
  for (std::size_t i = 0; i < data.x.size(); ++i) data.y.push_back(values.in_binade(values.any_exponent()));
  return data;
}

/// Elements c + d and c - d in equal numbers: the variance is d^2, and d has half as many bits as a tie.
Data variance_tie(Values& values, std::int64_t size, Random& random) {
  const auto& format = values.format();
  const oracle::Format result = oracle::format_of(
      random.pick(std::vector<ElementType>(oracle::all_types.begin(), oracle::all_types.end())));
  // sqrt(2) to 2 times the power: d^2 then has precision + 1 bits and is odd.
  double d = std::ldexp(std::sqrt(0.5) + random.real() * (1 - std::sqrt(0.5)), (result.precision + 1) / 2);
  if (result.precision % 2 == 0) d *= std::sqrt(2.0);
  d = static_cast<double>(static_cast<std::uint64_t>(d) | 1u);
  const double offset = static_cast<double>(random.between(0, 1 << (format.precision / 2)));
  const auto exponent = static_cast<int>(random.between(format.min_place() / 4, format.max_exponent / 4));
  const double scale = std::ldexp(1.0, exponent);
  Data data;
  do {
    data.x.push_back(values.quantise((offset + d) * scale));
    data.x.push_back(values.quantise((offset - d) * scale));
  } while (static_cast<std::int64_t>(data.x.size()) < size);
  if (random.one_in(3)) data.x.front() += values.quantise(data.x.front() * 0x1p-7) - data.x.front();
  random.shuffle(data.x);
  for (std::size_t i = 0; i < data.x.size(); ++i) data.y.push_back(values.in_binade(values.any_exponent()));
  return data;
}

Data dot_tie(Values& values, std::int64_t size, Random& random) {
  const auto& format = values.format();
  Data data;
  if (random.coin()) {
    // A sum's tie, moved by a power of two: it may be far below or above what an element can be.
    const Tie tie = random_tie_within(format, 0, random);
    build(data.x, values, odd_integer(tie.bits, random), tie.place, size, random);
    std::int64_t shift = values.normal_exponent();
    if (random.coin()) {  // to where the results are subnormal
      const oracle::Format result = oracle::format_of(
          random.pick(std::vector<ElementType>(oracle::all_types.begin(), oracle::all_types.end())));
      shift = std::clamp<std::int64_t>(result.min_place() - 1 - tie.place, format.min_place(),
                                       format.max_exponent);
    }
    data.y.assign(data.x.size(), values.power(shift));
    return data;
  }
  // One product of two odd factors that is a tie by itself, and pairs that cancel.
  const int bits = format.precision / 2 + 1;
  const double a = odd_integer(bits, random).get_d(), b = odd_integer(bits, random).get_d();
  std::vector<std::pair<double, double>> pairs = {{a, random.coin() ? b : -b}};
  if (!random.one_in(3)) {
    const double tiny = values.power(random.between(format.min_place(), 0));
    pairs.emplace_back(random.coin() ? tiny : -tiny, values.power(random.between(format.min_place(), -1)));
  }
  while (static_cast<std::int64_t>(pairs.size()) + 2 <= size) {
    const double x = values.in_binade(values.any_exponent()), y = values.in_binade(values.any_exponent());
    pairs.emplace_back(x, y);
    pairs.emplace_back(random.coin() ? std::pair(-x, y) : std::pair(x, -y));
  }
  if (static_cast<std::int64_t>(pairs.size()) < size) pairs.emplace_back(0.0, values.in_binade(0));
  random.shuffle(pairs);
  for (const auto& [x, y] : pairs) {
    data.x.push_back(x);
    data.y.push_back(y);
  }
  return data;
}

}  // namespace

Data generate_tie(Generator generator, ElementType type, std::int64_t size, Random& random) {
  Values values(type, random);
  switch (generator) {
    case Generator::sum_tie:
      return sum_tie(values, size, random);
    case Generator::mean_tie:
      return mean_tie(values, size, random);
    case Generator::norm_tie:
      return norm_tie(values, size, random);
    case Generator::variance_tie:
      return variance_tie(values, size, random);
    default:
      return dot_tie(values, size, random);
  }
}

}  // namespace generators
