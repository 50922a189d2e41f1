// The bytes of a file, front to back: as stored, decompressed, or those of one member of an archive.
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
  /// Opens a path; "-" is standard input. Inspects a regular file at once, anything else at the first
  /// request, since that may wait. Throws DataError: missing, a directory, not permitted.
  explicit ByteSource(const std::string& path, Unpacking unpacking = {});

  /// The path as given, or "standard input"; followed by the name of an archive's member.
  const std::string& name() const { return name_; }
  /// Unread bytes of a regular file that is read as stored; nothing if the size is unknown or not reliable.
  std::optional<std::int64_t> remaining() const;
  /// Whether bytes are decompressed or copied from an archive, so that checksums are compared only at the
  /// end.
  bool is_unpacked() const { return content_ != nullptr; }

  /// The position of the next byte in a regular file that is read as stored.
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
  std::unique_ptr<Content> content_;  ///< null if bytes are read as stored
  bool looked_ = false;
  std::array<std::byte, 512> ahead_ = {};  ///< bytes begin to end precede what read_on() returns
  std::size_t ahead_begin_ = 0;
  std::size_t ahead_end_ = 0;
};

}  // namespace foldline::io
