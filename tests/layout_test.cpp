// Sizes around every boundary, strides of both signs and zero, odd addresses: the same bits as the oracle,
// and not one byte read that is not an element (they are all NaN).
#include <gtest/gtest.h>

#include <memory>

#include "cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::Layout;
using cases::Operation;
using cases::VectorView;
using generators::Data;
using generators::Generator;
using generators::Random;

class Layouts : public testing::TestWithParam<std::tuple<ElementType, foldline::Target>> {
 protected:
  ElementType type() const { return std::get<0>(GetParam()); }

  Data make(std::int64_t size) {
    static constexpr std::array kinds = {Generator::uniform, Generator::all_exponents,
                                         Generator::cancellation, Generator::outlier,
                                         Generator::underflowing_products};
    return generators::generate(kinds[static_cast<std::size_t>(random_.between(0, 4))], type(), size,
                                random_);
  }

  void check(const Data& data, std::int64_t stride_x, std::int64_t stride_y, std::int64_t misalignment) {
    oracle_.load(data.x, data.y);
    const Layout x(data.x, type(), stride_x, misalignment);
    const Layout y(data.y, type(), stride_y, (misalignment * 5) % 8);
    check(x.view(), y.view());
  }
  void check(const VectorView& x, const VectorView& y) {
    const Context context = {.execution = {.threads = 1, .target = std::get<1>(GetParam())}};
    for (const Operation operation : oracle::all_operations) {
      const bool extreme = operation == Operation::minimum || operation == Operation::maximum;
      if (x.size() == 0 && (extreme || operation == Operation::range)) continue;
      const ElementType result = extreme ? ElementType::float64 : type();
      ASSERT_EQ(cases::call(operation, x, y, result, 0, context), oracle_.result(operation, result))
          << name_of(operation) << ", size " << x.size() << ", strides " << x.stride() << ' ' << y.stride();
    }
  }

  oracle::BigIntegers oracle_;
  Random random_{21};
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Layouts,
                         testing::Combine(testing::ValuesIn(oracle::all_types),
                                          testing::ValuesIn(foldline::available_targets())),
                         [](const auto& test) {
                           return std::string(name_of(std::get<0>(test.param))) + '_' +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

TEST_P(Layouts, EverySmallSize) {
  for (std::int64_t size = 0; size <= 300; ++size) {
    check(make(size), 1, 1, size % 8);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Layouts, AroundBoundaries) {
  for (const std::int64_t unit : {8, 32, 64, 256, 512, 1024, 2048, 4096})
    for (const std::int64_t multiple : {1, 2, 3, 4, 5, 8})
      for (const std::int64_t offset : {-1, 0, 1, 2, 7}) {
        check(make(unit * multiple + offset), 1, 1, 0);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Layouts, EveryStrideAndByteOffset) {
  for (std::int64_t stride_x = -3; stride_x <= 3; ++stride_x)
    for (std::int64_t stride_y = -3; stride_y <= 3; ++stride_y)
      for (std::int64_t misalignment = 0; misalignment < 8; ++misalignment) {
        for (const std::int64_t size : {1, 2, 7, 63, 300, 2049}) {
          Data data = make(size);
          if (stride_x == 0) data.x.assign(data.x.size(), data.x.front());
          if (stride_y == 0) data.y.assign(data.y.size(), data.y.front());
          check(data, stride_x, stride_y, misalignment);
          if (HasFatalFailure()) return;
        }
      }
}

TEST_P(Layouts, EveryElementCounts) {
  // One element that matters, at every place: a kernel that drops a tail or a lane is caught here.
  for (const std::int64_t size : {65, 257, 1031}) {
    Data data;
    data.x.assign(static_cast<std::size_t>(size), 1.0);
    data.y.assign(static_cast<std::size_t>(size), 1.0);
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      data.x[i] = 64.0;
      check(data, 1, 1, 0);
      if (HasFatalFailure()) return;
      data.x[i] = 1.0;
    }
  }
}

TEST_P(Layouts, NothingBeyondTheAllocation) {
  // Blocks of exactly the right size, for AddressSanitizer and valgrind.
  for (const std::int64_t size : {1, 3, 8, 31, 64, 100, 513, 4097}) {
    const Data data = make(size);
    oracle_.load(data.x, data.y);
    cases::with_type(type(), [&]<class T>(T) {
      const std::vector<T> x = cases::as<T>(data.x), y = cases::as<T>(data.y);
      const auto block = std::make_unique<T[]>(x.size()), other = std::make_unique<T[]>(y.size());
      std::copy(x.begin(), x.end(), block.get());
      std::copy(y.begin(), y.end(), other.get());
      const auto count = static_cast<std::int64_t>(x.size());
      check(VectorView(block.get(), count), VectorView(other.get(), count));
      check(VectorView(block.get(), count), VectorView(other.get(), count));
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Layouts, AnEmptyViewNeedsNoData) {
  const VectorView empty(static_cast<const void*>(nullptr), type(), 0);
  oracle_.load({});
  check(empty, empty);
}

TEST_P(Layouts, TheSameVectorTwice) {
  const Data data = make(777);
  oracle_.load(data.x, data.x);
  const Layout x(data.x, type());
  check(x.view(), x.view());
}

}  // namespace
