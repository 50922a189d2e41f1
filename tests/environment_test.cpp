// The caller's floating-point environment, left behind by someone else's library perhaps, changes no result,
// and is what it was after the call.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "cases.hpp"
#include "foldline/axes.hpp"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace {

using cases::Context;
using cases::ElementType;
using cases::Layout;
using cases::Operation;
using generators::Data;
using generators::Generator;
using generators::Random;

/// The control register without the flags that arithmetic raises.
std::uint64_t control_register() {
#if defined(__x86_64__) || defined(_M_X64)
  return _mm_getcsr() & ~0x3fu;
#elif defined(__aarch64__)
  std::uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
#else
  return static_cast<std::uint64_t>(std::fegetround());
#endif
}

void set_control_register(std::uint64_t value) {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_setcsr(static_cast<unsigned>(value));
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(value));
#else
  std::fesetround(static_cast<int>(value));
#endif
}

/// A mode for the time of a scope.
class Mode {
 public:
  explicit Mode(int rounding, bool flush_to_zero) {
    std::fegetenv(&before_);
    std::fesetround(rounding);
    if (flush_to_zero) {
#if defined(__x86_64__) || defined(_M_X64)
      set_control_register(control_register() | 0x8040u);  // FTZ and DAZ
#elif defined(__aarch64__)
      set_control_register(control_register() | (std::uint64_t{1} << 24) |
                           (std::uint64_t{1} << 19));  // FZ, FZ16
#endif
    }
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
  ~Mode() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_;
};

struct Setting {
  const char* name;
  int rounding;
  bool flush_to_zero;
};

class Environment : public testing::TestWithParam<std::tuple<Setting, ElementType>> {};
INSTANTIATE_TEST_SUITE_P(Modes, Environment,
                         testing::Combine(testing::Values(Setting{"nearest_flush", FE_TONEAREST, true},
                                                          Setting{"upward", FE_UPWARD, false},
                                                          Setting{"downward", FE_DOWNWARD, false},
                                                          Setting{"toward_zero", FE_TOWARDZERO, false},
                                                          Setting{"upward_flush", FE_UPWARD, true},
                                                          Setting{"downward_flush", FE_DOWNWARD, true}),
                                          testing::ValuesIn(oracle::all_types)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + '_' +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

TEST_P(Environment, ChangesNoResultAndIsKept) {
  const auto [setting, type] = GetParam();
  Random random(41);
  oracle::BigIntegers big;
  for (int round = 0; round < 6; ++round)
    for (const Generator generator : generators::all_generators) {
      const Data data = generators::generate(generator, type, random.log_uniform(9000), random);
      big.load(data.x, data.y);
      const Layout x(data.x, type), y(data.y, type);
      for (const Operation operation :
           {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::root_mean_square,
            Operation::mean, Operation::variance, Operation::dot, Operation::weighted_mean,
            Operation::minimum, Operation::maximum, Operation::standard_deviation, Operation::range})
        for (const ElementType wanted : {type, ElementType::float32, ElementType::float64}) {
          const bool extreme = operation == Operation::minimum || operation == Operation::maximum;
          const ElementType result = extreme ? ElementType::float64 : wanted;
          const auto& targets = foldline::available_targets();
          const Context context = {
              .execution = {.threads = random.one_in(8) ? 3 : 1,
                            .target = targets[static_cast<std::size_t>(round) % targets.size()]}};
          std::uint64_t actual, control_before, control_after;
          int rounding_after;
          {
            const Mode mode(setting.rounding, setting.flush_to_zero);
            control_before = control_register();
            actual = cases::call(operation, x.view(), y.view(), result, 0, context);
            control_after = control_register();
            rounding_after = std::fegetround();
          }
          ASSERT_EQ(cases::hex(actual), cases::hex(big.result(operation, result)))
              << name_of(operation) << " of " << data.x.size() << " from " << name_of(generator) << " as "
              << name_of(result) << ", threads " << context.execution.threads << ", target "
              << name_of(context.execution.target);
          ASSERT_EQ(control_after, control_before) << name_of(operation);
          ASSERT_EQ(rounding_after, setting.rounding) << name_of(operation);
        }
    }
}

TEST_P(Environment, ColumnsWhoseRowsThreadsShareToo) {
  const auto [setting, type] = GetParam();
  constexpr std::int64_t rows = 3000, columns = 72;
  Random random(43);
  const Data data = generators::generate(Generator::normal, type, rows * columns, random);
  const Layout x(data.x, type);
  const foldline::MatrixView matrix(x.view().data(), type, rows, columns, foldline::Layout::row_major,
                                    columns);
  std::vector<double> expected(columns), means(columns);
  foldline::reduce_columns(Operation::mean, matrix, expected, {}, {.execution = {.threads = 1}});
  for (const int threads : {1, 2, 3}) {
    {
      const Mode mode(setting.rounding, setting.flush_to_zero);
      foldline::reduce_columns(Operation::mean, matrix, means, {}, {.execution = {.threads = threads}});
    }
    EXPECT_EQ(means, expected) << threads << " threads";
  }
}

TEST_P(Environment, AccumulatorsToo) {
  const auto [setting, type] = GetParam();
  const Layout x(std::vector<double>{1, std::ldexp(1.0, oracle::format_of(type).min_place()), -1}, type);
  std::uint64_t bits, from_bytes;
  std::string digits;
  const auto run = [&] {
    foldline::Accumulator first(Operation::statistics), second(Operation::statistics);
    first.add(x.view());
    second.merge(first);
    digits = second.exact(Operation::sum);
    cases::with_type(type, [&]<class R>(R) {
      bits = cases::bits_of(second.result<R>(Operation::sum));
      from_bytes = cases::bits_of(
          foldline::Accumulator::deserialise(second.serialise()).template result<R>(Operation::sum));
    });
  };
  run();
  const std::string expected_digits = digits;
  EXPECT_EQ(bits, 1u);  // the smallest subnormal
  {
    const Mode mode(setting.rounding, setting.flush_to_zero);
    run();
  }
  EXPECT_EQ(bits, 1u);
  EXPECT_EQ(from_bytes, 1u);
  EXPECT_EQ(digits, expected_digits);
}

TEST_P(Environment, IsKeptWhenACallThrows) {
  const Setting setting = std::get<0>(GetParam());
  std::uint64_t before, after;
  {
    const Mode mode(setting.rounding, setting.flush_to_zero);
    before = control_register();
    try {
      (void)foldline::minmax(std::vector<double>{});
    } catch (const foldline::InvalidArgument&) {
    }
    after = control_register();
  }
  EXPECT_EQ(after, before);
}

}  // namespace
