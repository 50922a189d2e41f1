#include "io/text_source.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "foldline/error.hpp"
#include "foldline/text_reader.hpp"

namespace foldline::io {
namespace {

struct Signature {
  std::string_view bytes;
  std::string_view message;
};

constexpr std::array<Signature, 7> not_text = {{
    {"\xff\xfe", "is UTF-16; convert it to UTF-8"},
    {"\xfe\xff", "is UTF-16; convert it to UTF-8"},
    {"\x1f\x8b", "is compressed by gzip; decompress it first"},
    {"\x28\xb5\x2f\xfd", "is compressed by zstd; decompress it first"},
    {"\xfd\x37zXZ", "is compressed by xz; decompress it first"},
    {"PK\x03\x04", "is a ZIP archive or a spreadsheet; save it as CSV first"},
    {"\x93NUMPY", "is a .npy file, not a text; read it as that"},
}};

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::size_t longest_signature = 6;

}  // namespace

TextSource::TextSource(ByteSource bytes, std::int64_t block_size)
    : bytes_(std::move(bytes)), size_(bytes_.remaining()), block_size_(static_cast<std::size_t>(block_size)) {
  while (start_.size < longest_signature && grow()) {
  }
  for (const Signature& signature : not_text)
    if (start().starts_with(signature.bytes)) throw DataError(name() + ": " + std::string(signature.message));
  if (start().starts_with(byte_order_mark)) drop(byte_order_mark.size());
}

/// Adds a block, or as many bytes as there are if that is more: so a long row is not looked at too often.
/// Returns whether there was anything to add.
bool TextSource::read_into(TextRows& rows) {
  if (ended_) return false;
  const std::size_t size = rows.size, wanted = std::max(block_size_, size);
  if (rows.buffer.size() < size + wanted + 1) rows.buffer.resize(size + wanted + 1);
  rows.size += bytes_.read(std::as_writable_bytes(std::span(rows.buffer).subspan(size, wanted)));
  ended_ = rows.size < size + wanted;
  if (ended_ && rows.size != 0 && rows.buffer[rows.size - 1] != '\n') rows.buffer[rows.size++] = '\n';
  return rows.size != size;
}

bool TextSource::grow() { return read_into(start_); }

void TextSource::drop(std::size_t count) {
  start_.size -= count;
  std::memmove(start_.buffer.data(), start_.buffer.data() + count, start_.size);
}

bool TextSource::take(const TextDialect& dialect, TextRows& rows) {
  rows.too_long = false;
  rows.size = start_.size;
  if (rows.buffer.size() < rows.size) rows.buffer.resize(rows.size);
  std::copy_n(start_.buffer.data(), start_.size, rows.buffer.data());
  start_.size = 0;
  for (;;) {
    read_into(rows);
    if (ended_) return rows.size != 0;
    const std::size_t whole = dialect.whole_lines(rows.text());
    if (whole != 0) {
      const std::string_view rest = rows.text().substr(whole);
      if (start_.buffer.size() < rest.size()) start_.buffer.resize(rest.size());
      std::ranges::copy(rest, start_.buffer.data());
      start_.size = rest.size();
      rows.size = whole;
      return true;
    }
    if (rows.size > static_cast<std::size_t>(TextReader::longest_row)) {
      rows.too_long = true;
      ended_ = true;
      return true;
    }
  }
}

}  // namespace foldline::io
