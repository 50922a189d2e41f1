#include <algorithm>

#include "foldline/error.hpp"
#include "io/content.hpp"

namespace foldline::io {
namespace {

constexpr std::size_t compressed_block = 65536;

}  // namespace

CompressedContent::CompressedContent(Compression compression, const std::string& name,
                                     std::span<const std::byte> start)
    : compression_(compression),
      name_(name),
      decompressor_(make_decompressor(compression, name)),
      buffer_(std::max(compressed_block, start.size())),
      end_(start.size()) {
  std::ranges::copy(start, buffer_.begin());
}

/// Moves the remaining input to the buffer's front and reads more behind it.
void CompressedContent::refill(SystemFile& file) {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  end_ += file.read(std::span(buffer_).subspan(end_));
  file_ended_ = end_ < buffer_.size();
}

std::size_t CompressedContent::read(SystemFile& file, std::span<std::byte> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size() && !ended_) {
    if (begin_ == end_ && !file_ended_) refill(file);
    const Decompressor::Step step = decompressor_->run(input(), buffer.subspan(filled));
    begin_ += step.taken;
    filled += step.made;
    if (step.ended) {
      ended_ = !begin_next(file);
    } else if (step.taken == 0 && step.made == 0) {  // the input is exhausted
      throw DataError(name_ + ": is compressed by " + std::string(name_of(compression_)) +
                      " and truncated; fetch or write it again");
    }
  }
  return filled;
}

/// Skips zeros, with which tapes, and xz itself, pad files. Returns false if nothing else follows.
bool CompressedContent::begin_next(SystemFile& file) {
  const bool may_be_filled_up = compression_ == Compression::gzip || compression_ == Compression::xz;
  std::size_t zeros = 0;
  for (;;) {
    if (end_ - begin_ < longest_compression_signature && !file_ended_) refill(file);
    if (begin_ == end_ || buffer_[begin_] != std::byte{0} || !may_be_filled_up) break;
    ++begin_;
    ++zeros;
  }
  if (compression_ == Compression::xz && zeros % 4 != 0)
    fail_damaged(name_, "xz", "what fills it up is not a multiple of 4 bytes");
  if (begin_ == end_) return false;
  if (compression_of(input()) != compression_)
    throw DataError(
        name_ + ": goes on after the end of its " + std::string(name_of(compression_)) +
        " data with something else: it is damaged, or more than one file; fetch or write it again");
  decompressor_->restart();
  return true;
}

}  // namespace foldline::io
