#include "generators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace generators {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t random_index(const std::vector<double>& values, Random& random) {
  return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(values.size()) - 1));
}

/// Marsaglia's polar method.
double normal(Random& random) {
  for (;;) {
    const double u = 2 * random.real() - 1, v = 2 * random.real() - 1, s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

/// A running sum without rounding errors worth mentioning: Shewchuk's expansion, adding to the smallest part
/// first.
class Expansion {
 public:
  void add(double term) {
    std::size_t used = 0;
    for (const double part : parts_) {
      const double sum = part + term, z = sum - part;
      const double error = (part - (sum - z)) + (term - z);
      if (error != 0) parts_[used++] = error;
      term = sum;
    }
    parts_.resize(used);
    parts_.push_back(term);
  }
  double value() const {
    double sum = 0;
    for (const double part : parts_) sum += part;
    return sum;
  }

 private:
  std::vector<double> parts_;
};

/// x and y whose dot product has a condition number of about 2^range: products of random exponents first,
/// then products that cancel what there is, smaller and smaller (Ogita, Rump, Oishi 2005, algorithm 6.1).
Data ill_conditioned(Values& values, std::int64_t size, bool ones, Random& random) {
  const auto& format = values.format();
  const std::int64_t limit = std::min(2 * (format.max_exponent - 4), ones ? format.max_exponent - 4 : 200);
  const std::int64_t range = random.between(4, std::max<std::int64_t>(limit, 5));
  Expansion dot;
  Data data;
  for (std::int64_t i = 0; i < size; ++i) {
    const bool filling = i < size / 2;
    const double left = static_cast<double>(2 * (size - i)) / static_cast<double>(size);
    const std::int64_t exponent = filling ? (i == 0 ? range : random.between(0, range))
                                          : std::llround(left * static_cast<double>(range));
    const std::int64_t half = std::min<std::int64_t>(exponent / 2, format.max_exponent - 2);
    const double y = ones ? 1.0 : values.in_binade(half);
    double x = ones ? values.in_binade(std::min<std::int64_t>(exponent, format.max_exponent - 2))
                    : values.in_binade(std::min<std::int64_t>(exponent - half, format.max_exponent - 2));
    if (!filling) x = values.quantise((values.in_binade(exponent / 2) - dot.value()) / y);
    const double product = x * y;
    dot.add(product);
    dot.add(std::fma(x, y, -product));
    data.x.push_back(x);
    data.y.push_back(y);
  }
  return data;
}

void fill(std::vector<double>& vector, std::int64_t size, auto make) {
  vector.resize(static_cast<std::size_t>(size));
  for (double& value : vector) value = make();
}

/// Data of ordinary exponents around a random one.
void fill_narrow(std::vector<double>& x, std::int64_t size, Values& values, std::int64_t width,
                 Random& random) {
  const std::int64_t top = values.normal_exponent();
  fill(x, size, [&] { return values.in_binade(top - random.between(0, width)); });
}

void fill_cancelling(std::vector<double>& x, std::int64_t size, Values& values, Random& random) {
  const bool narrow = random.coin();
  const std::int64_t top = values.normal_exponent();
  while (static_cast<std::int64_t>(x.size()) + 2 <= size) {
    const double value = values.in_binade(narrow ? top : values.any_exponent());
    x.push_back(value);
    x.push_back(-value);
  }
  if (static_cast<std::int64_t>(x.size()) < size)
    x.push_back(random.coin() ? 0.0 : values.in_binade(values.any_exponent()));
}

void sprinkle_specials(std::vector<double>& x, Random& random) {
  static const std::vector<std::vector<double>> kinds = {
      {infinity},       {-infinity},     {infinity, -infinity}, {NAN},
      {-NAN, infinity}, {0.0, infinity}, {-0.0, -infinity}};
  const auto& kind = random.pick(kinds);
  for (std::int64_t count = random.log_uniform(4); count > 0; --count)
    x[random_index(x, random)] = random.pick(kind);
}

void fill_underflowing(Data& data, std::int64_t size, Values& values, Random& random) {
  const auto& format = values.format();
  // From products that vanish beside 2^-1074 to products whose error does.
  const std::int64_t lowest = 2 * format.min_place(), highest = format.min_place() + 2 * format.precision;
  const bool with_ones = random.coin();
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t total = random.between(lowest, std::max(lowest, highest));
    const std::int64_t first = std::max<std::int64_t>(total - format.max_exponent, format.min_place());
    const std::int64_t last = std::min<std::int64_t>(total - format.min_place(), format.max_exponent);
    const std::int64_t exponent = random.between(first, last);
    const bool one = with_ones && random.one_in(4);
    data.x.push_back(one ? 1.0 : random.coin() ? values.power(exponent) : values.in_binade(exponent));
    data.y.push_back(one ? 1.0 : values.in_binade(total - exponent));
  }
}

void fill_growing(std::vector<double>& x, std::int64_t size, Values& values) {
  const std::int64_t from = values.any_exponent(), to = values.any_exponent();
  for (std::int64_t i = 0; i < size; ++i)
    x.push_back(values.in_binade(from + (to - from) * i / std::max<std::int64_t>(size, 1)));
}

void fill_random_bits(std::vector<double>& x, std::int64_t size, ElementType type, Random& random) {
  const bool finite = random.coin();  // or else a long vector of a small type is always NaN
  fill(x, size, [&] {
    for (;;) {
      const double value = oracle::decode(random.bits() >> (64 - oracle::format_of(type).storage_bits), type);
      if (!finite || std::isfinite(value)) return value;
    }
  });
}

/// x of the generators that know nothing of y.
std::vector<double> one_vector(Generator generator, ElementType type, std::int64_t size, Random& random) {
  Values values(type, random);
  const oracle::Format& format = values.format();
  std::vector<double> x;
  switch (generator) {
    case Generator::normal: {
      const double offset = random.coin() ? 0.0 : std::ldexp(1.0, static_cast<int>(random.between(0, 12)));
      fill(x, size, [&] { return values.quantise(offset + normal(random)); });
      break;
    }
    case Generator::all_exponents:
      fill(x, size, [&] { return values.in_binade(values.any_exponent()); });
      break;
    case Generator::subnormal:
      fill(x, size,
           [&] { return values.in_binade(format.min_place() + random.between(0, format.precision)); });
      break;
    case Generator::signed_zeros:
      fill(x, size, [&] { return random.coin() ? 0.0 : -0.0; });
      if (random.coin()) x[random_index(x, random)] = values.in_binade(values.any_exponent());
      break;
    case Generator::only_negative_zero:
      fill(x, size, [] { return -0.0; });
      break;
    case Generator::with_specials:
      fill_narrow(x, size, values, random.coin() ? 2 : 100, random);
      sprinkle_specials(x, random);
      break;
    case Generator::extremes: {
      const bool mixed = random.one_in(3), low = random.coin();
      fill(x, size, [&] {
        return (mixed ? random.coin() : low) ? values.in_binade(format.min_exponent + random.between(-3, 3))
                                             : values.in_binade(format.max_exponent - random.between(0, 3));
      });
      break;
    }
    case Generator::near_overflow: {
      // Mostly balanced signs, so that partial sums overflow and the total does not; sometimes all the
      // largest value.
      const std::int64_t bias = random.between(2, 4);
      const bool largest = random.coin();
      const double value = values.quantise(infinity);
      fill(x, size, [&] {
        const double magnitude = largest ? value : std::fabs(values.in_binade(format.max_exponent));
        return random.one_in(bias) ? -magnitude : magnitude;
      });
      break;
    }
    case Generator::cancellation:
      fill_cancelling(x, size, values, random);
      random.shuffle(x);
      break;
    case Generator::integers: {
      const std::int64_t limit = std::int64_t{1} << random.between(0, format.precision);
      fill(x, size, [&] { return values.quantise(static_cast<double>(random.between(-limit, limit))); });
      break;
    }
    case Generator::all_equal: {
      const double value = values.in_binade(random.coin() ? values.any_exponent() : random.between(-8, 8));
      fill(x, size, [&] { return value; });
      break;
    }
    case Generator::outlier:
      fill_narrow(x, size, values, 8, random);
      x[random_index(x, random)] = values.in_binade(values.any_exponent());
      break;
    case Generator::random_bits:
      fill_random_bits(x, size, type, random);
      break;
    case Generator::growing:
      fill_growing(x, size, values);
      break;
    default: {  // uniform
      const double shift = random.coin() ? 0.0 : -0.5;
      fill(x, size, [&] { return values.quantise(random.real() + shift); });
    }
  }
  return x;
}

}  // namespace

