// The GPU, queried in a child process because this one must not use CUDA before it forks.
#pragma once

#include <cstdint>
#include <string>

namespace foldline::ladder {

struct Gpu {
  std::string missing;  ///< why there is none; empty if there is one
  std::string name;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::string driver;  ///< the newest CUDA version that it supports
};

Gpu find_gpu(double time_limit);

}  // namespace foldline::ladder
