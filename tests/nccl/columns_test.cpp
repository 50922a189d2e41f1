// Sums of columns of a matrix whose rows are spread over the ranks of one process, against those of the CPU.
#include <cmath>

#include "foldline/error.hpp"
#include "foldline/foldline.hpp"
#include "ranks.hpp"

namespace {

using foldline::Layout;
using foldline::MatrixView;
using foldline::MutableVectorView;
using foldline::nccl::Transport;
using ranks::Array;
using ranks::Ranks;

/// Rows as they lie in memory: with gaps of 3 elements, and column-major ones transposed.
template <class T>
std::vector<T> laid_out(const std::vector<T>& a, std::size_t first, std::size_t rows, std::size_t columns,
                        Layout layout) {
  const bool by_rows = layout == Layout::row_major;
  const std::size_t step = (by_rows ? columns : rows) + 3;
  std::vector<T> result((by_rows ? rows : columns) * step, T(NAN));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      result[by_rows ? i * step + j : j * step + i] = a[(first + i) * columns + j];
  return result;
}

template <class T, class R>
void run(Ranks& ranks, std::size_t rows, std::size_t columns, Layout layout, std::uint64_t seed) {
  std::vector<T> a = ranks::terms_of<T>(1, rows * columns, seed, seed % 2 == 0)[0];
  if (seed % 3 == 0) std::fill(a.begin(), a.end(), T(-0.0f));
  if (seed % 3 == 1)  // else most columns of many rows have a NaN
    for (T& x : a)
      if (!std::isfinite(ranks::value_of(x))) x = T(1.0f);
  std::vector<R> wanted(columns);
  const auto m = static_cast<std::int64_t>(columns);
  foldline::reduce_columns(foldline::Operation::sum, MatrixView(a.data(), static_cast<std::int64_t>(rows), m),
                           foldline::MutableArrayView(wanted));
  ranks::Random random(seed);
  std::vector<std::size_t> ends;
  for (int rank = 0; rank + 1 < ranks.size(); ++rank) ends.push_back(random.bits() % (rows + 1));
  std::sort(ends.begin(), ends.end());
  ends.push_back(rows);
  std::vector<std::unique_ptr<Array<T>>> parts;
  std::vector<std::unique_ptr<Array<R>>> results;
  for (std::size_t rank = 0, begin = 0; rank < ends.size(); begin = ends[rank++]) {
    const std::vector<T> part = laid_out(a, begin, ends[rank] - begin, columns, layout);
    parts.push_back(std::make_unique<Array<T>>(ranks.device(static_cast<int>(rank)), part.size()));
    parts.back()->set(part);
    results.push_back(std::make_unique<Array<R>>(ranks.device(static_cast<int>(rank)), columns, seed % 2));
  }
  for (int device = 0; device < ranks::devices(); ++device) cudaSetDevice(device), cudaDeviceSynchronize();
  ranks.each([&](int rank) {
    const auto i = static_cast<std::size_t>(rank);
    const auto n = static_cast<std::int64_t>(ends[i] - (i == 0 ? 0 : ends[i - 1]));
    ranks[rank].column_sums(
        MatrixView(parts[i]->data(), n, m, layout, (layout == Layout::row_major ? m : n) + 3),
        MutableVectorView(results[i]->data(), m), ranks.stream(rank));
  });
  ranks.wait();
  for (int rank = 0; rank < ranks.size(); ++rank) {
    ASSERT_NO_THROW(ranks[rank].check());
    const std::vector<R> got = results[static_cast<std::size_t>(rank)]->get();
    for (std::size_t j = 0; j < columns; ++j)
      ASSERT_EQ(ranks::bits_of(got[j]), ranks::bits_of(wanted[j]))
          << "column " << j << " of " << rows << " x " << columns << ", rank " << rank << ", seed " << seed;
  }
}

template <class T>
void run_all(Ranks& ranks) {
  std::uint64_t seed = 0;
  for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 5}, {1, 1}, {3, 7}, {1000, 1}, {37, 33}, {5, 3000}, {2000, 64}, {70000, 3}, {3, 60001}})
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      ASSERT_NO_FATAL_FAILURE((run<T, T>(ranks, rows, columns, layout, ++seed)));
      ASSERT_NO_FATAL_FAILURE((run<T, double>(ranks, rows, columns, layout, ++seed)));
    }
}

template <class T>
class Columns : public testing::Test {
 protected:
  void SetUp() override {
    if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  }
};
using Types = testing::Types<double, float, foldline::bfloat16, foldline::half>;
TYPED_TEST_SUITE(Columns, Types);

TYPED_TEST(Columns, OverPeers) {
  for (const int count : {1, 3, std::min(ranks::devices(), 8)}) {
    Ranks ranks(count, {.transport = Transport::peers, .time_limit = 20, .most_blocks = 16}, false);
    run_all<TypeParam>(ranks);
  }
}

TYPED_TEST(Columns, ByMessages) {
  if (!ranks::nccl().is_there) GTEST_SKIP() << "no NCCL";
  Ranks ranks(std::min(ranks::devices(), 8), {.transport = Transport::nccl}, true);
  run_all<TypeParam>(ranks);
}

TEST(ColumnSums, OfDifferentMatricesAreAnError) {
  if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  for (const bool of_types : {false, true}) {
    Ranks ranks(2, {.transport = Transport::peers, .time_limit = 20, .most_blocks = 16}, false);
    Array<double> a0(ranks.device(0), 100), a1(ranks.device(1), 100), out0(ranks.device(0), 10),
        out1(ranks.device(1), 10);
    ranks[0].column_sums(MatrixView(a0.data(), 5, 10), MutableVectorView(out0.data(), 10), ranks.stream(0));
    if (of_types)
      ranks[1].column_sums(MatrixView(reinterpret_cast<const float*>(a1.data()), 5, 10),
                           MutableVectorView(out1.data(), 10), ranks.stream(1));
    else
      ranks[1].column_sums(MatrixView(a1.data(), 5, 9), MutableVectorView(out1.data(), 9), ranks.stream(1));
    ranks.wait();
    EXPECT_THROW(ranks[0].check(), foldline::DeviceError);
    EXPECT_THROW(ranks[1].check(), foldline::DeviceError);
    for (const double x : out0.get()) EXPECT_TRUE(std::isnan(x));
  }
}

TEST(ColumnSums, RefuseWhatMakesNoSense) {
  if (ranks::devices() == 0) GTEST_SKIP() << "no GPU";
  Ranks ranks(1, {.transport = Transport::peers, .most_blocks = 16}, false);
  Array<double> a(0, 100);
  const auto call = [&](std::int64_t size, std::int64_t stride) {
    ranks[0].column_sums(MatrixView(a.data(), 2, 4),
                         MutableVectorView(a.data() + 10, foldline::ElementType::float64, size, stride),
                         ranks.stream(0));
  };
  EXPECT_THROW(call(3, 1), foldline::InvalidArgument);
  EXPECT_THROW(call(4, 2), foldline::InvalidArgument);
}

}  // namespace
