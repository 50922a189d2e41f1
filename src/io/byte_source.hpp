// The bytes that a file holds, front to back: as they stand in it, or decompressed, or those of one member of
// an archive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "foldline/input_file.hpp"
#include "io/content.hpp"
#include "io/system_file.hpp"

namespace foldline::io {

class ByteSource {
 public:
  /// Opens a path; "-" is standard input. Looks into a regular file; into anything else when first asked what
  /// is in it, since that may mean to wait. Throws DataError: missing, a directory, not permitted.
  explicit ByteSource(const std::string& path, Unpacking unpacking = {});

  /// The path as given, or "standard input"; with the name of the member of an archive behind it.
  const std::string& name() const { return name_; }
  /// Bytes not yet read of a regular file that is read as it stands, as of its opening; none for whatever has
  /// no size, or none that can be trusted.
  std::optional<std::int64_t> remaining() const;
  /// Whether bytes come from another place than the file itself, so that its checksums are compared only when
  /// all have been read.
  bool is_unpacked() const { return content_ != nullptr; }

  /// Where the next byte stands in a regular file that is read as it stands; none of whatever else.
  std::optional<FilePosition> position() const;

  /// Fills the buffer with the next bytes and returns how many there were: fewer than asked for at the end
  /// only. Throws DataError if the operating system cannot read, or if the file is damaged.
  std::size_t read(std::span<std::byte> buffer);
  /// The first 512 bytes, or fewer if there are no more; they stay the next ones. Before anything is read.
  std::span<const std::byte> start();
  /// Passes over the next bytes and returns how many there were: fewer than asked for at the end only.
  std::int64_t skip(std::int64_t count);

 private:
  void look();
  void unpack();
  std::size_t read_on(std::span<std::byte> buffer);

  SystemFile file_;
  std::string name_;
  Unpacking unpacking_;
  std::unique_ptr<Content> content_;  ///< none if bytes are read as they stand in the file
  bool looked_ = false;
  std::array<std::byte, 512> ahead_ = {};  ///< those from begin to end come before what read_on() gives
  std::size_t ahead_begin_ = 0;
  std::size_t ahead_end_ = 0;
};

}  // namespace foldline::io
