// What `check` and the kernels that it has compiled agree on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <vector_types.h>

namespace simt {

struct CheckedParameter {
  std::int64_t n = 0;                 ///< elements of an array, or an integer's value, ...
  std::optional<std::int64_t> value;  ///< ... unless this one was asked for
  bool is_texture = false;            ///< of its type's name: texture objects are numbers
};

struct CheckedCall {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  std::vector<CheckedParameter> parameters;
};

/// Of one kernel: makes its arguments and launches it. Throws Error.
using CallChecked = void (*)(const CheckedCall& call);

/// A texture over linear memory with these elements.
unsigned long long texture_of(const std::vector<float>& elements);

}  // namespace simt