std::int64_t Random::log_uniform(std::int64_t limit) {
  const double exponent = real() * std::log2(static_cast<double>(limit) + 1);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::exp2(exponent)), 1, limit);
}

double Values::in_binade(std::int64_t exponent) {
  const auto place =
      static_cast<int>(std::max<std::int64_t>(exponent - format_.precision + 1, format_.min_place()));
  // The leading bit, and below it as many random ones as there is room for.
  const std::int64_t width = exponent - place;
  if (width < 0) return 0.0;
  const std::uint64_t leading = std::uint64_t{1} << width;
  const std::uint64_t significand = leading | (random_.bits() & (leading - 1));
  const double value = std::ldexp(static_cast<double>(significand), place);
  return random_.coin() ? -value : value;
}

double Values::power(std::int64_t exponent) const {
  return std::ldexp(
      1.0, static_cast<int>(std::clamp<std::int64_t>(exponent, format_.min_place(), format_.max_exponent)));
}

double Values::quantise(double value) const {
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, 1 - format_.precision), format_.max_exponent);
  if (std::fabs(value) >= largest) return std::copysign(largest, value);
  if (value == 0) return value;
  const int place = std::max(std::ilogb(value) - format_.precision + 1, format_.min_place());
  return std::ldexp(std::nearbyint(std::ldexp(value, -place)), place);
}

