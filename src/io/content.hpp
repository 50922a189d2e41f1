// Content of a compressed file or an archive.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/decompressor.hpp"
#include "io/system_file.hpp"

namespace foldline::io {

/// The unpacked bytes of a file, front to back.
class Content {
 public:
  Content() = default;
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;
  virtual ~Content() = default;

  /// Fills the buffer with the next bytes, out of `file`, and returns how many there were: fewer than asked
  /// for at the end only. Throws DataError if the file is damaged or ends too early.
  virtual std::size_t read(SystemFile& file, std::span<std::byte> buffer) = 0;
};

/// Content of one or more concatenated members, streams or frames (the formats' terms).
class CompressedContent : public Content {
 public:
  /// `start`: bytes already read from the file.
  CompressedContent(Compression compression, const std::string& name, std::span<const std::byte> start);
  std::size_t read(SystemFile& file, std::span<std::byte> buffer) override;

 private:
  std::span<const std::byte> input() const { return std::span(buffer_).subspan(begin_, end_ - begin_); }
  void refill(SystemFile& file);
  bool begin_next(SystemFile& file);

  Compression compression_;
  std::string name_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<std::byte> buffer_;  ///< compressed bytes; those from begin_ to end_ are unread
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool file_ended_ = false;
  bool ended_ = false;
};

}  // namespace foldline::io
