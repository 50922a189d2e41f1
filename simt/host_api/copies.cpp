#include "host_api/copies.hpp"

#include <cstring>
#include <map>
#include <simt/device_memory.hpp>

#include "devices/device_state.hpp"
#include "memory/memory.hpp"

namespace simt {
namespace {

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Addresses of variables of the device that the program has asked for, and their sizes.
std::map<std::uintptr_t, std::size_t>& symbols() {
  static auto& all = *new std::map<std::uintptr_t, std::size_t>;
  return all;
}

/// Bytes from the address to the end of the variable; 0 if it lies in none.
std::size_t bytes_in_symbol(std::uintptr_t address) {
  auto next = symbols().upper_bound(address);
  if (next == symbols().begin()) return 0;
  --next;
  return address - next->first < next->second ? next->second - (address - next->first) : 0;
}

/// Why those bytes are not the device's; empty if they are.
std::string why_not_on_device(const void* pointer, std::size_t bytes) {
  const std::uintptr_t address = number(pointer);
  const Memory& memory = device_memory();
  const Allocation* found = memory.find_registered(address);
  if (memory.contains(address)) found = memory.find(address);
  if (found == nullptr) return bytes <= bytes_in_symbol(address) ? "" : "is not memory of the device";
  if (found->freed) return "has been freed";
  if (found->holds(address, bytes)) return "";
  return "has " + std::to_string(found->bytes) + " bytes, and byte " +
         std::to_string(address - found->begin + bytes - 1) + " is asked for";
}

bool is_on_device(const void* pointer) {
  return device_memory().contains(number(pointer)) || bytes_in_symbol(number(pointer)) != 0;
}

cudaError_t check_side(const std::string& function, const char* name, Side side, bool on_device,
                       std::size_t bytes) {
  if (side.is_array || bytes == 0) return cudaSuccess;
  if (side.begin == nullptr)
    return remember(cudaErrorInvalidValue, function + ": the " + name + " is a null pointer");
  const bool given_by_device = on_device || device_memory().contains(number(side.begin));
  if (!given_by_device) return cudaSuccess;
  const std::string reason = why_not_on_device(side.begin, bytes);
  if (reason.empty()) return cudaSuccess;
  return remember(cudaErrorInvalidValue, function + ": the " + name + " " + reason);
}

/// Whether the kind says that a side is the device's; cudaMemcpyDefault leaves it to the address.
bool says_device(cudaMemcpyKind kind, bool is_target, const void* pointer) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return false;
    case cudaMemcpyHostToDevice:
      return is_target;
    case cudaMemcpyDeviceToHost:
      return !is_target;
    case cudaMemcpyDeviceToDevice:
      return true;
    case cudaMemcpyDefault:
      break;
  }
  return is_on_device(pointer);
}

void copy_row(std::byte* to, const std::byte* from, std::size_t bytes) {
  Memory& memory = device_memory();
  std::memmove(to, from, bytes);
  if (!memory.contains(number(to))) return;
  if (memory.contains(number(from)))
    memory.copy_values(number(to), number(from), bytes);
  else
    memory.set_values(number(to), bytes);
}

cudaError_t fill_rows(const char* function, void* pointer, std::size_t pitch, int value, std::size_t width,
                      std::size_t height) {
  if (width == 0 || height == 0) return cudaSuccess;
  const std::size_t bytes = (height - 1) * pitch + width;
  const cudaError_t error = check_side(function, "target", {pointer, pitch}, true, bytes);
  if (error != cudaSuccess) return error;
  const DeviceAccess access;
  for (std::size_t row = 0; row < height; ++row) {
    std::byte* const begin = static_cast<std::byte*>(pointer) + row * pitch;
    std::memset(begin, value, width);
    if (device_memory().contains(number(begin))) device_memory().set_values(number(begin), width);
  }
  return cudaSuccess;
}

}  // namespace

void add_symbol(void* symbol, std::size_t bytes) { symbols()[number(symbol)] = bytes; }

cudaError_t copy_rows(const std::string& function, Side to, Side from, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return remember(cudaErrorInvalidMemcpyDirection, function + ": there is no such direction");
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && (to.pitch < width || from.pitch < width))
    return remember(cudaErrorInvalidPitchValue, function + ": the pitch is less than the width of a row");
  const std::size_t last = height - 1;
  cudaError_t error =
      check_side(function, "target", to, says_device(kind, true, to.begin), last * to.pitch + width);
  if (error == cudaSuccess)
    error =
        check_side(function, "source", from, says_device(kind, false, from.begin), last * from.pitch + width);
  if (error != cudaSuccess) return error;
  const DeviceAccess access;
  for (std::size_t row = 0; row < height; ++row)
    copy_row(static_cast<std::byte*>(to.begin) + row * to.pitch,
             static_cast<const std::byte*>(from.begin) + row * from.pitch, width);
  return cudaSuccess;
}

cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind) {
  if (offset > symbol_bytes || bytes > symbol_bytes - offset)
    return remember(cudaErrorInvalidValue, "cudaMemcpyToSymbol: " + std::to_string(offset + bytes) +
                                               " bytes do not fit into a variable of " +
                                               std::to_string(symbol_bytes));
  add_symbol(symbol, symbol_bytes);
  return copy_rows("cudaMemcpyToSymbol", {static_cast<std::byte*>(symbol) + offset, bytes},
                   {const_cast<void*>(from), bytes}, bytes, 1, kind);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes, std::size_t bytes,
                             std::size_t offset, cudaMemcpyKind kind) {
  if (offset > symbol_bytes || bytes > symbol_bytes - offset)
    return remember(cudaErrorInvalidValue, "cudaMemcpyFromSymbol: " + std::to_string(offset + bytes) +
                                               " bytes are more than a variable of " +
                                               std::to_string(symbol_bytes) + " has");
  std::byte* const begin = static_cast<std::byte*>(const_cast<void*>(symbol));
  add_symbol(begin, symbol_bytes);
  return copy_rows("cudaMemcpyFromSymbol", {to, bytes}, {begin + offset, bytes}, bytes, 1, kind);
}

cudaError_t symbol_address(void** address, void* symbol, std::size_t symbol_bytes) {
  add_symbol(symbol, symbol_bytes);
  *address = symbol;
  return cudaSuccess;
}

}  // namespace simt

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return simt::copy_rows("cudaMemcpy", {to, bytes}, {const_cast<void*>(from), bytes}, bytes, 1, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return simt::copy_rows("cudaMemcpyAsync", {to, bytes}, {const_cast<void*>(from), bytes}, bytes, 1, kind);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return simt::copy_rows("cudaMemcpy2D", {to, to_pitch}, {const_cast<void*>(from), from_pitch}, width, height,
                         kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  return simt::fill_rows("cudaMemset", pointer, bytes, value, bytes, 1);
}
cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t) {
  return simt::fill_rows("cudaMemsetAsync", pointer, bytes, value, bytes, 1);
}
cudaError_t cudaMemset2D(void* pointer, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return simt::fill_rows("cudaMemset2D", pointer, pitch, value, width, height);
}
