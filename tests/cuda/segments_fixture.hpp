// What the tests of segments, groups and masks on a GPU share.
#pragma once

#include "lane.hpp"
#include "segment_cases.hpp"

namespace cuda_test {

class CudaSegments : public GpuTest {
 protected:
  generators::Random random_{5};
};

}  // namespace cuda_test
