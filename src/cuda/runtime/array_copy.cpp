#include "cuda/runtime/array_copy.hpp"

#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

std::byte* copy_to_device(const std::byte* data, const ArraySpan& span, std::optional<Buffer>& buffer,
                          cudaStream_t stream) {
  const std::byte* const first = data + span.first;
  constexpr std::uintptr_t alignment = 16;
  const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) % alignment);
  std::byte* const copy =
      buffer.emplace(span.bytes() + offset, "allocating memory for a copy of the array").data() + offset;
  check(cudaMemcpyAsync(copy, first, static_cast<std::size_t>(span.bytes()), cudaMemcpyHostToDevice, stream),
        "copying an array to the device");
  return copy - span.first;
}

}  // namespace foldline::cuda
