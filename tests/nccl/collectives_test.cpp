// Element-wise reductions over the ranks of one process, by peers' memory and by NCCL, against the limbs of
// the CPU.
#include <atomic>
#include <chrono>
#include <cmath>

#include "foldline/error.hpp"
#include "ranks.hpp"

namespace {

using foldline::nccl::Options;
using foldline::nccl::Transport;
using ranks::Array;
using ranks::Ranks;

/// Several ranks on one GPU run at the same time if each has few blocks.
Options peers_options(int count, double time_limit = 20, std::int64_t send_from = -1) {
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const int of_device = (count - 1) / std::max(1, ranks::devices()) + 1;
  return {.transport = Transport::peers,
          .time_limit = time_limit,
          .most_blocks = of_device == 1 ? 0 : std::max(1, multiprocessors / (3 * of_device)),
          .send_from = send_from};
}

struct Case {
  std::size_t n;
  int arrays = 1;
  bool scatters = false, in_place = false;
  std::size_t offset = 0;  // in elements from a multiple of 256 bytes
  int repeats = 1;
  bool ordinary = false;
};

/// Elements of which there are many are compared in a sample.
template <class T>
void compare(const std::vector<T>& got, const std::vector<std::vector<T>>& terms, std::size_t first,
             const Case& of, int rank) {
  const std::size_t step = got.size() > 400000 ? 37 : 1;
  std::vector<T> of_element(terms.size());
  for (std::size_t i = 0; i < got.size();
       i += i + step < got.size() || i + 1 == got.size() ? step : got.size() - 1 - i) {
    for (std::size_t p = 0; p < terms.size(); ++p) of_element[p] = terms[p][first + i];
    ASSERT_EQ(ranks::bits_of(got[i]), ranks::bits_of(ranks::sum_by_limbs(of_element)))
        << name_of(foldline::element_type_of<T>) << ", element " << i << " of " << got.size() << " on rank "
        << rank << ", " << terms.size() << " terms, scatters " << of.scatters << ", in place " << of.in_place
        << ", offset " << of.offset;
  }
}

template <class T>
void run(Ranks& ranks, const Case& of, std::uint64_t seed) {
  const int size = ranks.size();
  const std::size_t whole = of.scatters ? of.n * static_cast<std::size_t>(size) : of.n;
  const auto terms = ranks::terms_of<T>(size * of.arrays, whole, seed, of.ordinary);
  std::vector<std::unique_ptr<Array<T>>> in, out;
  for (int rank = 0; rank < size; ++rank) {
    for (int array = 0; array < of.arrays; ++array) {
      in.push_back(std::make_unique<Array<T>>(ranks.device(rank), whole, of.offset));
      in.back()->set(terms[static_cast<std::size_t>(rank * of.arrays + array)]);
    }
    out.push_back(std::make_unique<Array<T>>(ranks.device(rank), of.n, of.offset));
  }
  for (int device = 0; device < ranks::devices(); ++device) {
    cudaSetDevice(device);
    cudaDeviceSynchronize();
  }
  const auto own = [&](int rank, int array) {
    return in[static_cast<std::size_t>(rank * of.arrays + array)]->data();
  };
  const auto target = [&](int rank) {
    if (!of.in_place) return out[static_cast<std::size_t>(rank)]->data();
    return own(rank, of.arrays - 1) + (of.scatters ? of.n * static_cast<std::size_t>(rank) : 0);
  };
  ranks.each([&](int rank) {
    for (int repeat = 0; repeat < of.repeats; ++repeat) {
      std::vector<const void*> arrays;
      for (int array = 0; array < of.arrays; ++array) arrays.push_back(own(rank, array));
      const auto n = static_cast<std::int64_t>(of.n);
      if (of.scatters)
        ranks[rank].reduce_scatter(arrays, target(rank), n, foldline::element_type_of<T>, ranks.stream(rank));
      else
        ranks[rank].all_reduce(arrays, target(rank), n, foldline::element_type_of<T>, ranks.stream(rank));
    }
  });
  ranks.wait();
  for (int rank = 0; rank < size; ++rank) {
    ASSERT_NO_THROW(ranks[rank].check());
    std::vector<T> got(of.n);
    ASSERT_EQ(cudaSetDevice(ranks.device(rank)), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(got.data(), target(rank), of.n * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    ASSERT_NO_FATAL_FAILURE(
        compare(got, terms, of.scatters ? of.n * static_cast<std::size_t>(rank) : 0, of, rank));
  }
}

template <class T>
void run_all(Ranks& ranks, bool with_long) {
  std::uint64_t seed = 1;
  for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 64, 1000, 4095, 4097, 40000})
    for (const int arrays : {1, 2, 4})
      for (const bool scatters : {false, true})
        for (const bool in_place : {false, true})
          for (const std::size_t offset : {0, 1})
            ASSERT_NO_FATAL_FAILURE(run<T>(ranks, {n, arrays, scatters, in_place, offset}, ++seed));
  if (!with_long) return;
  for (const std::size_t n : {1000003, 5000000})
    ASSERT_NO_FATAL_FAILURE(run<T>(ranks, {n, 1, false, n % 2 == 1, 0, 1, n > 4000000}, ++seed));
}

template <class T>
class OverPeers : public testing::Test {
 protected:
  void SetUp() override {
    if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  }
};
using Types = testing::Types<float, foldline::bfloat16, double, foldline::half>;
TYPED_TEST_SUITE(OverPeers, Types);

TYPED_TEST(OverPeers, RanksOfAllDevices) {
  const int count = std::min(ranks::devices(), 8);
  Ranks ranks(count, peers_options(count), false);
  run_all<TypeParam>(ranks, true);
}

TYPED_TEST(OverPeers, SeveralRanksOnADevice) {
  for (const int count : {2, 3, 5, 8}) {
    Ranks ranks(count, peers_options(count), false);
    std::uint64_t seed = 1000;
    for (const std::size_t n : {1, 5, 100, 30001})
      for (const int arrays : {1, 3})
        for (const bool scatters : {false, true})
          ASSERT_NO_FATAL_FAILURE(run<TypeParam>(ranks, {n, arrays, scatters, n % 2 == 0, 0}, ++seed));
  }
}

TYPED_TEST(OverPeers, ThatAreSent) {
  const int count = std::min(ranks::devices(), 8);
  Ranks ranks(count, peers_options(count, 20, 0), false);
  run_all<TypeParam>(ranks, true);
}

/// Long enough for the room of a chunk to be used again.
TYPED_TEST(OverPeers, ThatAreSentBySeveralRanksOnADevice) {
  for (const int count : {2, 3, 5, 8}) {
    Ranks ranks(count, peers_options(count, 20, 0), false);
    std::uint64_t seed = 2000;
    for (const std::size_t n : {1, 5, 100, 30001})
      for (const int arrays : {1, 3, 8})
        for (const bool scatters : {false, true})
          ASSERT_NO_FATAL_FAILURE(run<TypeParam>(ranks, {n, arrays, scatters, n % 2 == 0, 0}, ++seed));
    for (const int arrays : {1, 4})
      for (const bool in_place : {false, true})
        ASSERT_NO_FATAL_FAILURE(run<TypeParam>(
            ranks, {1500003, arrays, false, in_place, 0, in_place ? 1 : 3, arrays == 4}, ++seed));
  }
}

class Peers : public OverPeers<float> {};

TEST_F(Peers, RepeatedCalls) {
  const int count = std::max(2, std::min(ranks::devices(), 8));
  Ranks ranks(count, peers_options(count), false);
  for (const std::size_t n : {100, 100000}) run<float>(ranks, {n, 1, false, false, 0, 200}, n);
  run<foldline::bfloat16>(ranks, {3000, 2, true, false, 0, 200}, 5);
  Ranks sending(count, peers_options(count, 20, 100000), false);
  for (const std::size_t n : {100, 100000}) run<float>(sending, {n, 1, false, false, 0, 200}, n);
  run<foldline::bfloat16>(sending, {300000, 2, true, false, 0, 200}, 5);
}

TEST_F(Peers, InAGraph) {
  const int count = std::max(2, std::min(ranks::devices(), 8));
  Ranks ranks(count, peers_options(count), false);
  constexpr std::size_t n = 10000;
  std::vector<std::unique_ptr<Array<float>>> in, out;
  std::vector<cudaGraphExec_t> graphs;
  for (int rank = 0; rank < count; ++rank) {
    in.push_back(std::make_unique<Array<float>>(ranks.device(rank), n));
    out.push_back(std::make_unique<Array<float>>(ranks.device(rank), n));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(ranks.stream(rank), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    ranks[rank].all_reduce(in.back()->data(), out.back()->data(), n, ranks.stream(rank));
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(ranks.stream(rank), &graph), cudaSuccess);
    graphs.emplace_back();
    ASSERT_EQ(cudaGraphInstantiate(&graphs.back(), graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphUpload(graphs.back(), ranks.stream(rank)), cudaSuccess);
    cudaGraphDestroy(graph);
  }
  ranks.wait();
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    const auto terms = ranks::terms_of<float>(count, n, 77 + replay);
    for (int rank = 0; rank < count; ++rank)
      in[static_cast<std::size_t>(rank)]->set(terms[static_cast<std::size_t>(rank)]);
    for (int device = 0; device < ranks::devices(); ++device) cudaSetDevice(device), cudaDeviceSynchronize();
    for (int rank = 0; rank < count; ++rank) {
      cudaSetDevice(ranks.device(rank));
      ASSERT_EQ(cudaGraphLaunch(graphs[static_cast<std::size_t>(rank)], ranks.stream(rank)), cudaSuccess);
    }
    ranks.wait();
    for (int rank = 0; rank < count; ++rank) {
      ASSERT_NO_THROW(ranks[rank].check());
      ASSERT_NO_FATAL_FAILURE(compare(out[static_cast<std::size_t>(rank)]->get(), terms, 0, {n}, rank));
    }
  }
  for (const cudaGraphExec_t graph : graphs) cudaGraphExecDestroy(graph);
}

void expect_nan(const Array<float>& array) {
  for (const float x : array.get()) ASSERT_TRUE(std::isnan(x));
}

TEST_F(Peers, ThatSendDifferentlyAreAnError) {
  Ranks ranks(2, peers_options(2, 5, 1000), false);
  Array<float> in0(ranks.device(0), 1000), out0(ranks.device(0), 1000);
  Array<double> in1(ranks.device(1), 1000), out1(ranks.device(1), 1000);
  ranks[0].all_reduce(in0.data(), out0.data(), 1000, ranks.stream(0));
  ranks[1].all_reduce(in1.data(), out1.data(), 1000, ranks.stream(1));
  ranks.wait();
  EXPECT_THROW(ranks[0].check(), foldline::DeviceError);
  EXPECT_THROW(ranks[1].check(), foldline::DeviceError);
  expect_nan(out0);
}

TEST_F(Peers, ThatDoNotCome) {
  Ranks ranks(2, peers_options(2, 0.3), false);
  Array<float> in(ranks.device(0), 1000), out(ranks.device(0), 1000);
  in.set(std::vector<float>(1000, 1.0f));
  const auto begin = std::chrono::steady_clock::now();
  ranks[0].all_reduce(in.data(), out.data(), 1000, ranks.stream(0));
  ranks.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  EXPECT_THROW(ranks[0].check(), foldline::DeviceError);
  EXPECT_THROW(ranks[0].all_reduce(in.data(), out.data(), 1000, ranks.stream(0)), foldline::DeviceError);
  EXPECT_NO_THROW(ranks[1].check());
  expect_nan(out);
}

TEST_F(Peers, ThatAskForSomethingElse) {
  for (const int which : {0, 1, 2}) {
    Ranks ranks(2, peers_options(2, 5), false);
    Array<float> in0(ranks.device(0), 100000), out0(ranks.device(0), 100000);
    Array<float> in1(ranks.device(1), 100000), out1(ranks.device(1), 100000);
    ranks[0].all_reduce(in0.data(), out0.data(), 90000, ranks.stream(0));
    if (which == 0) ranks[1].all_reduce(in1.data(), out1.data(), 100, ranks.stream(1));
    if (which == 1)
      ranks[1].all_reduce(reinterpret_cast<double*>(in1.data()), reinterpret_cast<double*>(out1.data()),
                          45000, ranks.stream(1));
    if (which == 2) ranks[1].reduce_scatter(in1.data(), out1.data(), 45000, ranks.stream(1));
    ranks.wait();
    EXPECT_THROW(ranks[0].check(), foldline::DeviceError);
    EXPECT_THROW(ranks[1].check(), foldline::DeviceError);
    expect_nan(out0);
  }
}

TEST_F(Peers, RefuseWhatMakesNoSense) {
  Ranks ranks(1, peers_options(1), false);
  Array<float> a(0, 10);
  const void* const arrays[] = {a.data()};
  const auto call = [&](std::span<const void* const> in, void* out, std::int64_t n,
                        foldline::ElementType type) {
    ranks[0].all_reduce(in, out, n, type, ranks.stream(0));
  };
  using foldline::ElementType;
  EXPECT_THROW(call(arrays, a.data(), -1, ElementType::float32), foldline::InvalidArgument);
  EXPECT_THROW(call(arrays, a.data(), 1, ElementType::int32), foldline::InvalidArgument);
  EXPECT_THROW(call(arrays, nullptr, 1, ElementType::float32), foldline::InvalidArgument);
  EXPECT_THROW(call({}, a.data(), 1, ElementType::float32), foldline::InvalidArgument);
  EXPECT_THROW(call(arrays, a.data(), std::int64_t{1} << 60, ElementType::float32),
               foldline::InvalidArgument);
  EXPECT_NO_THROW(call(arrays, a.data(), 0, ElementType::float32));
}

template <class T>
class ByMessages : public OverPeers<T> {
 protected:
  void SetUp() override {
    OverPeers<T>::SetUp();
    if (!this->IsSkipped() && !ranks::nccl().is_there) GTEST_SKIP() << "no NCCL";
  }
};
TYPED_TEST_SUITE(ByMessages, Types);

TYPED_TEST(ByMessages, RanksOfAllDevices) {
  const int count = std::min(ranks::devices(), 8);
  Ranks ranks(count, {.transport = Transport::nccl, .chunk_bytes = std::int64_t{1} << 20}, true);
  run_all<TypeParam>(ranks, true);
  run<TypeParam>(ranks, {20000, 1, false, false, 0, 100}, 3);
}

}  // namespace
