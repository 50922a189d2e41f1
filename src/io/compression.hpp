// Compressed files and archives, told by their first bytes and never by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace foldline::io {

enum class Compression : std::uint8_t { gzip, xz, zstd, bzip2 };

/// As many first bytes as are looked at.
inline constexpr std::size_t longest_compression_signature = 10;

/// By what the bytes that begin so are compressed.
std::optional<Compression> compression_of(std::span<const std::byte> start);
/// Whether a ZIP archive, as .npz files are, begins so.
bool is_zip(std::span<const std::byte> start);

/// Of the program too that decompresses it with -dc.
std::string_view name_of(Compression compression);

}  // namespace foldline::io
