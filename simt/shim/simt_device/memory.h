// Loads and stores that say which cache they want, asynchronous copies, textures, and PTX.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt_device/builtins.h"
#include "texture_types.h"

extern "C" {
/// A load or store past the L1 cache, which follows without a callback of the compiler's: simt-cc takes that
/// out.
void simt_cached_load(const void* address, unsigned long bytes) SIMT_CONVERGENT;
void simt_cached_store(void* address, unsigned long bytes) SIMT_CONVERGENT;
void simt_copy_async(void* shared, const void* global, unsigned long bytes,
                     unsigned long zeros) SIMT_CONVERGENT;
void simt_commit_copies() SIMT_CONVERGENT;
void simt_wait_for_copies(unsigned int groups_left) SIMT_CONVERGENT;
/// What a texture reference, a variable of the host, is bound to.
cudaTextureObject_t simt_bound_texture(const textureReference* reference);
/// One to four channels. form: 0 by index, 1 by one coordinate, 2 by two
void simt_fetch_texture(unsigned long long texture, int form, int index, float x, float y,
                        unsigned int* channels) SIMT_CONVERGENT;
/// An instruction of PTX; %0, %1, ... in its text are the operands, 64 bits each, some of which it changes.
void simt_ptx(const char* text, unsigned long long* operands) SIMT_CONVERGENT;
}

template <class T>
SIMT_INLINE T __ldg(const T* address) {
  return *address;
}
template <class T>
SIMT_INLINE T __ldca(const T* address) {
  return *address;
}
template <class T>
SIMT_INLINE T __ldcs(const T* address) {
  return *address;
}
template <class T>
SIMT_INLINE T __ldlu(const T* address) {
  return *address;
}
template <class T>
SIMT_INLINE T __ldcg(const T* address) {
  simt_cached_load(address, sizeof(T));
  return *address;
}
template <class T>
SIMT_INLINE T __ldcv(const T* address) {
  simt_cached_load(address, sizeof(T));
  return *address;
}
template <class T>
SIMT_INLINE void __stcg(T* address, std::type_identity_t<T> value) {
  simt_cached_store(address, sizeof(T));
  *address = value;
}
template <class T>
SIMT_INLINE void __stwt(T* address, std::type_identity_t<T> value) {
  simt_cached_store(address, sizeof(T));
  *address = value;
}
template <class T>
SIMT_INLINE void __stwb(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T>
SIMT_INLINE void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}

SIMT_INLINE void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                                         std::size_t zeros = 0) {
  simt_copy_async(shared, global, bytes, zeros);
}
SIMT_INLINE void __pipeline_commit() { simt_commit_copies(); }
SIMT_INLINE void __pipeline_wait_prior(std::size_t groups_left) {
  simt_wait_for_copies(static_cast<unsigned int>(groups_left));
}

namespace simt {
template <class T>
SIMT_INLINE T fetch(unsigned long long texture, int form, int index, float x, float y) {
  unsigned int channels[4];
  simt_fetch_texture(texture, form, index, x, y, channels);
  if constexpr (std::is_arithmetic_v<T>) {
    if constexpr (sizeof(T) == 4)
      return __builtin_bit_cast(T, channels[0]);
    else
      return static_cast<T>(channels[0]);
  } else {
    using Channel = decltype(T::x);
    Channel parts[sizeof(T) / sizeof(Channel)];
    for (unsigned i = 0; i < sizeof(T) / sizeof(Channel); ++i) {
      if constexpr (sizeof(Channel) == 4)
        parts[i] = __builtin_bit_cast(Channel, channels[i]);
      else
        parts[i] = static_cast<Channel>(channels[i]);
    }
    T value;
    __builtin_memcpy(&value, parts, sizeof value);
    return value;
  }
}
/// What a texture reference returns: its elements, or floats that are made of them.
template <class T, cudaTextureReadMode Mode>
using Returned = std::conditional_t<Mode == cudaReadModeNormalizedFloat, float, T>;
}  // namespace simt

template <class T>
SIMT_INLINE T tex1Dfetch(cudaTextureObject_t texture, int index) {
  return simt::fetch<T>(texture, 0, index, 0, 0);
}
template <class T>
SIMT_INLINE T tex1D(cudaTextureObject_t texture, float x) {
  return simt::fetch<T>(texture, 1, 0, x, 0);
}
template <class T>
SIMT_INLINE T tex2D(cudaTextureObject_t texture, float x, float y) {
  return simt::fetch<T>(texture, 2, 0, x, y);
}
template <class T, int Dimensions, cudaTextureReadMode Mode>
SIMT_INLINE simt::Returned<T, Mode> tex1Dfetch(const texture<T, Dimensions, Mode>& reference, int index) {
  return simt::fetch<simt::Returned<T, Mode>>(simt_bound_texture(&reference), 0, index, 0, 0);
}
template <class T, int Dimensions, cudaTextureReadMode Mode>
SIMT_INLINE simt::Returned<T, Mode> tex1D(const texture<T, Dimensions, Mode>& reference, float x) {
  return simt::fetch<simt::Returned<T, Mode>>(simt_bound_texture(&reference), 1, 0, x, 0);
}
template <class T, int Dimensions, cudaTextureReadMode Mode>
SIMT_INLINE simt::Returned<T, Mode> tex2D(const texture<T, Dimensions, Mode>& reference, float x, float y) {
  return simt::fetch<simt::Returned<T, Mode>>(simt_bound_texture(&reference), 2, 0, x, y);
}

namespace simt {
// For operands of PTX, which simt-cc takes out of asm statements.
template <class T>
SIMT_INLINE unsigned long long bits_of(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
SIMT_INLINE void set_bits(T& value, unsigned long long bits) {
  __builtin_memcpy(&value, &bits, sizeof value);
}
}  // namespace simt
