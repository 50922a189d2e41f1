// Reductions and scans of the user's own types: against loops, for every number of threads, when something
// throws.
#include <gtest/gtest.h>
#include <foldline/generic.hpp>

#include <array>
#include <atomic>
#include <cfenv>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using foldline::Execution;
namespace generic = foldline::generic;

// Around the lengths at which the cut into runs and blocks changes, and some blocks.
constexpr std::array sizes = {0,  1,  2,  7,    8,     9,     15,    16,    17,
                              63, 64, 65, 1000, 16063, 16064, 16065, 32128, 100'003};
constexpr int most_threads = 8;

/// 2 by 2, modulo a prime: associative, and hardly ever commutative.
struct Matrix {
  static constexpr std::uint64_t prime = 1'000'000'007;
  std::array<std::uint64_t, 4> a;
  bool operator==(const Matrix&) const = default;
  friend Matrix operator*(const Matrix& x, const Matrix& y) {
    const auto entry = [&](std::size_t row, std::size_t column) {
      return (x.a[2 * row] * y.a[column] + x.a[2 * row + 1] * y.a[2 + column]) % prime;
    };
    return {{entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)}};
  }
};

Matrix matrix(std::int64_t i) {
  const auto seed = static_cast<std::uint64_t>(i);
  return {{seed * 7919 % Matrix::prime, 3, 5, seed * 104'729 % 1000 + 1}};
}

template <class T, class Op, class F>
std::vector<T> scanned(std::int64_t n, Op op, F f) {
  std::vector<T> out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(i == 0 ? T(f(i)) : T(op(out.back(), f(i))));
  return out;
}

template <class T, class Op, class F>
void check_against_a_loop(T identity, Op op, F f, std::int64_t largest = 1 << 20) {
  for (const std::int64_t n : sizes) {
    if (n > largest) continue;
    const std::vector<T> expected = scanned<T>(n, op, f);
    for (int threads = 0; threads <= most_threads; ++threads) {
      const Execution context = {.threads = threads};
      ASSERT_EQ(generic::transform_reduce(n, identity, op, f, context), n == 0 ? identity : expected.back())
          << n << " elements, " << threads << " threads";
      std::vector<T> out(static_cast<std::size_t>(n), identity);
      generic::transform_inclusive_scan(out, op, f, context);
      ASSERT_EQ(out, expected) << n << " elements, " << threads << " threads";
      generic::transform_exclusive_scan(out, identity, op, f, context);
      for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], i == 0 ? identity : expected[i - 1]) << n << " elements, " << threads << " threads";
    }
  }
}

TEST(Generic, Integers) {
  check_against_a_loop<std::int64_t>(0, std::plus<>(), [](std::int64_t i) { return i * i - 1000; });
}

TEST(Generic, OperandsKeepTheirOrder) {
  check_against_a_loop<Matrix>({{1, 0, 0, 1}}, std::multiplies<>(), matrix);
  // A prefix of a thousand letters is a megabyte of results.
  check_against_a_loop<std::string>(
      "", std::plus<>(), [](std::int64_t i) { return std::string(1, static_cast<char>('a' + i * i % 26)); },
      1000);
}

