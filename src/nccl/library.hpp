// NCCL, looked for at run time. Enumerations are declared as int, communicators as void*.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace foldline::nccl {

struct Library {
  static constexpr int bytes = 0, int64 = 4;  // ncclInt8, ncclInt64
  static constexpr int sum = 0, max = 2, min = 3;

  int (*comm_count)(void*, int*) = nullptr;
  int (*comm_device)(void*, int*) = nullptr;
  int (*comm_rank)(void*, int*) = nullptr;
  int (*async_error)(void*, int*) = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*all_gather)(const void*, void*, std::size_t, int, void*, cudaStream_t) = nullptr;
  int (*send)(const void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*receive)(void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  bool is_there = false;

  Library();
  /// Throws a DeviceError unless `status` is success.
  void check(int status, const char* doing) const;
};

/// Throws InvalidArgument if there is no NCCL.
const Library& library();

}  // namespace foldline::nccl
