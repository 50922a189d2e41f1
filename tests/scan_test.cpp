// Scans against the oracle, element by element, and the lines of the contract one by one.
#include "foldline/scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include "backend.hpp"
#include "foldline/operations.hpp"
#include "integer_cases.hpp"
#include "oracle_scan.hpp"
#include "scan_cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::Layout;
using cases::OutputLayout;
using foldline::exclusive_scan;
using foldline::inclusive_scan;
using foldline::InvalidArgument;
using foldline::MutableVectorView;
using foldline::RunningScan;
using foldline::ScanKind;
using foldline::VectorView;
using generators::Generator;
using generators::Random;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> scanned(const std::vector<double>& x, const Context& context = {}) {
  std::vector<double> out(x.size(), NAN);
  inclusive_scan(x, out, context);
  return out;
}

/// Checks an inclusive scan on every target.
void check(const std::vector<double>& x, ElementType type, ElementType result, const std::string& what) {
  const std::vector<std::uint64_t> expected = oracle::inclusive_scan(x, result);
  const Layout in(x, type);
  for (const foldline::Target target : foldline::available_targets()) {
    OutputLayout out(static_cast<std::int64_t>(x.size()), result);
    inclusive_scan(in.view(), out.view(), {.threads = 1, .target = target});
    ASSERT_EQ(cases::difference(out.results(), expected), "") << what << " on " << name_of(target);
    ASSERT_TRUE(out.padding_is_untouched()) << what << " on " << name_of(target);
  }
}

TEST(ScanOracle, AgreesWithTheOracleOfSums) {
  Random random(41);
  oracle::BigIntegers sums;
  for (const Generator generator : generators::all_generators)
    for (const ElementType type : oracle::all_types) {
      const std::vector<double> x = generators::generate(generator, type, 60, random).x;
      const std::vector<std::uint64_t> inclusive = oracle::inclusive_scan(x, type);
      const std::vector<std::uint64_t> exclusive = oracle::exclusive_scan(x, -0.0, type);
      for (std::size_t i = 0; i < x.size(); ++i) {
        sums.load(std::span(x).first(i + 1));
        ASSERT_EQ(inclusive[i], sums.result(foldline::Operation::sum, type)) << name_of(generator);
        if (i + 1 < x.size()) {
          ASSERT_EQ(exclusive[i + 1], inclusive[i]) << name_of(generator);
        }
      }
    }
}

// What a GPU hands back, and what its threads begin with.
TEST(Scan, APrefixIsWhatItsLimbsAre) {
  Random random(47);
  for (const Generator generator : generators::all_generators) {
    const std::vector<double> x = generators::generate(generator, ElementType::float64, 200, random).x;
    foldline::ExactPrefix expected, assigned;
    foldline::SumLimbs limbs;
    limbs.clear();
    for (const double value : x) {
      if (!std::isfinite(value) || value == 0) continue;
      expected.add(value);
      limbs.add(value);  // its carries wait
      assigned.assign([&](int i) { return limbs.words()[i]; });
      ASSERT_EQ(assigned.is_zero(), expected.is_zero()) << name_of(generator);
      ASSERT_EQ(assigned.is_integer(), expected.is_integer()) << name_of(generator);
      ASSERT_EQ(assigned.bound(), expected.bound()) << name_of(generator);
      if (expected.is_zero()) continue;
      for (const foldline::FloatFormat& format : {foldline::format_of_double, foldline::format_of_bfloat16})
        ASSERT_EQ(assigned.rounded(format), expected.rounded(format)) << name_of(generator);
    }
  }
}

TEST(Scan, RandomCases) {
  const char* count = std::getenv("FOLDLINE_TEST_CASES");
  const std::uint64_t seeds = count != nullptr ? std::strtoull(count, nullptr, 10) / 4 : 3000;
  std::string failure;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    ASSERT_TRUE(cases::check_random_scan_case(seed, failure)) << failure;
}

