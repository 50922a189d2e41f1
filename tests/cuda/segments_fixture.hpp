// What the tests of segments, groups and masks on a GPU share.
#pragma once

#include <type_traits>

#include "lane.hpp"
#include "segment_cases.hpp"

namespace cuda_test {

class CudaSegments : public GpuTest {
 protected:
  generators::Random random_{5};
};

/// What must be equal: an integer, or the bits of a number.
template <class R>
auto as_bits(R result) {
  if constexpr (std::is_integral_v<R>)
    return result;
  else
    return cases::bits_of(result);
}

}  // namespace cuda_test
