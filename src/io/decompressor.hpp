// The common interface of the compression libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/compression.hpp"

namespace foldline::io {

/// The most memory that decompression may take. `xz -9` needs 65 MiB, `zstd --ultra -22` 128 MiB.
inline constexpr std::int64_t most_decompression_memory = std::int64_t{256} << 20;

/// Decompresses members, streams or frames (the formats' terms), one after another.
class Decompressor {
 public:
  struct Step {
    std::size_t taken = 0;  ///< bytes of the input
    std::size_t made = 0;   ///< bytes of the output
    bool ended = false;     ///< the member is complete and its checksum has been checked
  };

  Decompressor() = default;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  virtual ~Decompressor() = default;

  /// Consumes input and produces output. If it does neither, it needs more input. Throws DataError if the
  /// member is damaged or needs too much memory.
  virtual Step run(std::span<const std::byte> in, std::span<std::byte> out) = 0;
  /// Starts the next member.
  virtual void restart() = 0;
};

/// `name` is the file's, for messages. Throws DataError if the library was built without the formats.
std::unique_ptr<Decompressor> make_decompressor(Compression compression, const std::string& name);

/// @{ One of each; make_decompressor() chooses.
std::unique_ptr<Decompressor> make_gzip_decompressor(const std::string& name);
std::unique_ptr<Decompressor> make_xz_decompressor(const std::string& name);
std::unique_ptr<Decompressor> make_zstd_decompressor(const std::string& name);
std::unique_ptr<Decompressor> make_bzip2_decompressor(const std::string& name);
/// @}

/// Deflate without a header, as in ZIP archives.
std::unique_ptr<Decompressor> make_deflate_decompressor(const std::string& name);

/// Throws DataError about damaged compressed data.
[[noreturn]] void fail_damaged(const std::string& name, std::string_view format, std::string_view what);
/// Throws DataError: decompression would take `bytes` bytes of memory, more than allowed.
[[noreturn]] void fail_too_large(const std::string& name, Compression compression, std::uint64_t bytes);

}  // namespace foldline::io
