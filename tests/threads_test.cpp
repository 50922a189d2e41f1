// The number of threads, the target, the run and the caller's own threads never show in a result.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::Layout;
using cases::Operation;
using generators::Data;
using generators::Generator;
using generators::Random;

ElementType result_type(Operation operation, ElementType type) {
  const bool extreme = operation == Operation::minimum || operation == Operation::maximum;
  return extreme ? ElementType::float64 : type;
}

class Threads : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Types, Threads, testing::ValuesIn(oracle::all_types),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(Threads, CountAndTargetNeverShow) {
  Random random(31);
  oracle::BigIntegers big;
  for (const Generator generator : generators::all_generators)
    for (const std::int64_t size : {1, 7, 100, 4099, 70'001}) {
      const Data data = generators::generate(generator, GetParam(), size, random);
      big.load(data.x, data.y);
      const Layout x(data.x, GetParam()), y(data.y, GetParam());
      for (const foldline::Target target : foldline::available_targets())
        for (const int threads : {0, 1, 2, 3, 5, 8, 64}) {
          if (threads == 64 && size < 70'001 && size > 7) continue;  // threads are slow to start
          const Operation operation = oracle::all_operations[static_cast<std::size_t>(
              random.between(0, oracle::all_operations.size() - 1))];
          const ElementType result = result_type(operation, GetParam());
          const Context context = {.execution = {.threads = threads, .target = target}};
          ASSERT_EQ(cases::call(operation, x.view(), y.view(), result, 0, context),
                    big.result(operation, result))
              << name_of(operation) << " of " << size << " from " << name_of(generator) << ", threads "
              << threads << ", target " << name_of(target);
        }
    }
}

TEST_P(Threads, RepeatedRunsAgree) {
  Random random(32);
  const Data data = generators::generate(Generator::all_exponents, GetParam(), 50'000, random);
  oracle::BigIntegers big;
  big.load(data.x, data.y);
  const Layout x(data.x, GetParam()), y(data.y, GetParam());
  for (const Operation operation : oracle::all_operations) {
    const ElementType result = result_type(operation, GetParam());
    for (int run = 0; run < 100; ++run)
      ASSERT_EQ(cases::call(operation, x.view(), y.view(), result, 0, {.execution = {.threads = run % 9}}),
                big.result(operation, result))
          << name_of(operation) << ", run " << run;
  }
}

TEST_P(Threads, CallersMayCallAtTheSameTime) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (std::uint64_t caller = 0; caller < 6; ++caller)
    callers.emplace_back([&wrong, caller] {
      Random random(caller);
      oracle::BigIntegers big;
      for (int round = 0; round < 40; ++round) {
        const Generator generator = generators::all_generators[static_cast<std::size_t>(
            random.between(0, generators::all_generators.size() - 1))];
        const Data data = generators::generate(generator, GetParam(), random.log_uniform(20'000), random);
        big.load(data.x, data.y);
        const Layout x(data.x, GetParam()), y(data.y, GetParam());
        for (const Operation operation : oracle::all_operations) {
          const ElementType result = result_type(operation, GetParam());
          const Context context = {.execution = {.threads = static_cast<int>(random.between(0, 4))}};
          if (cases::call(operation, x.view(), y.view(), result, 0, context) != big.result(operation, result))
            ++wrong;
        }
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(Threads, MoreThreadsThanElements) {
  const Layout x(std::vector<double>{1, 2, 3}, GetParam());
  for (const int threads : {4, 64, 4096})
    EXPECT_EQ(oracle::decode(cases::call(Operation::sum, x.view(), {}, GetParam(), 0,
                                         {.execution = {.threads = threads}}),
                             GetParam()),
              6);
}

TEST(Targets, OneIsAlwaysThereAndAutomaticNever) {
  const auto targets = foldline::available_targets();
  ASSERT_FALSE(targets.empty());
#if defined(__aarch64__)  // every such processor has it, so nothing else is compiled
  const foldline::Target always = foldline::Target::neon;
#elif defined(__AVX512BW__)  // FOLDLINE_CPU_OPTIONS
  const foldline::Target always = foldline::Target::avx512;
#elif defined(__AVX2__)
  const foldline::Target always = foldline::Target::avx2;
#else
  const foldline::Target always = foldline::Target::portable;
#endif
  EXPECT_NE(std::find(targets.begin(), targets.end(), always), targets.end());
  EXPECT_EQ(std::find(targets.begin(), targets.end(), foldline::Target::automatic), targets.end());
}

TEST(Targets, PlansSayWhatWillBeDone) {
  using foldline::plan;
  const foldline::Plan automatic = plan(Operation::sum, ElementType::float64, 1000);
  EXPECT_EQ(automatic.target, foldline::available_targets().front());
  EXPECT_GE(automatic.threads, 1);
  EXPECT_EQ(automatic.accuracy, foldline::Accuracy::exact);
  for (const foldline::Target target : foldline::available_targets()) {
    const foldline::Plan asked =
        plan(Operation::dot, ElementType::half, 1000, {.execution = {.threads = 3, .target = target}});
    EXPECT_EQ(asked.target, target);
    EXPECT_EQ(asked.threads, 3);
    EXPECT_NE(explain(asked, Operation::dot, ElementType::half, 1000).find(name_of(target)),
              std::string::npos);
  }
  EXPECT_EQ(plan(Operation::sum, ElementType::float64, 2, {.execution = {.threads = 64}}).threads, 2);
}

}  // namespace
