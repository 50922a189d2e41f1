// What DLPack's specification says: devices, and the layouts of what a capsule points to, version 0 and 1.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>

#include "foldline/types.hpp"
#include "numpy_api.hpp"

namespace foldline::python {

namespace dlpack = nanobind::dlpack;

/// Kinds of devices: kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged.
constexpr long dlpack_cpu = 1, dlpack_cuda = 2, dlpack_pinned = 3, dlpack_managed = 13;

/// The kind that __dlpack_device__ gives.
long dlpack_kind_of(nb::handle x);

struct ManagedTensor {
  dlpack::dltensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

struct VersionedTensor {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(VersionedTensor*);
  std::uint64_t flags;
  dlpack::dltensor tensor;
};

inline dlpack::dtype dlpack_type_of(ElementType type) {
  using Code = dlpack::dtype_code;
  const Code code = type == ElementType::bfloat16  ? Code::Bfloat
                    : type == ElementType::boolean ? Code::Bool
                    : is_floating(type)            ? Code::Float
                    : is_signed(type)              ? Code::Int
                                                   : Code::UInt;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(type)), 1};
}

}  // namespace foldline::python
