// Bytes from the operating system: of a regular file, a pipe, a device or standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace foldline::io {

/// A byte of a regular file.
struct FilePosition {
  int descriptor;
  std::int64_t offset;
};

class SystemFile {
 public:
  /// Opens a path; "-" is standard input. Throws DataError: missing, a directory, not permitted.
  explicit SystemFile(const std::string& path);
  SystemFile(SystemFile&& other) noexcept;
  SystemFile& operator=(SystemFile&& other) = delete;
  ~SystemFile();

  /// The path as given, or "standard input".
  const std::string& name() const { return name_; }
  /// False for pipes and everything else without a size. A regular file begins at its position when opened:
  /// standard input may have been read in part.
  bool is_regular() const { return regular_; }

  /// Fills the buffer with the next bytes and returns how many there were: fewer than asked for at the end
  /// only. Throws DataError if the operating system cannot read.
  std::size_t read(std::span<std::byte> buffer);

  /// @{ Of a regular file only.
  std::int64_t size() const { return end_ - begin_; }  ///< as of its opening
  std::int64_t remaining() const { return end_ - offset_; }
  FilePosition position() const { return {descriptor_, offset_}; }  ///< of the next byte
  /// Skips the next bytes, as many as there are, and returns their number.
  std::int64_t skip(std::int64_t count);
  /// Like read(), but from `position`, and without moving the position of read().
  std::size_t read_at(std::int64_t position, std::span<std::byte> buffer) const;
  /// @}

 private:
  std::size_t read_from(std::int64_t offset, std::span<std::byte> buffer) const;

  int descriptor_ = -1;
  bool owned_ = false;
  std::string name_;
  bool regular_ = false;  ///< read with pread, at offset_; everything else with read
  std::int64_t begin_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace foldline::io