TEST(Generic, AnInitialValueStandsInFront) {
  const std::vector<std::string> words = {"b", "c", "d"};
  EXPECT_EQ(generic::reduce(words, std::string("a"), std::plus<>()), "abcd");
  std::vector<std::string> out(3);
  generic::exclusive_scan(words, out, "a", std::plus<>());
  EXPECT_EQ(out, (std::vector<std::string>{"a", "ab", "abc"}));
  const std::vector<std::string> many(100'000, "x");
  EXPECT_EQ(generic::reduce(many, std::string("a"), std::plus<>(), {.threads = 4}),
            "a" + std::string(100'000, 'x'));
}

TEST(Generic, RoundedSumsAreTheSameForAnyThreads) {
  const auto f = [](std::int64_t i) {
    return std::sin(static_cast<double>(i)) * std::exp(static_cast<double>(i % 40));
  };
  for (const std::int64_t n : {5, 1000, 70'001, 1'000'003}) {
    const auto size = static_cast<std::size_t>(n);
    const double sum = generic::transform_reduce(n, 0.0, std::plus<>(), f, {.threads = 1});
    std::vector<double> scan(size), again(size);
    generic::transform_inclusive_scan(scan, std::plus<>(), f, {.threads = 1});
    EXPECT_EQ(scan.back(), sum) << "the last element of a scan is the sum";
    for (int threads = 2; threads <= most_threads; ++threads)
      for (int run = 0; run < 5; ++run) {
        ASSERT_EQ(generic::transform_reduce(n, 0.0, std::plus<>(), f, {.threads = threads}), sum);
        generic::transform_inclusive_scan(again, std::plus<>(), f, {.threads = threads});
        ASSERT_EQ(again, scan) << n << " elements, " << threads << " threads";
      }
  }
}

TEST(Generic, TheCallersRoundingModeHoldsInAllThreads) {
  const auto f = [](std::int64_t i) { return 1 / (static_cast<double>(i) + 3); };
  const auto sum = [&](int threads) {
    return generic::transform_reduce(300'000, 0.0, std::plus<>(), f, {.threads = threads});
  };
  const double nearest = sum(1);
  std::fesetround(FE_UPWARD);
  const double up = sum(1), up_by_threads = sum(4);
  std::fesetround(FE_TONEAREST);
  EXPECT_GT(up, nearest);
  EXPECT_EQ(up_by_threads, up);
  EXPECT_EQ(sum(4), nearest) << "the threads have their own mode again";
}

TEST(Generic, ScansInPlace) {
  for (const int threads : {1, 4}) {
    std::vector<std::int64_t> x(50'001);
    std::iota(x.begin(), x.end(), 1);
    generic::inclusive_scan(x, x, std::plus<>(), {.threads = threads});
    for (std::int64_t i = 0; i < 50'001; ++i)
      ASSERT_EQ(x[static_cast<std::size_t>(i)], (i + 1) * (i + 2) / 2);
    std::iota(x.begin(), x.end(), 1);
    generic::exclusive_scan(x, x, 10, std::plus<>(), {.threads = threads});
    for (std::int64_t i = 0; i < 50'001; ++i) ASSERT_EQ(x[static_cast<std::size_t>(i)], 10 + i * (i + 1) / 2);
  }
}

TEST(Generic, ElementsAreConvertedToTheResultsType) {
  const std::vector<signed char> x(100'000, 100);
  EXPECT_EQ(generic::reduce(x, std::int64_t{0}, std::plus<>()), 10'000'000);
  std::vector<double> out(x.size());
  generic::inclusive_scan(x, out, std::plus<>());
  EXPECT_EQ(out.back(), 1e7);
}

/// Neither default-constructible nor aligned as usual.
struct alignas(64) Extreme {
  explicit Extreme(std::int64_t initial) : value(initial) {}
  bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(this) % 64 == 0; }
  std::int64_t value;
};

TEST(Generic, TypesWithoutDefaultAndWithAlignment) {
  std::atomic<bool> aligned = true;
  const auto larger = [&](const Extreme& a, const Extreme& b) {
    if (!a.is_aligned() || !b.is_aligned()) aligned = false;
    return a.value < b.value ? b : a;
  };
  const auto f = [](std::int64_t i) { return Extreme(i * 7919 % 100'003); };
  for (const int threads : {1, 4}) {
    EXPECT_EQ(generic::transform_reduce(100'003, Extreme(-1), larger, f, {.threads = threads}).value,
              100'002);
    std::vector<Extreme> out(20'000, Extreme(0));
    generic::transform_inclusive_scan(out, larger, f, {.threads = threads});
    for (std::size_t i = 1; i < out.size(); ++i) ASSERT_GE(out[i].value, out[i - 1].value);
  }
  EXPECT_TRUE(aligned);
}

TEST(Generic, MoveOnlyTypes) {
  using Pointer = std::unique_ptr<std::int64_t>;
  const auto add = [](Pointer a, Pointer b) {
    *a += *b;
    return a;
  };
  const auto f = [](std::int64_t i) { return std::make_unique<std::int64_t>(i); };
  for (const int threads : {1, 4})
    EXPECT_EQ(*generic::transform_reduce(1000, f(0), add, f, {.threads = threads}), 499'500);
}

struct Thrown {
  std::int64_t where;
};

/// Counts the objects that live, so that a leak shows.
struct Counted {
  static inline std::atomic<std::int64_t> alive = 0;
  explicit Counted(std::int64_t initial) : value(initial) { ++alive; }
  Counted(const Counted& other) : value(other.value) { ++alive; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
  std::int64_t value;
};

template <class Call>
std::int64_t where_it_throws(Call call) {
  try {
    call();
  } catch (const Thrown& thrown) {
    return thrown.where;
  }
  return -1;
}

TEST(Generic, ExceptionsReachTheCaller) {
  const auto add = [](const Counted& a, const Counted& b) { return Counted(a.value + b.value); };
  for (int threads = 1; threads <= most_threads; ++threads)
    for (const std::int64_t wrong : {0, 5, 17'000, 50'000, 99'999}) {
      // Two elements throw, in different blocks: it is the first's exception that is seen.
      const auto f = [&](std::int64_t i) {
        if (i == wrong || i == 99'999) throw Thrown{i};
        return Counted(i);
      };
      const Execution context = {.threads = threads};
      EXPECT_EQ(
          where_it_throws([&] { (void)generic::transform_reduce(100'000, Counted(0), add, f, context); }),
          wrong);
      std::vector<Counted> out(100'000, Counted(0));
      EXPECT_EQ(where_it_throws([&] { generic::transform_inclusive_scan(out, add, f, context); }), wrong);
      EXPECT_EQ(where_it_throws([&] { generic::transform_exclusive_scan(out, Counted(0), add, f, context); }),
                wrong);
    }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(Generic, AnOperatorMayThrowAtAnyCall) {
  for (int threads = 1; threads <= 4; ++threads)
    for (const std::int64_t limit : {1, 100, 1000, 30'000, 60'000, 79'000}) {
      std::atomic<std::int64_t> calls = 0;
      const auto add = [&](std::int64_t a, std::int64_t b) {
        if (++calls == limit) throw Thrown{limit};
        return a + b;
      };
      std::vector<std::int64_t> out(40'000, 1);
      EXPECT_EQ(where_it_throws([&] { generic::inclusive_scan(out, out, add, {.threads = threads}); }),
                limit);
      calls = 0;
      const std::vector<std::int64_t> x(80'000, 1);
      EXPECT_EQ(
          where_it_throws([&] { (void)generic::reduce(x, std::int64_t{0}, add, {.threads = threads}); }),
          limit);
    }
}

TEST(Generic, ElementsAreAskedForOnce) {
  std::vector<std::atomic<int>> calls(40'000);
  const auto f = [&](std::int64_t i) { return ++calls[static_cast<std::size_t>(i)]; };
  std::vector<int> out(calls.size());
  generic::transform_inclusive_scan(out, std::plus<>(), f, {.threads = 4});
  for (const std::atomic<int>& count : calls) ASSERT_EQ(count, 1);
  EXPECT_EQ(out.back(), 40'000);
}

TEST(Generic, BadArgumentsThrow) {
  std::vector<int> x(10), out(9);
  const auto f = [](std::int64_t i) { return static_cast<int>(i); };
  EXPECT_THROW((void)generic::transform_reduce(-1, 0, std::plus<>(), f), foldline::InvalidArgument);
  EXPECT_THROW(generic::inclusive_scan(x, out, std::plus<>()), foldline::InvalidArgument);
  EXPECT_THROW(generic::exclusive_scan(x, out, 0, std::plus<>()), foldline::InvalidArgument);
  EXPECT_THROW((void)generic::reduce(x, 0, std::plus<>(), {.threads = -1}), foldline::InvalidArgument);
  EXPECT_THROW(generic::inclusive_scan(x, x, std::plus<>(), {.threads = 4097}), foldline::InvalidArgument);
}

}  // namespace
