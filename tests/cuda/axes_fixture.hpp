// What tests of reductions along an axis on a GPU share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "axes_cases.hpp"
#include "gpu_test.hpp"

namespace cuda_test {

using axes_cases::Extents;
using axes_cases::Memory;
using axes_cases::Placement;
using foldline::ElementType;
using foldline::Operation;
using generators::Random;

class CudaAxes : public cuda_test::GpuTest {
 protected:
  Random random_{11};
};

inline Extents without(const Extents& shape, std::size_t axis) {
  Extents rest = shape;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
  return rest;
}

/// Elements of any type: moderate ones, or of any bits.
inline void fill(Memory& array, ElementType type, bool any_bits, Random& random) {
  if (array.view().size() == 0) return;
  Extents index(array.view().shape().size(), 0);
  do {
    if (any_bits)
      array.set_bits(index, random.bits());
    else if (is_floating(type))
      array.set(index, static_cast<double>(random.between(-127, 127)) / 16);
    else
      array.set_bits(index,
                     static_cast<std::uint64_t>(random.between(type == ElementType::boolean ? 0 : -100, 1)));
  } while (axes_cases::advance(index, array.view().shape().to_vector()));
}

/// Every operation along an axis, on the GPU and on the CPU: the same bytes, around the results too.
inline void compare(const Memory& array, std::size_t axis, ElementType result, const std::string& what) {
  const Extents rest = without(array.view().shape().to_vector(), axis);
  for (const Operation operation : oracle::one_vector_operations) {
    if (oracle::needs_elements(operation) && array.view().shape()[axis] == 0) continue;
    Memory expected(axes_cases::dense(rest), result), actual(axes_cases::dense(rest), result);
    array.reduce(operation, static_cast<std::int64_t>(axis), expected, 0, {});
    array.reduce(operation, static_cast<std::int64_t>(axis), actual, 0, on_gpu);
    Extents index(rest.size(), 0);
    if (actual.view().size() > 0) do {
        ASSERT_EQ(actual.bits(index), expected.bits(index))
            << what << ' ' << name_of(operation) << " of " << name_of(array.view().type()) << ", first index "
            << (index.empty() ? 0 : index.front());
        actual.set_bits(index, UINT64_MAX);
      } while (axes_cases::advance(index, rest));
    ASSERT_TRUE(actual.is_blank()) << what << ' ' << name_of(operation);
  }
}

}  // namespace cuda_test
