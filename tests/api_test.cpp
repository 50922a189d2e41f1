// What others build on: numbers that files and bindings may store, and the forms of calls.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "foldline/foldline.hpp"

namespace {

using foldline::ElementType;
using foldline::InvalidArgument;
using foldline::Operation;
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

}  // namespace
