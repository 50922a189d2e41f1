#include "io/compression.hpp"

namespace foldline::io {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// "BZh9" may be a text's first word, so the first block's signature, or that of the end, must follow.
bool is_bzip2(std::string_view start) {
  using namespace std::string_view_literals;
  if (start.size() < 10 || !start.starts_with("BZh") || start[3] < '1' || start[3] > '9') return false;
  const std::string_view block = start.substr(4, 6);
  return block == "1AY&SY"sv || block == "\x17rE8P\x90"sv;
}

/// A frame, or one that holds no data, with which pzstd begins.
bool is_zstd(std::string_view start) {
  using namespace std::string_view_literals;
  if (start.starts_with("\x28\xb5\x2f\xfd"sv)) return true;
  return start.size() >= 4 && (start[0] & '\xf0') == '\x50' && start.substr(1, 3) == "\x2a\x4d\x18"sv;
}

}  // namespace

std::optional<Compression> compression_of(std::span<const std::byte> bytes) {
  using namespace std::string_view_literals;
  const std::string_view start = text_of(bytes);
  if (start.starts_with("\x1f\x8b\x08"sv)) return Compression::gzip;
  if (start.starts_with("\xfd"
                        "7zXZ\0"sv))
    return Compression::xz;
  if (is_zstd(start)) return Compression::zstd;
  if (is_bzip2(start)) return Compression::bzip2;
  return std::nullopt;
}

bool is_zip(std::span<const std::byte> bytes) {
  const std::string_view start = text_of(bytes);
  return start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06");  // the latter has no members
}

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return "gzip";
    case Compression::xz:
      return "xz";
    case Compression::zstd:
      return "zstd";
    case Compression::bzip2:
      return "bzip2";
  }
  return "";
}

}  // namespace foldline::io