class ScanOf : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Types, ScanOf, testing::ValuesIn(oracle::all_types),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(ScanOf, EverySizeAroundVectorsAndTiles) {
  Random random(42);
  for (const std::int64_t size :
       {0,  1,   2,   3,   4,    5,    7,    8,    9,    15,   16,   17,   31,   32,   33,   63,  64,
        65, 127, 128, 129, 1023, 1024, 1025, 1055, 1056, 1057, 2047, 2048, 2049, 4095, 4096, 4097})
    for (const Generator generator : {Generator::uniform, Generator::normal, Generator::all_exponents})
      check(generators::generate(generator, GetParam(), size, random).x, GetParam(), GetParam(),
            std::to_string(size) + " from " + std::string(name_of(generator)));
}

TEST_P(ScanOf, TiesAtEveryElement) {
  Random random(43);
  for (int round = 0; round < 60; ++round)
    for (const ElementType result : oracle::all_types)
      check(cases::ties_everywhere(GetParam(), result, random.log_uniform(3000), random), GetParam(), result,
            "ties of " + std::string(name_of(result)));
}

TEST_P(ScanOf, SpecialsAnywhere) {
  Random random(44);
  for (int round = 0; round < 60; ++round) {
    std::vector<double> x = generators::generate(Generator::normal, GetParam(), 2500, random).x;
    for (const double special : {infinity, -infinity, static_cast<double>(NAN)})
      if (random.coin()) x[static_cast<std::size_t>(random.between(0, 2499))] = special;
    check(x, GetParam(), GetParam(), "specials, round " + std::to_string(round));
  }
}

TEST_P(ScanOf, TheLastResultIsTheSum) {
  Random random(45);
  for (const Generator generator : generators::all_generators) {
    const std::vector<double> values = generators::generate(generator, GetParam(), 5000, random).x;
    const Layout x(values, GetParam());
    OutputLayout out(x.view().size(), GetParam());
    inclusive_scan(x.view(), out.view(), {.threads = 3});
    ASSERT_EQ(out.results().back(), cases::call(foldline::Operation::sum, x.view(), {}, GetParam()))
        << name_of(generator);
  }
}

// A part of any length, down to one element, by any number of threads.
TEST_P(ScanOf, PartsNeverShow) {
  Random random(46);
  for (const Generator generator : generators::all_generators)
    for (const std::int64_t part : {1, 3, 64, 1000}) {
      const std::int64_t size = part == 1 ? 150 : 4000;
      const std::vector<double> values = generators::generate(generator, GetParam(), size, random).x;
      const Layout x(values, GetParam());
      const bool exclusive = random.coin();
      const std::vector<std::uint64_t> expected = exclusive ? oracle::exclusive_scan(values, 0, GetParam())
                                                            : oracle::inclusive_scan(values, GetParam());
      for (const foldline::Target target : foldline::available_targets()) {
        OutputLayout out(x.view().size(), GetParam());
        foldline::ScanState state;
        if (exclusive) state.add(0.0);
        const auto threads = static_cast<int>(random.between(2, 8));
        foldline::cpu::scan({.x = x.view(), .out = out.view(), .exclusive = exclusive},
                            {target, threads, foldline::Accuracy::exact, part}, state);
        ASSERT_EQ(cases::difference(out.results(), expected), "")
            << name_of(generator) << " in parts of " << part << " on " << name_of(target);
      }
    }
}

// Long enough that results go past the caches, at every place within a vector.
TEST(Scan, LongVectors) {
  Random random(47);
  const std::vector<double> values =
      generators::generate(Generator::normal, ElementType::float32, 2'200'003, random).x;
  const std::vector<std::uint64_t> expected = oracle::inclusive_scan(values, ElementType::float64);
  const Layout x(values, ElementType::float32);
  for (const foldline::Target target : foldline::available_targets())
    for (const std::int64_t misalignment : {0, 8, 13}) {
      OutputLayout out(x.view().size(), ElementType::float64, 1, misalignment);
      inclusive_scan(x.view(), out.view(), {.threads = 2, .target = target});
      ASSERT_EQ(cases::difference(out.results(), expected), "") << name_of(target);
      ASSERT_TRUE(out.padding_is_untouched());
    }
}

