// What every copy checks: that the sides it calls the device's are memory of the device that is long enough.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace simt {

/// One side of a copy: rows of `width` bytes that begin `pitch` bytes apart.
struct Side {
  void* begin;
  std::size_t pitch;
  bool is_array = false;  ///< checked already
};

/// Copies `height` rows. `function` is what the program called, for messages.
cudaError_t copy_rows(const std::string& function, Side to, Side from, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind);

/// Makes a variable of the program known as memory of the device, as cudaGetSymbolAddress does.
void add_symbol(void* symbol, std::size_t bytes);

}  // namespace simt
