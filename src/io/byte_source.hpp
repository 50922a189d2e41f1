// Bytes from a regular file, a pipe, a device or standard input, front to back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace foldline::io {

class ByteSource {
 public:
  /// Opens a path; "-" is standard input. Throws DataError: missing, a directory, not permitted.
  explicit ByteSource(const std::string& path);
  ByteSource(ByteSource&& other) noexcept;
  ByteSource& operator=(ByteSource&& other) = delete;
  ~ByteSource();

  /// The path as given, or "standard input".
  const std::string& name() const { return name_; }
  /// Bytes of a regular file not yet read, as of its opening; none for pipes and whatever else has no size.
  std::optional<std::int64_t> remaining() const;

  /// Fills the buffer with the next bytes and returns how many there were: fewer than asked for at the end
  /// only. Throws DataError if the operating system cannot read.
  std::size_t read(std::span<std::byte> buffer);
  /// The first 6 bytes, or fewer if there are no more; they stay the next ones. Before anything is read.
  std::span<const std::byte> start();
  /// Passes over the next bytes and returns how many there were: fewer than asked for at the end only.
  std::int64_t skip(std::int64_t count);

 private:
  std::size_t read_from_system(std::span<std::byte> buffer);

  int descriptor_ = -1;
  bool owned_ = false;
  std::string name_;
  bool regular_ = false;  ///< read with pread, at offset_; everything else with read
  std::int64_t offset_ = 0;
  std::int64_t end_ = 0;
  std::array<std::byte, 6> ahead_ = {};  ///< bytes that come before what the system gives
  std::size_t ahead_size_ = 0;
};

}  // namespace foldline::io