// Windows are opened anew when elements of another size come: mostly of one size here, now and then of
// another, and sums that come back to almost zero.
TEST(Scan, SizesThatChangeNowAndThen) {
  Random random(51);
  for (const ElementType type : {ElementType::float32, ElementType::float64})
    for (int round = 0; round < 12; ++round) {
      std::vector<double> x = generators::generate(Generator::normal, type, 40'000, random).x;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (random.one_in(3000)) x[i] = std::ldexp(x[i], static_cast<int>(random.between(-45, 20)));
        if (i > 0 && random.one_in(round % 2 == 0 ? 3 : 100'000)) x[i] = -x[i - 1];
      }
      for (const ElementType result : {type, ElementType::float32, ElementType::float64, ElementType::half})
        check(x, type, result, "round " + std::to_string(round) + " to " + std::string(name_of(result)));
    }
}

TEST(Scan, LongVectorsOfFloats) {
  Random random(52);
  const std::vector<double> values =
      generators::generate(Generator::normal, ElementType::float32, 2'200'003, random).x;
  const std::vector<std::uint64_t> expected = oracle::inclusive_scan(values, ElementType::float32);
  const Layout x(values, ElementType::float32);
  for (const foldline::Target target : foldline::available_targets())
    for (const std::int64_t misalignment : {0, 4, 7}) {
      OutputLayout out(x.view().size(), ElementType::float32, 1, misalignment);
      inclusive_scan(x.view(), out.view(), {.threads = misalignment == 4 ? 1 : 3, .target = target});
      ASSERT_EQ(cases::difference(out.results(), expected), "") << name_of(target);
      ASSERT_TRUE(out.padding_is_untouched());
    }
}

TEST(Scan, OneTinyOrHugeElementAmongOrdinaryOnes) {
  Random random(48);
  for (const double outlier : {0x1p-1074, -0x1p-1000, 0x1p-300, 0x1.8p-120, 0x1p100, -0x1p1000, 0x1p1023})
    for (const std::int64_t place : {0, 5, 1500}) {
      std::vector<double> x = generators::generate(Generator::integers, ElementType::float64, 4000, random).x;
      x[static_cast<std::size_t>(place)] = outlier;
      for (const ElementType result : oracle::all_types)
        check(x, ElementType::float64, result, "outlier " + std::to_string(outlier));
    }
}

TEST(Scan, Zeros) {
  EXPECT_TRUE(std::signbit(scanned({-0.0, -0.0})[1]));
  EXPECT_FALSE(std::signbit(scanned({-0.0, 0.0})[1]));
  EXPECT_FALSE(std::signbit(scanned({1.0, -1.0})[1]));
  std::vector<double> out(2);
  exclusive_scan(std::vector<double>{-0.0, -0.0}, out);
  EXPECT_FALSE(std::signbit(out[0]) || std::signbit(out[1]));
  exclusive_scan(std::vector<double>{-0.0, -0.0}, out, -0.0);
  EXPECT_TRUE(std::signbit(out[0]) && std::signbit(out[1]));
}

TEST(Scan, OverflowIsOfThatElementOnly) {
  EXPECT_EQ(scanned({0x1p1023, 0x1p1023, -0x1p1023, 0x1p1023, -0x1p1023}),
            (std::vector<double>{0x1p1023, infinity, 0x1p1023, infinity, 0x1p1023}));
}

TEST(Scan, ExclusiveBeginsWithInit) {
  std::vector<float> out(3);
  exclusive_scan(std::vector<float>{1, 2, 3}, out, 0x1.000001p0);  // halfway between two floats
  EXPECT_EQ(out, (std::vector<float>{1, 2, 4}));
  exclusive_scan(std::vector<float>{1, 2, 3}, out, infinity);
  EXPECT_EQ(out[2], std::numeric_limits<float>::infinity());
}

TEST(Scan, ColumnsOfOneMatrix) {
  std::vector<double> matrix = {1, 0, 2, 0, 3, 0};
  inclusive_scan(VectorView(matrix.data(), 3, 2), MutableVectorView(matrix.data() + 1, 3, 2));
  EXPECT_EQ(matrix, (std::vector<double>{1, 1, 2, 3, 3, 6}));
}

TEST(Scan, RefusesVectorsThatOverlap) {
  std::vector<double> x(10);
  auto* floats = reinterpret_cast<float*>(x.data());
  EXPECT_THROW(inclusive_scan(VectorView(x.data(), 9), MutableVectorView(x.data() + 1, 9)), InvalidArgument);
  EXPECT_THROW(inclusive_scan(VectorView(x.data() + 1, 9), MutableVectorView(x.data(), 9)), InvalidArgument);
  EXPECT_THROW(inclusive_scan(VectorView(x.data(), 5), MutableVectorView(x.data(), 5, 2)), InvalidArgument);
  EXPECT_THROW(inclusive_scan(VectorView(x.data() + 9, 10, -1), MutableVectorView(x)), InvalidArgument);
  EXPECT_THROW(inclusive_scan(VectorView(x.data(), 10), MutableVectorView(floats, 10)), InvalidArgument);
  EXPECT_THROW(inclusive_scan(VectorView(x.data() + 3, 5, 0), MutableVectorView(x.data(), 5)),
               InvalidArgument);
  EXPECT_NO_THROW(inclusive_scan(VectorView(x.data(), 5), MutableVectorView(x.data() + 5, 5)));
  EXPECT_NO_THROW(inclusive_scan(x, x));
}

TEST(Scan, RefusesOtherNonsense) {
  std::vector<double> x(3), out(3);
  EXPECT_THROW(inclusive_scan(x, MutableVectorView(out.data(), 2)), InvalidArgument);
  EXPECT_THROW(inclusive_scan(x, MutableVectorView(out.data(), 3, 0)), InvalidArgument);
  EXPECT_THROW(inclusive_scan(VectorView(x.data(), -1), MutableVectorView(out.data(), -1)), InvalidArgument);
  EXPECT_THROW(inclusive_scan(x, MutableVectorView(static_cast<double*>(nullptr), 3)), InvalidArgument);
  EXPECT_THROW(exclusive_scan(x, out, 0, {.threads = -1}), InvalidArgument);
  EXPECT_NO_THROW(inclusive_scan(VectorView(), MutableVectorView()));
  EXPECT_NO_THROW(inclusive_scan(VectorView(x.data(), 1), MutableVectorView(out.data(), 1, 0)));
  try {
    inclusive_scan(x, MutableVectorView(out.data(), 2));
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "inclusive_scan: the vectors must have the same size, but x has 3 and out 2 elements");
  }
}

TEST(IntegerScan, AddsInTheTypeOfTheResults) {
  const std::vector<std::int8_t> x = {100, 100, -128, -128};
  std::vector<std::int64_t> out(4);
  inclusive_scan(x, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{100, 200, 72, -56}));
  exclusive_scan(x, out, 5);
  EXPECT_EQ(out, (std::vector<std::int64_t>{5, 105, 205, 77}));
  std::vector<double> doubles(4);
  exclusive_scan(x, doubles, 0.5);
  EXPECT_EQ(doubles, (std::vector<double>{0.5, 100.5, 200.5, 72.5}));
  const bool flags[] = {true, false, true, true};
  inclusive_scan(flags, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{1, 1, 2, 3}));
}

