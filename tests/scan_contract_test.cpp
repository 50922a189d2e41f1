// What the contract says of scans, line by line.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "foldline/scan.hpp"
#include "scan_cases.hpp"

namespace {

using cases::infinity;
using cases::scanned;
using foldline::exclusive_scan;
using foldline::inclusive_scan;
using foldline::InvalidArgument;
using foldline::MutableVectorView;
using foldline::Operation;
using foldline::RunningScan;
using foldline::ScanKind;
using foldline::VectorView;

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
  EXPECT_THROW(exclusive_scan(x, out, 0, {.execution = {.threads = -1}}), InvalidArgument);
  EXPECT_NO_THROW(inclusive_scan(VectorView(), MutableVectorView()));
  EXPECT_NO_THROW(inclusive_scan(VectorView(x.data(), 1), MutableVectorView(out.data(), 1, 0)));
  try {
    inclusive_scan(x, MutableVectorView(out.data(), 2));
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "inclusive_scan: the vectors must have the same size, but x has 3 and out 2 elements");
  }
}

TEST(RunningScan, GoesOnAfterAnAccumulator) {
  const std::vector<double> x = {1e16, 1, -1e16, 0x1p-1074, 3, 1e308, 1e308, -1e308}, special = {INFINITY, 1};
  std::vector<double> whole(x.size());
  for (const auto operation : {Operation::sum, Operation::mean, Operation::variance, Operation::statistics})
    for (std::size_t cut = 0; cut <= x.size(); ++cut)
      for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
        kind == ScanKind::inclusive ? inclusive_scan(x, whole) : exclusive_scan(x, whole);
        foldline::Accumulator before(operation);
        before.add(std::span(x).first(cut));
        const auto rest = std::span(x).subspan(cut);
        std::vector<double> out(rest.size());
        RunningScan(kind, before).next(rest, out);
        for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], whole[cut + i]) << cut << ' ' << i;
      }
  foldline::Accumulator infinite(Operation::sum), empty(Operation::sum), norm(Operation::two_norm);
  infinite.add(special);
  std::vector<double> out(1);
  RunningScan(ScanKind::inclusive, infinite).next(std::vector<double>{1}, out);
  EXPECT_EQ(out[0], INFINITY);
  RunningScan(ScanKind::exclusive, empty).next(std::vector<double>{-0.0}, out);
  EXPECT_FALSE(std::signbit(out[0]));
  RunningScan(ScanKind::inclusive, empty).next(std::vector<double>{-0.0}, out);
  EXPECT_TRUE(std::signbit(out[0]));
  std::vector<std::int64_t> whole_numbers(1);
  foldline::Accumulator integers(Operation::sum);
  integers.add(std::int64_t{1} << 60);
  RunningScan(ScanKind::inclusive, integers).next(std::vector<std::int64_t>{1}, whole_numbers);
  EXPECT_EQ(whole_numbers[0], (std::int64_t{1} << 60) + 1);
  EXPECT_THROW(RunningScan(ScanKind::inclusive, norm), InvalidArgument);
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

}  // namespace
