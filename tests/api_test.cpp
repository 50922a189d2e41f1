// What others build on: numbers that files and bindings may store, and the forms of calls.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "foldline/foldline.hpp"

namespace {

using foldline::ElementType;
using foldline::InvalidArgument;
using foldline::Operation;
using foldline::Scalar;
using foldline::VectorView;

TEST(ElementTypes, HaveFixedNumbers) {
  // Never change a line of this: programs of other languages and files hold these numbers.
  const std::array<std::pair<int, std::string>, 13> numbers = {{{0, "float16"},
                                                                {1, "bfloat16"},
                                                                {2, "float32"},
                                                                {3, "float64"},
                                                                {4, "int8"},
                                                                {5, "int16"},
                                                                {6, "int32"},
                                                                {7, "int64"},
                                                                {8, "uint8"},
                                                                {9, "uint16"},
                                                                {10, "uint32"},
                                                                {11, "uint64"},
                                                                {12, "bool"}}};
  for (const auto& [number, name] : numbers) EXPECT_EQ(name_of(static_cast<ElementType>(number)), name);
  EXPECT_EQ(foldline::element_types.size(), numbers.size());
}

TEST(ElementTypes, OfCppTypesHaveTheirSizeAndSign) {
  for (const ElementType type : foldline::element_types)
    foldline::detail::visit_type(type, [type]<class T>(std::type_identity<T>) {
      EXPECT_EQ(foldline::element_type_of<T>, type);
      EXPECT_EQ(size_of(type), sizeof(T));
      EXPECT_EQ(is_floating(type), foldline::FloatingElement<T>);
      EXPECT_EQ(is_signed(type), foldline::FloatingElement<T> || std::is_signed_v<T>);
      EXPECT_TRUE(is_known(type));
    });
}

TEST(ElementTypes, RefusesNumbersOfNone) {
  const double x[] = {1, 2};
  double sum = 0;
  for (const int number : {13, 16, 17, 24, 255}) {
    const auto type = static_cast<ElementType>(number);
    EXPECT_FALSE(is_known(type));
    EXPECT_EQ(name_of(type), "unknown");
    const VectorView view(static_cast<const void*>(x), type, 2);
    EXPECT_THROW((void)foldline::sum(view), InvalidArgument) << number;
    EXPECT_THROW(foldline::inclusive_scan(view, {&sum, 1}), InvalidArgument) << number;
    EXPECT_THROW(foldline::ArrayView{view}, InvalidArgument) << number;
    foldline::Accumulator accumulator(Operation::sum);
    EXPECT_THROW(accumulator.add(view), InvalidArgument) << number;
    EXPECT_THROW((void)accumulator.rounded(Operation::sum, type), InvalidArgument) << number;
  }
}

TEST(Reduce, GivesEachTypeItsOwnResult) {
  const std::vector<std::int32_t> x = {INT32_MAX, INT32_MAX, 2};
  const VectorView view(x);
  EXPECT_EQ(foldline::reduce(Operation::sum, view), Scalar(std::int64_t{INT32_MAX} * 2 + 2));
  EXPECT_EQ(foldline::reduce(Operation::maximum, view), Scalar(INT32_MAX));
  EXPECT_EQ(foldline::reduce(Operation::mean, view), Scalar(foldline::mean(x)));
  const std::vector<std::uint8_t> bytes = {200, 100};
  EXPECT_EQ(foldline::reduce(Operation::range, bytes), Scalar(std::uint64_t{100}));
  const std::vector<float> floats = {1.5F, 2.25F};
  EXPECT_EQ(foldline::reduce(Operation::sum, floats), Scalar(3.75F));
}

TEST(Reduce, HasTheDdofOfTheOperation) {
  const std::vector<double> x = {1, 2, 4};
  EXPECT_EQ(foldline::reduce(Operation::variance, x), Scalar(foldline::variance(x)));
  EXPECT_EQ(foldline::reduce(Operation::variance, x, {.ddof = 1}), Scalar(7.0 / 3));
  EXPECT_EQ(foldline::reduce(Operation::standard_error, x), Scalar(foldline::standard_error(x)));
  EXPECT_EQ(foldline::reduce(Operation::standard_error, x, {.ddof = 1}), Scalar(foldline::standard_error(x)));
  EXPECT_NE(foldline::reduce(Operation::standard_error, x, {.ddof = 0}), Scalar(foldline::standard_error(x)));
  EXPECT_THROW((void)foldline::reduce(Operation::variance, x, {.ddof = -1}), InvalidArgument);
}

TEST(Reduce, WritesAResultOfAnyType) {
  const std::vector<double> x = {1, 2, 4}, y = {1, 1, 2};
  std::array<std::byte, 1 + sizeof(float)> place{};  // not aligned
  const foldline::MutableVectorView result(place.data() + 1, ElementType::float32, 1);
  const auto value = [&] {
    float number = 0;
    std::memcpy(&number, place.data() + 1, sizeof number);
    return number;
  };
  foldline::reduce(Operation::variance, x, result, {.ddof = 1});
  EXPECT_EQ(value(), 7.0F / 3);
  foldline::reduce(Operation::dot, x, y, result);
  EXPECT_EQ(value(), 11.0F);
  EXPECT_EQ(place[0], std::byte{0});
  std::int8_t small = 5;
  foldline::reduce(Operation::sum, x, foldline::MutableVectorView(&small, 1));
  EXPECT_EQ(small, 7);
}

TEST(Reduce, RefusesWhatIsNotOneNumber) {
  const std::vector<double> x = {100, 100};
  std::vector<double> two(2);
  std::int8_t small = 5;
  EXPECT_THROW((void)foldline::reduce(Operation::statistics, x), InvalidArgument);
  EXPECT_THROW((void)foldline::reduce(Operation::dot, x), InvalidArgument);
  EXPECT_THROW((void)foldline::reduce(static_cast<Operation>(99), x), InvalidArgument);
  EXPECT_THROW(foldline::reduce(Operation::sum, x, two), InvalidArgument);
  EXPECT_THROW(foldline::reduce(Operation::sum, x, x, foldline::MutableVectorView(&small, 1)),
               InvalidArgument);
  EXPECT_THROW(foldline::reduce(Operation::mean, x, foldline::MutableVectorView(&small, 1)), InvalidArgument);
  EXPECT_THROW(foldline::reduce(Operation::sum, x, foldline::MutableVectorView(&small, 1)),
               foldline::OverflowError);
  EXPECT_EQ(small, 5);
}

TEST(Accumulators, AddNumbersAndEachOther) {
  foldline::Accumulator all(Operation::sum);
  all.add(1e300);
  all += 1;
  all += -0.5F;
  all.add(foldline::half(0.25F));
  foldline::Accumulator others(Operation::sum);
  others += -1e300;
  const foldline::Accumulator both = all + others;
  EXPECT_EQ(both.result(), 0.75);
  EXPECT_EQ(both.count(), 5);
  EXPECT_EQ(all.count(), 4);
  others += all;
  EXPECT_EQ(others.serialise(), both.serialise());
  foldline::Accumulator pairs(Operation::dot);
  pairs.add(3.0, std::int64_t{1} << 62);
  EXPECT_EQ(pairs.result(), 3 * 0x1p62);
  EXPECT_THROW(pairs += 1.0, InvalidArgument);
  EXPECT_THROW((void)(pairs + all), InvalidArgument);
}

}  // namespace
