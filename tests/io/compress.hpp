// Compressed files and archives for the tests, made by the compression libraries themselves.
#pragma once

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace foldline::test {

inline void require(bool worked) {
  if (!worked) throw std::runtime_error("the compression library failed");
}

/// By zlib: window bits 31 for gzip, -15 for what is in ZIP archives.
inline std::string deflated(std::string content, int window_bits) {
  z_stream stream = {};
  require(::deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string result(::deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  require(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  result.resize(result.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return result;
}

inline std::string gzip(const std::string& content) { return deflated(content, 31); }

inline std::string xz(const std::string& content) {
  std::string result(::lzma_stream_buffer_bound(content.size()), '\0');
  std::size_t size = 0;
  require(::lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(content.data()), content.size(),
                                    reinterpret_cast<std::uint8_t*>(result.data()), &size,
                                    result.size()) == LZMA_OK);
  result.resize(size);
  return result;
}

/// With a checksum, as the zstd command writes it.
inline std::string zstd(const std::string& content, int window_log = 0) {
  ZSTD_CCtx* const context = ::ZSTD_createCCtx();
  ::ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log != 0) ::ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string result(::ZSTD_compressBound(content.size()), '\0');
  // Of a content whose size is not known beforehand, as from a pipe, the window stays as large as asked for.
  ZSTD_inBuffer in = {content.data(), content.size(), 0};
  ZSTD_outBuffer out = {result.data(), result.size(), 0};
  require(::ZSTD_isError(::ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)) == 0);
  result.resize(out.size + 64);
  out = {result.data(), result.size(), out.pos};
  require(::ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) == 0);
  result.resize(out.pos);
  ::ZSTD_freeCCtx(context);
  return result;
}

inline std::string bzip2(std::string content) {
  auto size = static_cast<unsigned>(content.size() + content.size() / 100 + 600);
  std::string result(size, '\0');
  require(::BZ2_bzBuffToBuffCompress(result.data(), &size, content.data(),
                                     static_cast<unsigned>(content.size()), 9, 0, 0) == BZ_OK);
  result.resize(size);
  return result;
}

struct CompressionFormat {
  const char* name;
  std::function<std::string(const std::string&)> compress;
};

inline const std::vector<CompressionFormat> compression_formats = {
    {"gzip", gzip},
    {"xz", xz},
    {"zstd", [](const std::string& content) { return zstd(content); }},
    {"bzip2", bzip2}};

/// An archive, part by part, so that any part of it can be wrong.
struct ZipFile {
  struct Member {
    std::string name;
    std::string content;
    bool deflate = true;
    bool long_numbers = false;  ///< ZIP64, in the directory too
    std::uint16_t flags = 0;
    int method = -1;               ///< that is claimed
    std::uint32_t wrong_size = 0;  ///< added to the size
    std::uint32_t wrong_checksum = 0;
  };

  std::vector<Member> members;
  bool long_directory = false;  ///< ZIP64
  std::string comment = {};

  static std::string number(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
    return text;
  }

  std::string bytes() const {
    std::string file, directory;
    for (const Member& member : members) {
      const std::string data = member.deflate ? deflated(member.content, -15) : member.content;
      const std::uint64_t size = member.content.size() + member.wrong_size, at = file.size();
      const auto checksum = static_cast<std::uint32_t>(
          ::crc32_z(0, reinterpret_cast<const Bytef*>(member.content.data()), member.content.size()));
      const int method = member.method >= 0 ? member.method : member.deflate ? 8 : 0;
      const bool in_extra = member.long_numbers;
      const std::string sizes =
          in_extra ? number(0xffffffff, 4) + number(0xffffffff, 4) : number(data.size(), 4) + number(size, 4);
      const std::string numbers = number(size, 8) + number(data.size(), 8);
      const std::string extra = in_extra ? number(1, 2) + number(16, 2) + numbers : "";
      const std::string long_extra = in_extra ? "\xfe\xca" + number(3, 2) + "abc" + number(1, 2) +
                                                    number(24, 2) + numbers + number(at, 8)
                                              : "";
      const std::string shared =
          number(45, 2) + number(member.flags, 2) + number(static_cast<unsigned>(method), 2) + number(0, 4) +
          number(checksum + member.wrong_checksum, 4) + sizes + number(member.name.size(), 2);
      file += "PK\x03\x04" + shared + number(extra.size(), 2) + member.name + extra + data;
      directory += "PK\x01\x02" + number(45, 2) + shared + number(long_extra.size(), 2) +
                   number(0, 2 + 2 + 2 + 4) + number(in_extra ? 0xffffffff : at, 4) + member.name +
                   long_extra;
    }
    const std::uint64_t begin = file.size(), count = members.size();
    file += directory;
    const std::uint64_t end = file.size();
    if (long_directory)
      file += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(count, 8) +
              number(count, 8) + number(end - begin, 8) + number(begin, 8) + "PK\x06\x07" + number(0, 4) +
              number(end, 8) + number(1, 4);
    const auto or_elsewhere = [&](std::uint64_t value, int size) {
      return number(long_directory ? 0xffffffff : value, size);
    };
    return file + "PK\x05\x06" + number(0, 4) + or_elsewhere(count, 2) + or_elsewhere(count, 2) +
           or_elsewhere(end - begin, 4) + or_elsewhere(begin, 4) + number(comment.size(), 2) + comment;
  }
};

}  // namespace foldline::test
