// The layouts of what a DLPack capsule points to, from its specification: version 0 and 1.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>

#include "foldline/types.hpp"

namespace foldline::python {

namespace dlpack = nanobind::dlpack;

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
