#include "memory/textures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <mutex>

namespace simt {
namespace {

using Kind = TexelFormat::Kind;
using Outside = Texture::Outside;

constexpr std::int64_t nowhere = -1;

/// The element for an index that may be outside, or nowhere.
std::int64_t element(std::int64_t i, std::size_t size, Outside outside, bool normalized) {
  const std::int64_t n = static_cast<std::int64_t>(size);
  if (i >= 0 && i < n) return i;
  if (outside == Outside::border) return nowhere;
  if (normalized && outside == Outside::wrap) return (i % n + n) % n;
  if (normalized && outside == Outside::mirror) {
    const std::int64_t in_pair = (i % (2 * n) + 2 * n) % (2 * n);
    return in_pair < n ? in_pair : 2 * n - 1 - in_pair;
  }
  return std::clamp<std::int64_t>(i, 0, n - 1);
}

std::uint32_t channel_at(const std::byte* at, const TexelFormat& format) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(format.bits / 8));
  if (format.kind != Kind::signed_integer || format.bits == 32) return bits;
  const int unused = 32 - format.bits;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << unused) >> unused);
}

/// As a float in [0, 1] or [-1, 1].
float normalized(std::uint32_t bits, const TexelFormat& format) {
  if (format.kind == Kind::unsigned_integer)
    return static_cast<float>(bits) / static_cast<float>((1u << format.bits) - 1);
  const float largest = static_cast<float>((1u << (format.bits - 1)) - 1);
  return std::max(static_cast<float>(static_cast<std::int32_t>(bits)) / largest, -1.0f);
}

/// Reads the texel at an element of each dimension, and notes its address.
std::array<std::uint32_t, 4> read(const Texture& texture, std::int64_t x, std::int64_t y, TexelRead& reads) {
  std::array<std::uint32_t, 4> bits = {};
  if (x == nowhere || y == nowhere) return bits;
  const std::uintptr_t address = texture.begin + static_cast<std::size_t>(y) * texture.row_bytes +
                                 static_cast<std::size_t>(x) * texture.format.bytes();
  reads.addresses[static_cast<std::size_t>(reads.count++)] = address;
  const std::byte* const texel = reinterpret_cast<const std::byte*>(address);
  for (int c = 0; c < texture.format.channels; ++c) {
    std::uint32_t& channel = bits[static_cast<std::size_t>(c)];
    channel = channel_at(texel + c * texture.format.bits / 8, texture.format);
    if (texture.normalized_floats)
      channel = std::bit_cast<std::uint32_t>(normalized(channel, texture.format));
  }
  return bits;
}

/// Where a coordinate lies: the element in front of it, the one behind, and how much the second weighs.
struct Place {
  std::int64_t first, second;
  float weight;  ///< a multiple of 1/256: the unit has eight bits for it
};

Place place_in_texture(float coordinate, std::size_t size, Outside outside, const Texture& texture) {
  const float in_elements =
      texture.normalized_coordinates ? coordinate * static_cast<float>(size) : coordinate;
  const float shifted = texture.interpolates ? in_elements - 0.5f : in_elements;
  const float below = std::floor(std::clamp(shifted, -1e9f, 1e9f));
  const std::int64_t i = static_cast<std::int64_t>(below);
  const auto inside = [&](std::int64_t k) {
    return element(k, size, outside, texture.normalized_coordinates);
  };
  if (!texture.interpolates) return {inside(i), nowhere, 0};
  return {inside(i), inside(i + 1), std::round((shifted - below) * 256) / 256};
}

void add(TexelRead& sum, const std::array<std::uint32_t, 4>& texel, float weight) {
  for (std::size_t c = 0; c < 4; ++c)
    sum.bits[c] = std::bit_cast<std::uint32_t>(std::bit_cast<float>(sum.bits[c]) +
                                               weight * std::bit_cast<float>(texel[c]));
}

struct Textures {
  struct Entry {
    Texture texture;
    bool alive;
  };
  std::deque<Entry> list;
  std::mutex mutex;
};

Textures& textures() {
  static Textures& all = *new Textures;  // never destroyed: the program's own objects may outlive it
  return all;
}

Textures::Entry* entry_of(std::uint64_t handle) {
  auto& list = textures().list;
  return handle == 0 || handle > list.size() || !list[handle - 1].alive ? nullptr : &list[handle - 1];
}

}  // namespace

TexelRead fetch_texel(const Texture& texture, std::int64_t i) {
  TexelRead reads;
  if (i >= 0 && i < static_cast<std::int64_t>(texture.width)) reads.bits = read(texture, i, 0, reads);
  return reads;
}

TexelRead sample_texture(const Texture& texture, float x) {
  TexelRead reads;
  const Place place = place_in_texture(x, texture.width, texture.outside[0], texture);
  if (!texture.interpolates) {
    reads.bits = read(texture, place.first, 0, reads);
    return reads;
  }
  add(reads, read(texture, place.first, 0, reads), 1 - place.weight);
  add(reads, read(texture, place.second, 0, reads), place.weight);
  return reads;
}

TexelRead sample_texture(const Texture& texture, float x, float y) {
  TexelRead reads;
  const Place column = place_in_texture(x, texture.width, texture.outside[0], texture);
  const Place row =
      place_in_texture(y, std::max<std::size_t>(texture.height, 1), texture.outside[1], texture);
  if (!texture.interpolates) {
    reads.bits = read(texture, column.first, row.first, reads);
    return reads;
  }
  add(reads, read(texture, column.first, row.first, reads), (1 - column.weight) * (1 - row.weight));
  add(reads, read(texture, column.second, row.first, reads), column.weight * (1 - row.weight));
  add(reads, read(texture, column.first, row.second, reads), (1 - column.weight) * row.weight);
  add(reads, read(texture, column.second, row.second, reads), column.weight * row.weight);
  return reads;
}

std::uint64_t add_texture(const Texture& texture) {
  const std::lock_guard lock(textures().mutex);
  textures().list.push_back({texture, true});
  return textures().list.size();
}

const Texture* find_texture(std::uint64_t handle) {
  const Textures::Entry* const entry = entry_of(handle);
  return entry == nullptr ? nullptr : &entry->texture;
}

bool remove_texture(std::uint64_t handle) {
  const std::lock_guard lock(textures().mutex);
  Textures::Entry* const entry = entry_of(handle);
  if (entry != nullptr) entry->alive = false;
  return entry != nullptr;
}

}  // namespace simt