TEST(IntegerScan, AResultThatDoesNotFitIsAnErrorOrWraps) {
  const std::vector<std::int8_t> x = {100, 27, 1, -128};
  std::vector<std::int8_t> out(4);
  try {
    inclusive_scan(x, out);
    FAIL() << "128 was taken for an int8";
  } catch (const foldline::OverflowError& error) {
    EXPECT_STREQ(
        error.what(),
        "inclusive_scan: result 2 does not fit int8; ask for a floating-point type or a wider one, or "
        "with Overflow::wrap for results modulo 2^8; out was written to in part");
  }
  inclusive_scan(x, out, {.overflow = foldline::Overflow::wrap});
  EXPECT_EQ(out, (std::vector<std::int8_t>{100, 127, -128, 0}));
  EXPECT_NO_THROW(exclusive_scan(std::span(x).first(3), std::span(out).first(3)));  // 128 is no result of it
}

TEST(IntegerScan, SixtyFourBitsAreExact) {
  const std::uint64_t huge = ~std::uint64_t{0};
  std::vector<std::uint64_t> out(2);
  inclusive_scan(std::vector<std::int64_t>{-1, 1}, out, {.overflow = foldline::Overflow::wrap});
  EXPECT_EQ(out, (std::vector<std::uint64_t>{huge, 0}));
  inclusive_scan(std::vector<std::uint64_t>{huge - 1, 1}, out);
  EXPECT_EQ(out, (std::vector<std::uint64_t>{huge - 1, huge}));
  EXPECT_THROW(inclusive_scan(std::vector<std::uint64_t>{huge, 1}, out), foldline::OverflowError);
  EXPECT_THROW(inclusive_scan(std::vector<std::int64_t>{1, -2}, out), foldline::OverflowError);
  std::vector<float> floats(2);
  inclusive_scan(std::vector<std::uint64_t>{(std::uint64_t{1} << 60) + 1, std::uint64_t{1} << 36}, floats);
  EXPECT_EQ(floats, (std::vector<float>{0x1p60f, 0x1.000002p60f}));  // a bit above halfway
}

