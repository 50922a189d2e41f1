// Numbers from data that is spread over the ranks of one process, against one rank that has all of it, which
// is one call of the library's reductions.
#include <cmath>

#include "foldline/error.hpp"
#include "ranks.hpp"

namespace {

using foldline::Operation;
using foldline::nccl::Communicator;
using foldline::nccl::Options;
using foldline::nccl::Transport;
using ranks::Array;
using ranks::Ranks;

/// Parts of n elements, some of them empty.
std::vector<std::size_t> cuts(std::size_t n, int count, std::uint64_t seed) {
  ranks::Random random(seed);
  std::vector<std::size_t> ends;
  for (int i = 0; i + 1 < count; ++i) ends.push_back(random.bits() % 3 == 0 ? 0 : random.bits() % (n + 1));
  std::sort(ends.begin(), ends.end());
  ends.push_back(n);
  return ends;
}

template <class T, class R>
void run(Ranks& ranks, std::size_t n, std::uint64_t seed) {
  auto terms = ranks::terms_of<T>(2, n, seed, seed % 2 == 0);
  if (seed % 5 == 1)
    for (auto& of : terms)
      for (T& x : of)
        if (!std::isfinite(ranks::value_of(x))) x = T(1.0f);
  if (seed % 7 == 3) std::fill(terms[0].begin(), terms[0].end(), T(-0.0f));
  Array<T> x(0, n), y(0, n);
  x.set(terms[0]);
  y.set(terms[1]);
  const std::vector<std::size_t> ends = cuts(n, ranks.size(), seed);
  std::vector<std::unique_ptr<Array<T>>> parts_x, parts_y;
  std::vector<std::unique_ptr<Array<R>>> results;
  for (std::size_t rank = 0, begin = 0; rank < ends.size(); begin = ends[rank++]) {
    const auto at = static_cast<std::ptrdiff_t>(begin), end = static_cast<std::ptrdiff_t>(ends[rank]);
    for (auto* const parts : {&parts_x, &parts_y}) {
      const auto& whole = terms[parts == &parts_x ? 0 : 1];
      parts->push_back(
          std::make_unique<Array<T>>(ranks.device(static_cast<int>(rank)), ends[rank] - begin, seed % 3));
      parts->back()->set({whole.begin() + at, whole.begin() + end});
    }
    results.push_back(std::make_unique<Array<R>>(ranks.device(static_cast<int>(rank)), 1));
  }
  for (int device = 0; device < ranks::devices(); ++device) cudaSetDevice(device), cudaDeviceSynchronize();
  const int first[] = {0};
  std::vector<Communicator> alone = Communicator::of_devices(first);
  Array<R> expected(0, 1);
  const auto count = static_cast<std::int64_t>(n);
  for (const Operation operation :
       {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::mean, Operation::variance,
        Operation::standard_error, Operation::root_mean_square, Operation::minimum, Operation::maximum,
        Operation::dot, Operation::weighted_mean}) {
    const bool two = operation == Operation::dot || operation == Operation::weighted_mean;
    if (n == 0 && (operation == Operation::minimum || operation == Operation::maximum)) continue;
    const auto call = [&](Communicator& rank, const T* of_x, const T* of_y, std::int64_t size, R* result,
                          void* stream) {
      const foldline::VectorView a(of_x, size), b(of_y, size);
      if (two)
        rank.reduce(operation, a, b, foldline::MutableVectorView(result, 1), stream);
      else
        rank.reduce(operation, a, foldline::MutableVectorView(result, 1), {}, stream);
    };
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    call(alone[0], x.data(), y.data(), count, expected.data(), nullptr);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const R wanted = expected.get()[0];
    if constexpr (std::is_same_v<T, R>)
      if (operation == Operation::sum) {
        ASSERT_EQ(ranks::bits_of(wanted), ranks::bits_of(ranks::sum_by_limbs(terms[0])));
      }
    ranks.each([&](int rank) {
      const auto i = static_cast<std::size_t>(rank);
      call(ranks[rank], parts_x[i]->data(), parts_y[i]->data(),
           static_cast<std::int64_t>(ends[i] - (i == 0 ? 0 : ends[i - 1])), results[i]->data(),
           ranks.stream(rank));
    });
    ranks.wait();
    for (int rank = 0; rank < ranks.size(); ++rank) {
      ASSERT_NO_THROW(ranks[rank].check());
      ASSERT_EQ(ranks::bits_of(results[static_cast<std::size_t>(rank)]->get()[0]), ranks::bits_of(wanted))
          << "operation " << static_cast<int>(operation) << " of " << n << ", rank " << rank << ", seed "
          << seed;
    }
  }
}

template <class T>
void run_all(Ranks& ranks) {
  std::uint64_t seed = 0;
  for (const std::size_t n : {0, 1, 2, 3, 10, 1000, 100000})
    for (int i = 0; i < 2; ++i) {
      ASSERT_NO_FATAL_FAILURE((run<T, T>(ranks, n, ++seed)));
      if constexpr (!std::is_same_v<T, double>) {
        ASSERT_NO_FATAL_FAILURE((run<T, double>(ranks, n, ++seed)));
      }
    }
}

template <class T>
class SpreadOf : public testing::Test {
 protected:
  void SetUp() override {
    if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  }
};
using Types = testing::Types<double, float, foldline::bfloat16>;
TYPED_TEST_SUITE(SpreadOf, Types);

TYPED_TEST(SpreadOf, OverPeers) {
  const int count = std::min(ranks::devices(), 8);
  Ranks ranks(count, {.transport = Transport::peers, .time_limit = 20}, false);
  run_all<TypeParam>(ranks);
}

TYPED_TEST(SpreadOf, OverSeveralRanksOnADevice) {
  for (const int count : {3, 8}) {
    Ranks ranks(count, {.transport = Transport::peers, .time_limit = 20}, false);
    run_all<TypeParam>(ranks);
  }
}

TYPED_TEST(SpreadOf, ByMessages) {
  if (!ranks::nccl().is_there) GTEST_SKIP() << "no NCCL";
  const int count = std::min(ranks::devices(), 8);
  Ranks ranks(count, {.transport = Transport::nccl}, true);
  run_all<TypeParam>(ranks);
}

TEST(Spread, DifferentOperationsAreAnError) {
  if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  Ranks ranks(2, {.transport = Transport::peers, .time_limit = 20}, false);
  Array<double> x0(ranks.device(0), 10), r0(ranks.device(0), 1), x1(ranks.device(1), 10),
      r1(ranks.device(1), 1);
  ranks[0].sum(foldline::VectorView(x0.data(), 10), r0.data(), ranks.stream(0));
  ranks[1].mean(foldline::VectorView(x1.data(), 10), r1.data(), ranks.stream(1));
  ranks.wait();
  EXPECT_THROW(ranks[0].check(), foldline::DeviceError);
  EXPECT_THROW(ranks[1].check(), foldline::DeviceError);
  EXPECT_TRUE(std::isnan(r0.get()[0]));
  EXPECT_TRUE(std::isnan(r1.get()[0]));
}

}  // namespace
