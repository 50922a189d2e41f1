#include "io/text_source.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "io/text_kind.hpp"

namespace foldline::io {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

TextSource::TextSource(ByteSource bytes, const TextFormat& format)
    : bytes_(std::move(bytes)),
      size_(bytes_.remaining()),
      block_size_(static_cast<std::size_t>(format.block_size)),
      longest_row_(static_cast<std::size_t>(format.longest_row)),
      ahead_(bytes_that_tell) {
  ahead_.resize(bytes_.read(std::as_writable_bytes(std::span(ahead_))));
  std::string_view start(ahead_.data(), ahead_.size());
  refuse_other_kinds(start, name());
  if (start.starts_with(byte_order_mark)) ahead_used_ = byte_order_mark.size();
  offset_ = static_cast<std::int64_t>(ahead_used_);
  start.remove_prefix(ahead_used_);
  std::string separators;
  for (const std::optional<char> c : {format.separator, format.comment})
    if (c && *c != TextFormat::no_comment) separators += *c;
  if (format.skip_lines == 0) refuse_other_contents(start, separators, name());
}

std::size_t TextSource::read_bytes(std::span<char> buffer) {
  const std::size_t count = std::min(buffer.size(), ahead_.size() - ahead_used_);
  std::copy_n(ahead_.data() + ahead_used_, count, buffer.data());
  ahead_used_ += count;
  const bool is_all = ahead_.size() < bytes_that_tell;  // asked again, a terminal would wait for another line
  return is_all ? count : count + bytes_.read(std::as_writable_bytes(buffer.subspan(count)));
}

/// Adds a block, or as many bytes as there are already if that is more, so that a long row is not scanned too
/// often. Returns whether there was anything to add.
bool TextSource::read_into(TextRows& rows) {
  if (ended_) return false;
  const std::size_t size = rows.size, wanted = std::max(block_size_, size);
  if (rows.buffer.size() < size + wanted + 1) rows.buffer.resize(size + wanted + 1);
  rows.size += read_bytes(std::span(rows.buffer).subspan(size, wanted));
  ended_ = rows.size < size + wanted;
  if (ended_ && rows.size != 0 && rows.buffer[rows.size - 1] != '\n') rows.buffer[rows.size++] = '\n';
  return rows.size != size;
}

bool TextSource::grow() { return read_into(start_); }

void TextSource::drop(std::size_t count) {
  offset_ += static_cast<std::int64_t>(count);
  start_.size -= count;
  if (count == 0) return;  // there may be no buffer yet
  std::memmove(start_.buffer.data(), start_.buffer.data() + count, start_.size);
}

/// Keeps `size` bytes in the rows and saves the rest for the next ones.
bool TextSource::give(TextRows& rows, std::size_t size) {
  const std::string_view rest = rows.text().substr(size);
  if (start_.buffer.size() < rest.size()) start_.buffer.resize(rest.size());
  std::ranges::copy(rest, start_.buffer.data());
  start_.size = rest.size();
  rows.size = size;
  offset_ += static_cast<std::int64_t>(size);
  return true;
}

void TextSource::skip_to(std::int64_t offset) {
  std::int64_t left = std::max<std::int64_t>(offset - offset_, 0);
  const auto of_start = std::min(left, static_cast<std::int64_t>(start_.size));
  drop(static_cast<std::size_t>(of_start));
  left -= of_start;
  const auto of_ahead = std::min(left, static_cast<std::int64_t>(ahead_.size() - ahead_used_));
  ahead_used_ += static_cast<std::size_t>(of_ahead);
  bytes_.skip(left - of_ahead);
  offset_ += left;
}

void TextSource::read_part(std::int64_t begin, std::int64_t end, bool is_row) {
  skip_to(is_row ? begin : begin - 1);
  for (bool found = is_row || begin <= offset_; !found && offset_ < end && (start_.size != 0 || grow());) {
    const std::size_t line_end = start().find('\n');
    found = line_end != std::string_view::npos;
    drop(found ? line_end + 1 : start_.size);
  }
  end_ = end;
}

/// Bytes of those of the complete rows that belong to the part.
std::size_t TextSource::size_of_part(const TextDialect& dialect, std::string_view rows) const {
  // At least what is left of a line that was cut.
  const auto left = static_cast<std::size_t>(std::max<std::int64_t>(end_ - offset_, 1));
  if (left >= rows.size()) return rows.size();
  std::size_t size = dialect.whole_lines(rows.substr(0, left));
  while (size < left) {
    const char* const next = dialect.line_end(rows.data() + size, rows.data() + rows.size());
    if (next == nullptr) return rows.size();  // a quote that is never closed
    size = static_cast<std::size_t>(next - rows.data());
  }
  return size;
}

bool TextSource::take(const TextDialect& dialect, bool cuts_lines, TextRows& rows) {
  if (!is_cut_ && offset_ >= end_) return false;
  rows.too_long = rows.unfinished = false;
  rows.continues = std::exchange(is_cut_, false);
  rows.size = start_.size;
  if (rows.buffer.size() < rows.size) rows.buffer.resize(rows.size);
  std::copy_n(start_.buffer.data(), start_.size, rows.buffer.data());
  start_.size = 0;
  for (bool has_enough = rows.size >= block_size_;; has_enough = false) {
    if (!has_enough) read_into(rows);
    if (ended_) return rows.size != 0 && give(rows, size_of_part(dialect, rows.text()));
    if (const std::size_t whole = dialect.whole_lines(rows.text()); whole != 0)
      return give(rows, size_of_part(dialect, rows.text().substr(0, whole)));
    if (const std::size_t part = cuts_lines ? dialect.part_of_line(rows.text()) : 0; part != 0) {
      rows.unfinished = is_cut_ = true;
      give(rows, part);
      rows.buffer[part - 1] = '\n';  // for the blank
      return true;
    }
    if (rows.size > longest_row_) {
      rows.too_long = true;
      ended_ = true;
      return true;
    }
  }
}

}  // namespace foldline::io
