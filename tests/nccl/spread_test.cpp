// Numbers from data that is spread over the ranks of one process, against one rank that has all of it, which
// is one call of the library's reductions.
#include <cmath>

#include "foldline/error.hpp"
#include "foldline/foldline.hpp"
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

/// Scans beside those of the CPU.
template <class T, class R>
void run_scans(Ranks& ranks, std::size_t n, std::uint64_t seed) {
  std::vector<T> terms = ranks::terms_of<T>(1, n, seed, seed % 2 == 0)[0];
  if (seed % 3 != 0)
    for (T& x : terms)
      if (!std::isfinite(ranks::value_of(x))) x = T(1.0f);
  if (seed % 7 == 3) std::fill(terms.begin(), terms.end(), T(-0.0f));
  const double init = seed % 3 == 0 ? -0.0 : seed % 3 == 1 ? 0.1 : -1e300;
  std::vector<R> inclusive(n), exclusive(n);
  foldline::inclusive_scan(terms,
                           foldline::MutableVectorView(inclusive.data(), static_cast<std::int64_t>(n)));
  foldline::exclusive_scan(terms, foldline::MutableVectorView(exclusive.data(), static_cast<std::int64_t>(n)),
                           init);
  const std::vector<std::size_t> ends = cuts(n, ranks.size(), seed + 5);
  for (const bool is_inclusive : {true, false}) {
    const bool in_place = std::is_same_v<T, R> && seed % 2 == 1;
    std::vector<std::unique_ptr<Array<T>>> x;
    std::vector<std::unique_ptr<Array<R>>> out;
    for (std::size_t rank = 0, begin = 0; rank < ends.size(); begin = ends[rank++]) {
      const int device = ranks.device(static_cast<int>(rank));
      x.push_back(std::make_unique<Array<T>>(device, ends[rank] - begin, seed % 3));
      x.back()->set({terms.begin() + static_cast<std::ptrdiff_t>(begin),
                     terms.begin() + static_cast<std::ptrdiff_t>(ends[rank])});
      out.push_back(std::make_unique<Array<R>>(device, ends[rank] - begin, seed % 4 == 0 ? 1 : seed % 3));
    }
    for (int device = 0; device < ranks::devices(); ++device) cudaSetDevice(device), cudaDeviceSynchronize();
    const auto target = [&](std::size_t rank) {
      return in_place ? reinterpret_cast<R*>(x[rank]->data()) : out[rank]->data();
    };
    ranks.each([&](int rank) {
      const auto i = static_cast<std::size_t>(rank);
      const auto size = static_cast<std::int64_t>(ends[i] - (i == 0 ? 0 : ends[i - 1]));
      const foldline::VectorView from(x[i]->data(), size);
      const foldline::MutableVectorView to(target(i), size);
      if (is_inclusive)
        ranks[rank].inclusive_scan(from, to, ranks.stream(rank));
      else
        ranks[rank].exclusive_scan(from, to, foldline::Scalar(init), ranks.stream(rank));
    });
    ranks.wait();
    for (std::size_t rank = 0, begin = 0; rank < ends.size(); begin = ends[rank++]) {
      ASSERT_NO_THROW(ranks[static_cast<int>(rank)].check());
      std::vector<R> got(ends[rank] - begin);
      ASSERT_EQ(cudaMemcpy(got.data(), target(rank), got.size() * sizeof(R), cudaMemcpyDefault), cudaSuccess);
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(ranks::bits_of(got[i]), ranks::bits_of((is_inclusive ? inclusive : exclusive)[begin + i]))
            << "element " << begin + i << " of " << n << ", rank " << rank << ", inclusive " << is_inclusive
            << ", seed " << seed;
    }
  }
}

void run_statistics(Ranks& ranks, std::size_t n, std::uint64_t seed) {
  using Numbers = foldline::Statistics<double, double, double>;
  const std::vector<float> terms = ranks::terms_of<float>(1, n, seed, seed % 2 == 0)[0];
  const Numbers wanted = foldline::statistics<double>(terms, {.ddof = 1});
  const std::vector<std::size_t> ends = cuts(n, ranks.size(), seed);
  std::vector<std::unique_ptr<Array<float>>> x;
  std::vector<std::unique_ptr<Array<Numbers>>> results;
  for (std::size_t rank = 0, begin = 0; rank < ends.size(); begin = ends[rank++]) {
    x.push_back(std::make_unique<Array<float>>(ranks.device(static_cast<int>(rank)), ends[rank] - begin));
    x.back()->set({terms.begin() + static_cast<std::ptrdiff_t>(begin),
                   terms.begin() + static_cast<std::ptrdiff_t>(ends[rank])});
    results.push_back(std::make_unique<Array<Numbers>>(ranks.device(static_cast<int>(rank)), 1));
  }
  for (int device = 0; device < ranks::devices(); ++device) cudaSetDevice(device), cudaDeviceSynchronize();
  ranks.each([&](int rank) {
    const auto i = static_cast<std::size_t>(rank);
    ranks[rank].statistics(
        foldline::VectorView(x[i]->data(), static_cast<std::int64_t>(ends[i] - (i == 0 ? 0 : ends[i - 1]))),
        results[i]->data(), {.ddof = 1}, ranks.stream(rank));
  });
  ranks.wait();
  for (const auto& result : results) {
    const Numbers got = result->get()[0];
    ASSERT_EQ(std::memcmp(&got, &wanted, sizeof got), 0)
        << n << ": sum " << got.sum << ", " << wanted.sum << ", variance " << got.variance << ", "
        << wanted.variance << ", maximum " << got.maximum << ", " << wanted.maximum;
  }
}

