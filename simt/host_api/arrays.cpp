// CUDA arrays, and textures over them and over linear memory.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <simt/device_memory.hpp>
#include <simt/simt.hpp>
#include <string>

#include "devices/device_state.hpp"
#include "host_api/copies.hpp"
#include "memory/memory.hpp"
#include "memory/textures.hpp"

struct cudaArray {
  std::byte* begin;
  cudaChannelFormatDesc channels;
  simt::TexelFormat format;
  std::size_t width, height;  ///< height 0: one dimension

  std::size_t row_bytes() const { return width * format.bytes(); }
  std::size_t rows() const { return std::max<std::size_t>(height, 1); }
};

namespace simt {
namespace {

using Kind = TexelFormat::Kind;
using Outside = Texture::Outside;

/// False if texture units do not have such texels.
bool format_of(const cudaChannelFormatDesc& d, TexelFormat& format) {
  const int channels = d.x == 0 ? 0 : d.y == 0 ? 1 : d.z == 0 ? 2 : d.w == 0 ? 3 : 4;
  const bool same = (channels < 2 || d.y == d.x) && (channels < 4 || (d.z == d.x && d.w == d.x));
  const bool is_float = d.f == cudaChannelFormatKindFloat;
  const bool known_bits = d.x == 32 || (!is_float && (d.x == 8 || d.x == 16));
  if (channels == 0 || channels == 3 || !same || !known_bits || d.f == cudaChannelFormatKindNone)
    return false;
  format = {channels, d.x,
            is_float                             ? Kind::floating
            : d.f == cudaChannelFormatKindSigned ? Kind::signed_integer
                                                 : Kind::unsigned_integer};
  return true;
}

cudaError_t bad_format(const std::string& function) {
  return remember(cudaErrorInvalidChannelDescriptor,
                  function +
                      ": texels have 1, 2 or 4 channels of the same size: integers of 8, 16 or 32 bits, "
                      "floats of 32");
}

cudaError_t check_part(const std::string& function, const cudaArray* array, std::size_t column_bytes,
                       std::size_t row, std::size_t width, std::size_t height) {
  if (array == nullptr) return remember(cudaErrorInvalidResourceHandle, function + ": there is no array");
  if (column_bytes + width <= array->row_bytes() && row + height <= array->rows()) return cudaSuccess;
  return remember(cudaErrorInvalidValue, function + ": that is more than the array of " +
                                             std::to_string(array->width) + " x " +
                                             std::to_string(array->rows()) + " elements holds");
}

Side part_of(const cudaArray* array, std::size_t column_bytes, std::size_t row) {
  return {array->begin + row * array->row_bytes() + column_bytes, array->row_bytes(), true};
}

/// A copy of `bytes` that may go on in the next rows, as cudaMemcpyToArray's.
cudaError_t check_run(const std::string& function, const cudaArray* array, std::size_t column_bytes,
                      std::size_t row, std::size_t bytes) {
  if (array == nullptr) return remember(cudaErrorInvalidResourceHandle, function + ": there is no array");
  const std::size_t first = row * array->row_bytes() + column_bytes;
  if (first + bytes <= array->rows() * array->row_bytes()) return cudaSuccess;
  return remember(cudaErrorInvalidValue, function + ": byte " + std::to_string(first + bytes - 1) +
                                             " of an array of " +
                                             std::to_string(array->rows() * array->row_bytes()));
}

/// What the resource holds; the rest of the texture is the description's.
cudaError_t texture_over(const std::string& function, const cudaResourceDesc& resource, Texture& texture) {
  cudaChannelFormatDesc channels{};
  if (resource.resType == cudaResourceTypeArray) {
    const cudaArray* const array = resource.res.array.array;
    if (array == nullptr) return remember(cudaErrorInvalidResourceHandle, function + ": there is no array");
    texture.begin = reinterpret_cast<std::uintptr_t>(array->begin);
    texture.width = array->width;
    texture.height = array->height;
    texture.row_bytes = array->row_bytes();
    channels = array->channels;
  } else if (resource.resType == cudaResourceTypeLinear) {
    channels = resource.res.linear.desc;
    texture.begin = reinterpret_cast<std::uintptr_t>(resource.res.linear.devPtr);
    texture.linear_memory = true;
  } else {
    channels = resource.res.pitch2D.desc;
    texture.begin = reinterpret_cast<std::uintptr_t>(resource.res.pitch2D.devPtr);
    texture.width = resource.res.pitch2D.width;
    texture.height = resource.res.pitch2D.height;
    texture.row_bytes = resource.res.pitch2D.pitchInBytes;
  }
  if (!format_of(channels, texture.format)) return bad_format(function);
  const Memory& memory = device_memory();
  const Allocation* const found = memory.contains(texture.begin) ? memory.find(texture.begin) : nullptr;
  if (found == nullptr || found->freed)
    return remember(cudaErrorInvalidValue, function + ": there is no memory of the device at this address");
  if (!texture.linear_memory) return cudaSuccess;
  // References are often bound with a size of 2^32 - 1: up to the end of the array.
  const std::size_t bytes = std::min(resource.res.linear.sizeInBytes, found->end() - texture.begin);
  texture.width = bytes / texture.format.bytes();
  if (static_cast<std::int64_t>(texture.width) > options().device.elements_of_linear_texture)
    return remember(cudaErrorInvalidValue, function + ": textures over linear memory have " +
                                               std::to_string(options().device.elements_of_linear_texture) +
                                               " elements at most");
  return cudaSuccess;
}

Outside outside_of(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return Outside::wrap;
    case cudaAddressModeClamp:
      return Outside::clamp;
    case cudaAddressModeMirror:
      return Outside::mirror;
    case cudaAddressModeBorder:
      break;
  }
  return Outside::border;
}

cudaError_t describe(const std::string& function, const cudaTextureDesc& description, Texture& texture) {
  const bool is_float = texture.format.kind == Kind::floating;
  texture.interpolates = description.filterMode == cudaFilterModeLinear && !texture.linear_memory;
  texture.normalized_floats = description.readMode == cudaReadModeNormalizedFloat && !is_float;
  texture.normalized_coordinates = description.normalizedCoords != 0;
  for (std::size_t i = 0; i < 2; ++i) texture.outside[i] = outside_of(description.addressMode[i]);
  if (texture.normalized_floats && texture.format.bits == 32)
    return remember(cudaErrorInvalidNormSetting,
                    function + ": integers of 32 bits are not returned as floats; those of 8 and 16 are");
  if (texture.interpolates && !is_float && !texture.normalized_floats)
    return remember(cudaErrorInvalidFilterSetting, function + ": only floats are interpolated");
  return cudaSuccess;
}

cudaError_t create(const std::string& function, const cudaResourceDesc& resource,
                   const cudaTextureDesc& description, cudaTextureObject_t& handle) {
  Texture texture;
  cudaError_t error = texture_over(function, resource, texture);
  if (error == cudaSuccess) error = describe(function, description, texture);
  if (error == cudaSuccess) handle = add_texture(texture);
  return error;
}

}  // namespace

