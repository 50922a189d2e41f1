#include "io/byte_source.hpp"

#include <algorithm>
#include <utility>

#include "foldline/error.hpp"
#include "io/compression.hpp"
#include "io/zip_member.hpp"

namespace foldline::io {

ByteSource::ByteSource(const std::string& path, Unpacking unpacking)
    : file_(path), name_(file_.name()), unpacking_(std::move(unpacking)) {
  if (file_.is_regular()) look();
}

std::optional<std::int64_t> ByteSource::remaining() const {
  if (!file_.is_regular() || content_) return std::nullopt;
  return file_.remaining() + static_cast<std::int64_t>(ahead_end_ - ahead_begin_);
}

void ByteSource::look() {
  looked_ = true;
  ahead_end_ = file_.read(ahead_);
  unpack();
}

void ByteSource::unpack() {
  const std::span<const std::byte> start = std::span(ahead_).first(ahead_end_);
  const bool zip = unpacking_.unpack && is_zip(start);
  if (unpacking_.member && !zip)
    throw DataError(name_ + ": is no .npz or ZIP archive, so it has no member " + *unpacking_.member);
  const std::optional<Compression> compression = unpacking_.unpack ? compression_of(start) : std::nullopt;
  std::string around;
  if (zip) {
    if (!file_.is_regular())
      throw DataError(name_ +
                      ": is a .npz or ZIP archive, whose directory is at its end; a pipe cannot be read from "
                      "there, so give the file itself");
    NamedContent member = open_zip_member(file_, unpacking_.member);
    content_ = std::move(member.content);
    name_ = std::move(member.full_name);
    around = "a ZIP archive";
  } else if (compression) {
    content_ = std::make_unique<CompressedContent>(*compression, name_, start);
    around = name_of(*compression);
  } else {
    return;
  }
  ahead_end_ = 0;
  ahead_end_ = content_->read(file_, ahead_);
  const std::span<const std::byte> inner = std::span(ahead_).first(ahead_end_);
  if (const std::optional<Compression> again = compression_of(inner))
    throw DataError(name_ + ": is compressed twice, by " + std::string(name_of(*again)) + " within " +
                    around + "; decompress it once first");
  if (is_zip(inner)) throw DataError(name_ + ": is a ZIP archive within " + around + "; decompress it first");
}

std::optional<FilePosition> ByteSource::position() const {
  if (!file_.is_regular() || content_) return std::nullopt;
  FilePosition next = file_.position();
  next.offset -= static_cast<std::int64_t>(ahead_end_ - ahead_begin_);
  return next;
}

std::span<const std::byte> ByteSource::start() {
  if (!looked_) look();
  return std::span(ahead_).first(ahead_end_);
}

std::size_t ByteSource::read(std::span<std::byte> buffer) {
  if (!looked_) look();
  const std::size_t count = std::min(buffer.size(), ahead_end_ - ahead_begin_);
  std::copy_n(ahead_.begin() + static_cast<std::ptrdiff_t>(ahead_begin_), count, buffer.begin());
  ahead_begin_ += count;
  return count + read_on(buffer.subspan(count));
}

std::size_t ByteSource::read_on(std::span<std::byte> buffer) {
  return content_ ? content_->read(file_, buffer) : file_.read(buffer);
}

std::int64_t ByteSource::skip(std::int64_t count) {
  if (!looked_) look();
  std::int64_t skipped = std::min(count, static_cast<std::int64_t>(ahead_end_ - ahead_begin_));
  ahead_begin_ += static_cast<std::size_t>(skipped);
  if (file_.is_regular() && !content_) return skipped + file_.skip(count - skipped);
  std::array<std::byte, 16384> ignored;
  while (skipped < count) {
    const auto wanted = std::min(static_cast<std::int64_t>(ignored.size()), count - skipped);
    const auto got = read_on(std::span(ignored).first(static_cast<std::size_t>(wanted)));
    skipped += static_cast<std::int64_t>(got);
    if (static_cast<std::int64_t>(got) < wanted) break;
  }
  return skipped;
}

}  // namespace foldline::io
