// The header of a .npy file: a pure function over bytes that trusts none of them.
// Format: NumPy Enhancement Proposal 1 and the documentation of numpy.lib.format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "foldline/array_reader.hpp"
#include "foldline/types.hpp"

namespace foldline::io {

struct NpyHeader {
  ElementType type = ElementType::float64;
  ByteOrder byte_order = ByteOrder::little;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< each at least 0
  std::int64_t size = 1;            ///< elements; in bytes it fits std::int64_t
};

/// Bytes that every .npy file starts with: magic string, version, and in version 1 the length.
inline constexpr std::size_t npy_prefix_size = 10;
/// Versions 2 and 3 have two more bytes for the length.
inline constexpr std::size_t npy_longest_preamble = 12;
/// NumPy's own headers have 128 bytes or less for plain arrays. What goes far beyond is structured, or
/// hostile.
inline constexpr std::size_t npy_longest_dictionary = 65536;
/// NumPy's own limit since 2.0 (32 before).
inline constexpr std::size_t npy_most_dimensions = 64;

/// Where the parts of the header lie.
struct NpyPreamble {
  std::size_t size = 0;             ///< bytes before the dictionary: 10 or 12
  std::size_t dictionary_size = 0;  ///< at most npy_longest_dictionary; known if all `size` bytes were given
};

/// Reads magic string, version and length from the first bytes of a file: npy_prefix_size of them are enough
/// to know `size`, and `size` of them to know `dictionary_size`. `name` is the file's, for messages. Throws
/// DataError.
NpyPreamble parse_npy_preamble(std::span<const std::byte> bytes, std::string_view name);

/// Reads the dictionary that follows the preamble. `data_offset` is where the data begins; messages mention
/// it. Throws DataError.
NpyHeader parse_npy_dictionary(std::string_view text, std::size_t data_offset, std::string_view name);

}  // namespace foldline::io