cudaError_t bind_texture(textureReference& reference, cudaTextureReadMode mode,
                         const cudaResourceDesc& resource) {
  cudaTextureDesc description{};
  description.readMode = mode;
  description.filterMode = reference.filterMode;
  description.normalizedCoords = reference.normalized;
  std::copy_n(reference.addressMode, 3, description.addressMode);
  remove_texture(reference.bound);
  return create("cudaBindTexture", resource, description, reference.bound);
}

cudaError_t unbind_texture(textureReference& reference) {
  remove_texture(reference.bound);
  reference.bound = 0;
  return cudaSuccess;
}

}  // namespace simt

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned int) {
  simt::TexelFormat texels;
  if (!simt::format_of(*format, texels)) return simt::bad_format("cudaMallocArray");
  const int most = simt::options().device.elements_of_array_1d;
  if (width == 0 || width > static_cast<std::size_t>(most))
    return simt::remember(cudaErrorInvalidValue,
                          "cudaMallocArray: arrays have 1 to " + std::to_string(most) + " elements in a row");
  const std::size_t bytes = width * std::max<std::size_t>(height, 1) * texels.bytes();
  const simt::DeviceAccess access;
  void* const begin = simt::device_memory().allocate(bytes, simt::MemoryKind::array);
  if (begin == nullptr)
    return simt::remember(cudaErrorMemoryAllocation,
                          "cudaMallocArray: " + std::to_string(bytes) + " bytes are more than are left");
  *array = new cudaArray{static_cast<std::byte*>(begin), *format, texels, width, height};
  return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  simt::device_memory().free(array->begin);
  delete array;
  return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t array) {
  if (array == nullptr)
    return simt::remember(cudaErrorInvalidResourceHandle, "cudaArrayGetInfo: there is no array");
  if (format != nullptr) *format = array->channels;
  if (extent != nullptr) *extent = {array->width, array->height, 0};
  if (flags != nullptr) *flags = cudaArrayDefault;
  return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t column_bytes, std::size_t row, const void* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t error = simt::check_run("cudaMemcpyToArray", to, column_bytes, row, bytes);
  if (error != cudaSuccess) return error;
  return simt::copy_rows("cudaMemcpyToArray", simt::part_of(to, column_bytes, row),
                         {const_cast<void*>(from), bytes}, bytes, 1, kind);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t column_bytes, std::size_t row,
                                std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t error = simt::check_run("cudaMemcpyFromArray", from, column_bytes, row, bytes);
  if (error != cudaSuccess) return error;
  return simt::copy_rows("cudaMemcpyFromArray", {to, bytes}, simt::part_of(from, column_bytes, row), bytes, 1,
                         kind);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t column_bytes, std::size_t row, const void* from,
                                std::size_t pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
  const cudaError_t error = simt::check_part("cudaMemcpy2DToArray", to, column_bytes, row, width, height);
  if (error != cudaSuccess) return error;
  return simt::copy_rows("cudaMemcpy2DToArray", simt::part_of(to, column_bytes, row),
                         {const_cast<void*>(from), pitch}, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from,
                                  std::size_t column_bytes, std::size_t row, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  const cudaError_t error = simt::check_part("cudaMemcpy2DFromArray", from, column_bytes, row, width, height);
  if (error != cudaSuccess) return error;
  return simt::copy_rows("cudaMemcpy2DFromArray", {to, pitch}, simt::part_of(from, column_bytes, row), width,
                         height, kind);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description, const cudaResourceViewDesc*) {
  simt::require(simt::options().device, simt::Feature::texture_object);
  return simt::create("cudaCreateTextureObject", *resource, *description, *texture);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  if (texture == 0 || simt::remove_texture(texture)) return cudaSuccess;
  return simt::remember(cudaErrorInvalidValue, "cudaDestroyTextureObject: there is no such texture");
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* elements, const cudaChannelFormatDesc*, int) {
  *elements = static_cast<std::size_t>(simt::options().device.elements_of_linear_texture);
  return cudaSuccess;
}
