// Textures: what a texture unit returns for a coordinate, and the addresses that it reads for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace simt {

/// A texel has one, two or four channels of 8, 16 or 32 bits.
struct TexelFormat {
  enum class Kind : std::uint8_t { signed_integer, unsigned_integer, floating };

  int channels = 1;
  int bits = 32;
  Kind kind = Kind::signed_integer;

  std::size_t bytes() const { return static_cast<std::size_t>(channels * bits / 8); }
};

struct Texture {
  /// What is read outside of the texture. Wrap and mirror take normalised coordinates.
  enum class Outside : std::uint8_t { wrap, clamp, mirror, border };

  std::uintptr_t begin = 0;
  std::size_t width = 0;
  std::size_t height = 0;  ///< 0: one dimension
  std::size_t row_bytes = 0;
  TexelFormat format;
  bool linear_memory = false;  ///< read by index (tex1Dfetch), else by coordinate (tex1D, tex2D)
  std::array<Outside, 2> outside = {Outside::clamp, Outside::clamp};
  bool interpolates = false;            ///< between neighbours
  bool normalized_coordinates = false;  ///< in [0, 1)
  bool normalized_floats = false;       ///< integers are returned as floats in [0, 1] or [-1, 1]
};

/// What the unit returns: 32 bits for each of four channels, zeros for those that the format lacks. Integers
/// of fewer bits are extended.
struct TexelRead {
  std::array<std::uint32_t, 4> bits = {};
  std::array<std::uintptr_t, 4> addresses = {};
  int count = 0;  ///< of addresses, each of format.bytes(); 0 where the border is read
};

/// tex1Dfetch. Outside of the texture it returns zeros.
TexelRead fetch_texel(const Texture& texture, std::int64_t i);
/// tex1D
TexelRead sample_texture(const Texture& texture, float x);
/// tex2D
TexelRead sample_texture(const Texture& texture, float x, float y);

/// The handle of a new texture: a cudaTextureObject_t, never 0.
std::uint64_t add_texture(const Texture& texture);
/// Null if there is none, or no more.
const Texture* find_texture(std::uint64_t handle);
bool remove_texture(std::uint64_t handle);

}  // namespace simt