TEST(IntegerScan, RefusesSumsThatAreNoIntegers) {
  std::vector<std::int64_t> out(2);
  EXPECT_THROW(inclusive_scan(std::vector<double>{1, 2}, out), InvalidArgument);
  EXPECT_THROW(exclusive_scan(std::vector<int>{1, 2}, out, 0.5), InvalidArgument);
  EXPECT_THROW(exclusive_scan(std::vector<int>{1, 2}, out, infinity), InvalidArgument);
  EXPECT_NO_THROW(exclusive_scan(std::vector<int>{1, 2}, out, -3.0));
  EXPECT_EQ(out, (std::vector<std::int64_t>{-3, -2}));
}

/// Any integers as elements and any type of results, against 128 bits.
template <class T, class Out>
void check_integers(Random& random) {
  std::vector<T> x(static_cast<std::size_t>(random.log_uniform(5000)));
  const int shift = static_cast<int>(random.between(0, 8 * static_cast<int>(sizeof(T)) - 1));
  for (T& element : x) element = static_cast<T>(static_cast<T>(random.bits()) >> shift);
  const bool exclusive = random.coin();
  const std::int64_t init = exclusive ? random.between(-1000, 1000) : 0;
  std::vector<Out> expected;
  std::size_t overflow = x.size();
  foldline::Int128 sum = init;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const foldline::Int128 before = sum;
    sum += x[i];
    const foldline::Int128 result = exclusive ? before : sum;
    expected.push_back(static_cast<Out>(result));
    if (expected.back() != result && overflow == x.size()) overflow = i;
  }
  for (const foldline::Target target : foldline::available_targets()) {
    Context context = {.threads = static_cast<int>(random.between(1, 4)),
                       .target = target,
                       .overflow = foldline::Overflow::wrap};
    const auto scan = [&](auto& out) {
      if (exclusive)
        exclusive_scan(x, out, init, context);
      else
        inclusive_scan(x, out, context);
    };
    std::vector<Out> out(x.size());
    scan(out);
    ASSERT_EQ(out, expected) << name_of(target);
    context.overflow = foldline::Overflow::error;
    if (overflow == x.size()) {
      std::ranges::fill(out, Out{});
      scan(out);
      ASSERT_EQ(out, expected) << name_of(target);
    } else {
      try {
        scan(out);
        FAIL() << "no overflow error on " << name_of(target);
      } catch (const foldline::OverflowError& error) {
        ASSERT_NE(std::string(error.what()).find("result " + std::to_string(overflow) + " does"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(IntegerScan, RandomOnesAgreeWithWideIntegers) {
  Random random(50);
  const auto with_results = [&random](auto element) {
    using T = decltype(element);
    check_integers<T, std::int8_t>(random);
    check_integers<T, std::uint16_t>(random);
    check_integers<T, std::int32_t>(random);
    check_integers<T, std::int64_t>(random);
    check_integers<T, std::uint64_t>(random);
  };
  for (int round = 0; round < 40; ++round) {
    with_results(std::int8_t());
    with_results(std::uint8_t());
    with_results(std::int16_t());
    with_results(std::uint16_t());
    with_results(std::int32_t());
    with_results(std::uint32_t());
    with_results(std::int64_t());
    with_results(std::uint64_t());
  }
}

/// Small elements, and now and then one after which the sum is the largest T, or the lowest one.
template <class T>
std::vector<T> touching_limits(std::size_t size, Random& random) {
  using Limits = std::numeric_limits<T>;
  constexpr std::size_t leg = 20'000;
  std::vector<T> x(size);
  T sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t number = i / leg % 4;
    const T small = static_cast<T>(random.between(0, 999));
    if (Limits::is_signed)
      x[i] = static_cast<T>(number == 1 ? -small : number == 3 ? small : 0);
    else
      x[i] = i + leg < size ? small : T{0};
    if (i % leg == 0 && (Limits::is_signed ? number == 1 : i + leg >= size))
      x[i] = static_cast<T>(Limits::max() - sum);
    if (Limits::is_signed && i % leg == 0 && number % 2 == 0) x[i] = static_cast<T>(-sum);
    if (Limits::is_signed && i % leg == 1 && number == 2) x[i] = Limits::min();
    sum = static_cast<T>(sum + x[i]);
  }
  return x;
}

// Long enough that results go past the caches, at every place within a vector.
template <class T>
void check_long_integers() {
  Random random(53);
  std::vector<T> x = touching_limits<T>((std::size_t{9} << 20) / sizeof(T) + 77, random);
  std::vector<T> expected;
  expected.reserve(x.size());
  for (const T element : x)
    expected.push_back(static_cast<T>((expected.empty() ? T{0} : expected.back()) + element));
  std::vector<T> memory(x.size() + 8);
  const auto scan = [&](std::size_t offset, foldline::Target target) {
    const std::span<T> out = std::span(memory).subspan(offset, x.size());
    inclusive_scan(x, out, {.threads = offset == 1 ? 1 : 3, .target = target});
    return std::ranges::equal(out, expected);
  };
  for (const foldline::Target target : foldline::available_targets())
    for (const std::size_t offset : {0u, 1u, 8u})
      ASSERT_TRUE(scan(offset, target)) << name_of(target) << ' ' << offset;
  const T before = expected[x.size() - 2];
  ASSERT_NE(before, 0);
  x.back() = static_cast<T>(before > 0 ? std::numeric_limits<T>::max() - before + 1
                                       : std::numeric_limits<T>::min() - before - 1);
  for (const foldline::Target target : foldline::available_targets())
    EXPECT_THROW(scan(0, target), foldline::OverflowError) << name_of(target);
}

TEST(IntegerScan, LongVectors) {
  check_long_integers<std::int32_t>();
  check_long_integers<std::uint32_t>();
  check_long_integers<std::int64_t>();
  check_long_integers<std::uint64_t>();
}

TEST(IntegerScan, RandomCases) {
  const char* count = std::getenv("FOLDLINE_TEST_CASES");
  const std::uint64_t seeds = count != nullptr ? std::strtoull(count, nullptr, 10) / 4 : 3000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) ASSERT_EQ(integer_cases::check_random_scan(seed), "");
}

TEST(RunningScan, CopiesGoTheirOwnWays) {
  RunningScan scan(ScanKind::inclusive);
  std::vector<double> out(1);
  scan.next(std::vector<double>{1}, out);
  RunningScan copy = scan;
  scan.next(std::vector<double>{2}, out);
  EXPECT_EQ(out[0], 3);
  copy.next(std::vector<double>{5}, out);
  EXPECT_EQ(out[0], 6);
  copy = scan;
  copy.next(std::vector<float>{1}, out);
  EXPECT_EQ(out[0], 4);
}

TEST(FastScan, IsNearTheExactOneAndTheSameForAnyThreads) {
  Random random(49);
  for (const Generator generator : {Generator::uniform, Generator::normal, Generator::ill_conditioned_sum}) {
    const std::vector<double> x = generators::generate(generator, ElementType::float64, 100'000, random).x;
    const std::vector<double> exact = scanned(x);
    std::vector<double> magnitudes;
    magnitudes.reserve(x.size());
    for (const double value : x) magnitudes.push_back(std::fabs(value));
    magnitudes = scanned(magnitudes);
    for (const foldline::Target target : foldline::available_targets()) {
      Context context = {.accuracy = foldline::Accuracy::fast, .threads = 1, .target = target};
      const std::vector<double> fast = scanned(x, context);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(std::fabs(fast[i] - exact[i]), 400 * 0x1p-53 * magnitudes[i]) << name_of(generator);
      for (context.threads = 2; context.threads <= 8; ++context.threads)
        ASSERT_EQ(scanned(x, context), fast) << context.threads << " threads on " << name_of(target);
    }
  }
}

// Whether results go through a buffer depends on where they go, and past the caches on their number.
TEST(FastScan, WhereResultsGoDoesNotShow) {
  Random random(54);
  const std::vector<double> x =
      generators::generate(Generator::normal, ElementType::float64, 1'200'011, random).x;
  for (const foldline::Target target : foldline::available_targets()) {
    const Context context = {.accuracy = foldline::Accuracy::fast, .threads = 3, .target = target};
    std::vector<double> in_place = x;
    inclusive_scan(in_place, in_place, context);
    for (const std::size_t offset : {0u, 1u, 8u}) {
      std::vector<double> memory(x.size() + offset);
      const std::span<double> out = std::span(memory).subspan(offset);
      inclusive_scan(x, out, context);
      ASSERT_TRUE(std::ranges::equal(out, in_place)) << name_of(target) << ' ' << offset;
    }
  }
}

TEST(FastScan, SpecialsAndOverflowGiveTheExactOnes) {
  const Context fast = {.accuracy = foldline::Accuracy::fast};
  std::vector<double> x(5000, 1.0);
  x[3000] = x[3001] = 0x1p1023;
  x[3002] = -0x1p1023;
  std::vector<double> in_place = x;
  inclusive_scan(in_place, in_place, fast);
  EXPECT_EQ(in_place, scanned(x, fast));
  EXPECT_EQ(in_place[2999], 3000);
  EXPECT_EQ(in_place[3001], infinity);
  EXPECT_EQ(in_place[3002], 0x1p1023);
  EXPECT_EQ(scanned({0x1p1023, 0x1p1023, -0x1p1023}, fast),
            (std::vector<double>{0x1p1023, infinity, 0x1p1023}));
  EXPECT_EQ(scanned({1, infinity, 2}, fast), (std::vector<double>{1, infinity, infinity}));
  EXPECT_EQ(cases::bits_of(scanned({infinity, -infinity}, fast)[1]),
            oracle::canonical_nan(ElementType::float64));
}

}  // namespace
