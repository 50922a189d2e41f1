// Scans of floating-point numbers against the oracle, element by element.
#include "foldline/scan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "contract/backend.hpp"
#include "foldline/operations.hpp"
#include "oracle_scan.hpp"
#include "scan_cases.hpp"

namespace {

using cases::ElementType;
using cases::infinity;
using cases::Layout;
using cases::OutputLayout;
using foldline::inclusive_scan;
using generators::Generator;
using generators::Random;

/// Checks an inclusive scan on every target.
void check(const std::vector<double>& x, ElementType type, ElementType result, const std::string& what) {
  const std::vector<std::uint64_t> expected = oracle::inclusive_scan(x, result);
  const Layout in(x, type);
  for (const foldline::Target target : foldline::available_targets()) {
    OutputLayout out(static_cast<std::int64_t>(x.size()), result);
    inclusive_scan(in.view(), out.view(), {.execution = {.threads = 1, .target = target}});
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
    inclusive_scan(x.view(), out.view(), {.execution = {.threads = 3}});
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
      inclusive_scan(x.view(), out.view(), {.execution = {.threads = 2, .target = target}});
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
      inclusive_scan(x.view(), out.view(),
                     {.execution = {.threads = misalignment == 4 ? 1 : 3, .target = target}});
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

}  // namespace
