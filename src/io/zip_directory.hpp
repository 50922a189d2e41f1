// The directory of a ZIP archive, which is at its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/system_file.hpp"

namespace foldline::io {

/// A member by the directory, and the position of its bytes, which is within the file.
struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t checksum = 0;  ///< CRC-32 of the content
  std::int64_t compressed_size = 0;
  std::int64_t size = 0;
  std::int64_t position = 0;  ///< of the first compressed byte
};

/// Finds the member of that name, with or without .npy at its end, or the only one. Memory: a few names.
/// Throws UnknownMember if there is none or several; DataError if the archive is damaged.
ZipMember find_zip_member(const SystemFile& file, const std::optional<std::string>& name);

}  // namespace foldline::io
