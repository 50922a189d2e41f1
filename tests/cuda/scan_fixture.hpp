// What the tests of scans on a GPU share.
#pragma once

#include "gpu_test.hpp"
#include "scan_cases.hpp"

namespace cuda_test {

class CudaScan : public GpuTest {};

}  // namespace cuda_test
