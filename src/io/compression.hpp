// Recognises compressed files and archives by their first bytes, never by their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace foldline::io {

enum class Compression : std::uint8_t { gzip, xz, zstd, bzip2 };

/// The number of first bytes that are compared.
inline constexpr std::size_t longest_compression_signature = 10;

/// The compression of bytes that begin so, if any.
std::optional<Compression> compression_of(std::span<const std::byte> start);
/// Whether bytes that begin so are a ZIP archive, as .npz files are.
bool is_zip(std::span<const std::byte> start);

/// The format's name, also that of the program that decompresses it with -dc.
std::string_view name_of(Compression compression);

}  // namespace foldline::io