void Values::append_integer(std::vector<double>& values, const mpz_class& integer, std::int64_t place) const {
  mpz_class rest = abs(integer);
  const mpz_class base = mpz_class(1) << static_cast<mp_bitcnt_t>(format_.precision);
  for (; rest != 0; rest /= base, place += format_.precision) {
    const mpz_class chunk = rest % base;
    if (chunk == 0) continue;
    const double value = std::ldexp(chunk.get_d(), static_cast<int>(place));
    values.push_back(integer < 0 ? -value : value);
  }
}

/// Runs about as long as a tile of one target or another, each of another kind; specials are rare, for they
/// hide the rest.
Data mixed(ElementType type, std::int64_t size, Random& random) {
  static const std::vector<Generator> kinds = {
      Generator::uniform,      Generator::normal,   Generator::all_exponents,        Generator::subnormal,
      Generator::signed_zeros, Generator::extremes, Generator::cancellation,         Generator::integers,
      Generator::all_equal,    Generator::outlier,  Generator::ill_conditioned_sum,  Generator::growing,
      Generator::sum_tie,      Generator::dot_tie,  Generator::underflowing_products};
  Data data;
  while (static_cast<std::int64_t>(data.x.size()) < size) {
    const bool special = random.one_in(size / 8 + 100);
    const Data run = generate(special ? Generator::with_specials : random.pick(kinds), type,
                              random.log_uniform(std::min<std::int64_t>(size, 6000)), random);
    data.x.insert(data.x.end(), run.x.begin(), run.x.end());
    data.y.insert(data.y.end(), run.y.begin(), run.y.end());
  }
  data.x.resize(static_cast<std::size_t>(size));
  data.y.resize(static_cast<std::size_t>(size));
  return data;
}

std::string_view name_of(Generator generator) {
  static constexpr std::array<std::string_view, all_generators.size()> names = {"uniform",
                                                                                "normal",
                                                                                "ill_conditioned_sum",
                                                                                "ill_conditioned_dot",
                                                                                "all_exponents",
                                                                                "sum_tie",
                                                                                "mean_tie",
                                                                                "norm_tie",
                                                                                "variance_tie",
                                                                                "dot_tie",
                                                                                "subnormal",
                                                                                "signed_zeros",
                                                                                "only_negative_zero",
                                                                                "with_specials",
                                                                                "extremes",
                                                                                "near_overflow",
                                                                                "cancellation",
                                                                                "integers",
                                                                                "all_equal",
                                                                                "outlier",
                                                                                "random_bits",
                                                                                "underflowing_products",
                                                                                "growing",
                                                                                "mixed"};
  return names[static_cast<std::size_t>(generator)];
}

Data generate(Generator generator, ElementType type, std::int64_t size, Random& random) {
  if (size == 0) return {};
  Values values(type, random);
  Data data;
  switch (generator) {
    case Generator::sum_tie:
    case Generator::mean_tie:
    case Generator::norm_tie:
    case Generator::variance_tie:
    case Generator::dot_tie:
      return generate_tie(generator, type, size, random);
    case Generator::ill_conditioned_sum:
    case Generator::ill_conditioned_dot:
      data = ill_conditioned(values, size, generator == Generator::ill_conditioned_sum, random);
      break;
    case Generator::underflowing_products:
      fill_underflowing(data, size, values, random);
      break;
    default:
      data.x = one_vector(generator, type, size, random);
  }
  if (!data.y.empty()) return data;
  // Weights worth having, or more of the same.
  switch (random.between(0, 4)) {
    case 0:
      fill(data.y, size, [&] { return 1.0; });
      break;
    case 1:
      fill(data.y, size, [&] { return std::fabs(values.quantise(random.real())); });
      break;
    case 2:
      fill(data.y, size, [&] { return values.in_binade(values.any_exponent()); });
      break;
    default:
      data.y = one_vector(generator, type, size, random);
  }
  return data;
}

}  // namespace generators
