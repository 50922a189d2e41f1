// A count of what is allocated by the CUDA runtime, in a program linked with --wrap for its functions.
#pragma once

#include <cstdint>

namespace cuda_test {

struct Allocations {
  std::int64_t made = 0;  // so far
  std::int64_t live = 0;  // not freed yet
};
Allocations allocations();

/// Has allocation number `number` from now on fail, the next one being 1; 0: none.
void fail_allocation(std::int64_t number);

}  // namespace cuda_test