template <class T>
void run_all(Ranks& ranks) {
  std::uint64_t seed = 0;
  for (const std::size_t n : {0, 1, 2, 3, 10, 1000, 100000})
    for (int i = 0; i < 2; ++i) {
      ASSERT_NO_FATAL_FAILURE((run<T, T>(ranks, n, ++seed)));
      ASSERT_NO_FATAL_FAILURE((run_scans<T, T>(ranks, n, seed)));
      ASSERT_NO_FATAL_FAILURE(run_statistics(ranks, n, seed));
      if constexpr (!std::is_same_v<T, double>) {
        ASSERT_NO_FATAL_FAILURE((run_scans<T, double>(ranks, n, seed)));
      }
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

/// Each rank's accumulator has then what one has that was given everything.
TEST(Spread, Accumulators) {
  if (ranks::devices() == 0 || !ranks::nccl().is_there) GTEST_SKIP() << "needs a GPU and NCCL";
  for (const Transport transport : {Transport::nccl, Transport::automatic}) {
    Ranks ranks(std::min(ranks::devices(), 8), {.transport = transport, .time_limit = 20}, true);
    const auto count = static_cast<std::size_t>(ranks.size());
    for (const Operation operation : {Operation::sum, Operation::abs_sum, Operation::variance, Operation::dot,
                                      Operation::range, Operation::statistics}) {
      const bool two = operation == Operation::dot;
      const auto doubles = ranks::terms_of<double>(static_cast<int>(2 * count), 1000, 7);
      const std::vector<float> floats = ranks::terms_of<float>(1, 500, 8)[0];
      foldline::Accumulator whole(operation);
      std::vector<foldline::Accumulator> of_ranks(count, foldline::Accumulator(operation));
      for (std::size_t rank = 0; rank < count; ++rank)
        for (foldline::Accumulator* const to : {&whole, &of_ranks[rank]}) {
          if (rank % 3 == 2) continue;  // has nothing
          if (two)
            to->add(doubles[2 * rank], doubles[2 * rank + 1]);
          else
            to->add(doubles[rank]), to->add(floats);
        }
      ranks.each([&](int rank) {
        EXPECT_NO_THROW(ranks[rank].all_reduce(of_ranks[static_cast<std::size_t>(rank)], ranks.stream(rank)));
      });
      for (const foldline::Accumulator& of : of_ranks)
        EXPECT_EQ(of.serialise(), whole.serialise()) << name_of(operation);
    }
  }
}

TEST(Spread, DifferentAccumulatorsAreAnError) {
  if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  Ranks without(2, {.transport = Transport::peers, .time_limit = 20}, false);
  foldline::Accumulator sum(Operation::sum);
  EXPECT_THROW(without[0].all_reduce(sum, without.stream(0)), foldline::InvalidArgument);
  if (ranks::devices() < 2 || !ranks::nccl().is_there) return;
  for (const Transport transport : {Transport::nccl, Transport::automatic}) {
    Ranks ranks(2, {.transport = transport, .time_limit = 20}, true);
    ranks.each([&](int rank) {
      foldline::Accumulator own(rank == 0 ? Operation::sum : Operation::mean);
      own.add(1.0);
      EXPECT_THROW(ranks[rank].all_reduce(own, ranks.stream(rank)), foldline::DeviceError);
      EXPECT_EQ(own.count(), 1);
    });
  }
}

/// Two ranks call different things: both get an error and no number.
template <class First, class Second>
void expect_mismatch(const First& first, const Second& second) {
  if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  for (const bool by_messages : {false, true}) {
    if (by_messages && (!ranks::nccl().is_there || ranks::devices() < 2)) continue;
    Ranks ranks(2, {.transport = by_messages ? Transport::nccl : Transport::peers, .time_limit = 20},
                by_messages);
    Array<double> x0(ranks.device(0), 10), r0(ranks.device(0), 10), x1(ranks.device(1), 10),
        r1(ranks.device(1), 10);
    ranks.each([&](int rank) {
      if (rank == 0)
        first(ranks[0], foldline::VectorView(x0.data(), 10), r0.data(), ranks.stream(0));
      else
        second(ranks[1], foldline::VectorView(x1.data(), 10), r1.data(), ranks.stream(1));
    });
    ranks.wait();
    for (const int rank : {0, 1}) EXPECT_THROW(ranks[rank].check(), foldline::DeviceError) << by_messages;
    EXPECT_TRUE(std::isnan(r0.get()[0]));
    EXPECT_TRUE(std::isnan(r1.get()[0]));
  }
}

TEST(Spread, DifferentDdofIsAnError) {
  const auto variance_of = [](std::int64_t ddof) {
    return [ddof](Communicator& rank, const foldline::VectorView& x, double* result, void* stream) {
      rank.variance(x, result, {.ddof = ddof}, stream);
    };
  };
  expect_mismatch(variance_of(0), variance_of(1));
}

TEST(Spread, DifferentTypesAreAnError) {
  expect_mismatch([](Communicator& rank, const foldline::VectorView& x, double* result,
                     void* stream) { rank.sum(x, result, stream); },
                  [](Communicator& rank, const foldline::VectorView& x, double* result, void* stream) {
                    rank.sum(foldline::VectorView(static_cast<const float*>(x.data()), 10), result, stream);
                  });
}

TEST(Spread, DifferentScansAreAnError) {
  const auto scan_from = [](double init) {
    return [init](Communicator& rank, const foldline::VectorView& x, double* result, void* stream) {
      rank.exclusive_scan(x, foldline::MutableVectorView(result, 10), foldline::Scalar(init), stream);
    };
  };
  expect_mismatch(scan_from(1), scan_from(2));
  expect_mismatch(scan_from(0),
                  [](Communicator& rank, const foldline::VectorView& x, double* result, void* stream) {
                    rank.inclusive_scan(x, foldline::MutableVectorView(result, 10), stream);
                  });
  expect_mismatch(scan_from(0), [](Communicator& rank, const foldline::VectorView& x, double* result,
                                   void* stream) { rank.sum(x, result, stream); });
}

/// Sums and scans that go through pipelines, replayed.
TEST(Spread, InAGraph) {
  if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  const int count = std::max(2, std::min(ranks::devices(), 8));
  Ranks ranks(count, {.transport = Transport::peers, .time_limit = 20}, false);
  constexpr std::size_t n = 300000;
  std::vector<std::unique_ptr<Array<double>>> x, out, sum;
  std::vector<cudaGraphExec_t> graphs;
  for (int rank = 0; rank < count; ++rank) {
    x.push_back(std::make_unique<Array<double>>(ranks.device(rank), n));
    out.push_back(std::make_unique<Array<double>>(ranks.device(rank), n));
    sum.push_back(std::make_unique<Array<double>>(ranks.device(rank), 1));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(ranks.stream(rank), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    const foldline::VectorView view(x.back()->data(), static_cast<std::int64_t>(n));
    ranks[rank].sum(view, sum.back()->data(), ranks.stream(rank));
    ranks[rank].inclusive_scan(view, {out.back()->data(), static_cast<std::int64_t>(n)}, ranks.stream(rank));
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(ranks.stream(rank), &graph), cudaSuccess);
    graphs.emplace_back();
    ASSERT_EQ(cudaGraphInstantiate(&graphs.back(), graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphUpload(graphs.back(), ranks.stream(rank)), cudaSuccess);
    cudaGraphDestroy(graph);
  }
  ranks.wait();
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    std::vector<double> all;
    for (int rank = 0; rank < count; ++rank) {
      const auto terms =
          ranks::terms_of<double>(1, n, replay * 100 + static_cast<std::uint64_t>(rank), true)[0];
      x[static_cast<std::size_t>(rank)]->set(terms);
      all.insert(all.end(), terms.begin(), terms.end());
    }
    for (int device = 0; device < ranks::devices(); ++device) cudaSetDevice(device), cudaDeviceSynchronize();
    for (int rank = 0; rank < count; ++rank) {
      cudaSetDevice(ranks.device(rank));
      ASSERT_EQ(cudaGraphLaunch(graphs[static_cast<std::size_t>(rank)], ranks.stream(rank)), cudaSuccess);
    }
    ranks.wait();
    std::vector<double> wanted(all.size());
    foldline::inclusive_scan(all, wanted);
    for (int rank = 0; rank < count; ++rank) {
      ASSERT_NO_THROW(ranks[rank].check());
      ASSERT_EQ(sum[static_cast<std::size_t>(rank)]->get()[0], wanted.back());
      const auto got = out[static_cast<std::size_t>(rank)]->get();
      ASSERT_EQ(
          std::memcmp(got.data(), wanted.data() + static_cast<std::size_t>(rank) * n, n * sizeof(double)), 0);
    }
  }
  for (const cudaGraphExec_t graph : graphs) cudaGraphExecDestroy(graph);
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
