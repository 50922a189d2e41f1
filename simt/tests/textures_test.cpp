// Textures against the formulas of CUDA's programming guide, written out.
#include "memory/textures.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

namespace simt {
namespace {

using Kind = TexelFormat::Kind;
using Outside = Texture::Outside;

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
int as_int(std::uint32_t bits) { return std::bit_cast<int>(bits); }

template <class T>
Texture over(const std::vector<T>& texels, TexelFormat format, std::size_t height = 0) {
  Texture texture;
  texture.begin = reinterpret_cast<std::uintptr_t>(texels.data());
  texture.width = texels.size() * sizeof(T) / format.bytes() / std::max<std::size_t>(height, 1);
  texture.height = height;
  texture.row_bytes = texture.width * format.bytes();
  texture.format = format;
  return texture;
}

TEST(Textures, FetchElementsByIndex) {
  const std::vector<int> even = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18};
  const Texture texture = over(even, {1, 32, Kind::signed_integer});
  for (int i = 0; i < 10; ++i) {
    const TexelRead read = fetch_texel(texture, i);
    EXPECT_EQ(as_int(read.bits[0]), 2 * i);
    EXPECT_EQ(read.bits[1], 0u);
    ASSERT_EQ(read.count, 1);
    EXPECT_EQ(read.addresses[0], reinterpret_cast<std::uintptr_t>(&even[static_cast<std::size_t>(i)]));
  }
  for (const std::int64_t outside : {-1, 10, 1 << 30}) {
    EXPECT_EQ(fetch_texel(texture, outside).bits[0], 0u);
    EXPECT_EQ(fetch_texel(texture, outside).count, 0);
  }
}

TEST(Textures, ExtendSmallIntegers) {
  const std::vector<signed char> chars = {-128, -1, 0, 127};
  const std::vector<unsigned short> shorts = {0, 65535};
  const Texture of_chars = over(chars, {1, 8, Kind::signed_integer});
  EXPECT_EQ(as_int(fetch_texel(of_chars, 0).bits[0]), -128);
  EXPECT_EQ(as_int(fetch_texel(of_chars, 1).bits[0]), -1);
  EXPECT_EQ(as_int(fetch_texel(of_chars, 3).bits[0]), 127);
  EXPECT_EQ(fetch_texel(over(shorts, {1, 16, Kind::unsigned_integer}), 1).bits[0], 65535u);
}

TEST(Textures, ReadChannelsInTheirOrder) {
  const std::vector<float> pairs = {1, 2, 3, 4};
  const TexelRead read = fetch_texel(over(pairs, {2, 32, Kind::floating}), 1);
  EXPECT_EQ(as_float(read.bits[0]), 3);
  EXPECT_EQ(as_float(read.bits[1]), 4);
}

TEST(Textures, NormaliseIntegers) {
  const std::vector<unsigned char> bytes = {0, 51, 255};
  const std::vector<signed char> chars = {-128, -127, 0, 127};
  Texture texture = over(bytes, {1, 8, Kind::unsigned_integer});
  texture.normalized_floats = true;
  EXPECT_EQ(as_float(sample_texture(texture, 0.5f).bits[0]), 0);
  EXPECT_EQ(as_float(sample_texture(texture, 1.5f).bits[0]), 0.2f);
  EXPECT_EQ(as_float(sample_texture(texture, 2.5f).bits[0]), 1);
  texture = over(chars, {1, 8, Kind::signed_integer});
  texture.normalized_floats = true;
  EXPECT_EQ(as_float(sample_texture(texture, 0.5f).bits[0]), -1);
  EXPECT_EQ(as_float(sample_texture(texture, 1.5f).bits[0]), -1);
  EXPECT_EQ(as_float(sample_texture(texture, 3.5f).bits[0]), 1);
}

/// The element that a coordinate without interpolation gives.
float nearest(Outside outside, bool normalized, float x) {
  static const std::vector<float> texels = {10, 11, 12, 13};
  Texture texture = over(texels, {1, 32, Kind::floating});
  texture.outside = {outside, outside};
  texture.normalized_coordinates = normalized;
  return as_float(sample_texture(texture, x).bits[0]);
}

TEST(Textures, TakeTheElementAroundACoordinate) {
  EXPECT_EQ(nearest(Outside::clamp, false, 0), 10);
  EXPECT_EQ(nearest(Outside::clamp, false, 0.99f), 10);
  EXPECT_EQ(nearest(Outside::clamp, false, 1), 11);
  EXPECT_EQ(nearest(Outside::clamp, true, 0.5f), 12);
}

TEST(Textures, SayWhatLiesOutside) {
  EXPECT_EQ(nearest(Outside::clamp, false, -5), 10);
  EXPECT_EQ(nearest(Outside::clamp, false, 4), 13);
  EXPECT_EQ(nearest(Outside::border, false, -0.5f), 0);
  EXPECT_EQ(nearest(Outside::border, false, 4), 0);
  EXPECT_EQ(nearest(Outside::wrap, true, 1.25f), 11);
  EXPECT_EQ(nearest(Outside::wrap, true, -0.25f), 13);
  EXPECT_EQ(nearest(Outside::mirror, true, 1.1f), 13);
  EXPECT_EQ(nearest(Outside::mirror, true, -0.1f), 10);
  EXPECT_EQ(nearest(Outside::wrap, false, 5), 13) << "wrapping needs normalised coordinates";
}

TEST(Textures, InterpolateWithEightBitsOfTheWay) {
  const std::vector<float> texels = {0, 256, 512};
  Texture texture = over(texels, {1, 32, Kind::floating});
  texture.interpolates = true;
  for (int k = 0; k <= 1000; ++k) {
    const float x = 0.5f + static_cast<float>(k) / 500;  // from the middle of the first to that of the last
    const float way = x - 0.5f, below = std::floor(way);
    const float weight = std::round((way - below) * 256) / 256;
    EXPECT_EQ(as_float(sample_texture(texture, x).bits[0]), 256 * (below + weight)) << x;
  }
  EXPECT_EQ(as_float(sample_texture(texture, -3).bits[0]), 0);
  EXPECT_EQ(as_float(sample_texture(texture, 9).bits[0]), 512);
  EXPECT_EQ(sample_texture(texture, 1).count, 2);
}

TEST(Textures, InterpolateInTwoDimensions) {
  const std::vector<float> texels = {0, 1, 10, 11};
  Texture texture = over(texels, {1, 32, Kind::floating}, 2);
  EXPECT_EQ(as_float(sample_texture(texture, 1.5f, 0.5f).bits[0]), 1);
  EXPECT_EQ(as_float(sample_texture(texture, 0.5f, 1.5f).bits[0]), 10);
  texture.interpolates = true;
  EXPECT_EQ(as_float(sample_texture(texture, 1, 1).bits[0]), 5.5f);
  EXPECT_EQ(as_float(sample_texture(texture, 0.75f, 0.5f).bits[0]), 0.25f);
  EXPECT_EQ(sample_texture(texture, 1, 1).count, 4);
}

TEST(Textures, AreFoundUntilTheyAreRemoved) {
  const std::vector<int> texels = {7};
  const std::uint64_t handle = add_texture(over(texels, {1, 32, Kind::signed_integer}));
  ASSERT_NE(handle, 0u);
  ASSERT_NE(find_texture(handle), nullptr);
  EXPECT_EQ(find_texture(handle)->width, 1u);
  EXPECT_EQ(find_texture(0), nullptr);
  EXPECT_EQ(find_texture(handle + 1000), nullptr);
  EXPECT_TRUE(remove_texture(handle));
  EXPECT_FALSE(remove_texture(handle));
  EXPECT_EQ(find_texture(handle), nullptr);
}

}  // namespace
}  // namespace simt
