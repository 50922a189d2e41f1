#include <zstd.h>
#include <zstd_errors.h>

#include <array>
#include <new>
#include <utility>

#include "io/decompressor.hpp"

namespace foldline::io {
namespace {

/// The limit of the zstd command too: 2^27 bytes, 128 MiB.
constexpr int largest_window_log = 27;

/// The window of a frame, for which it needs memory, by its header (RFC 8878, 3.1.1.1).
std::uint64_t window_of(std::span<const std::byte> frame) {
  const auto at = [&](std::size_t i) {
    return i < frame.size() ? std::to_integer<std::uint64_t>(frame[i]) : 0;
  };
  const std::uint64_t descriptor = at(4);
  if ((descriptor & 0x20) == 0) {
    const std::uint64_t base = std::uint64_t{1} << (10 + (at(5) >> 3));
    return base + base / 8 * (at(5) & 7);
  }
  // The whole content is one window, whose size comes behind the dictionary's number.
  constexpr std::array<std::size_t, 4> dictionary_bytes = {0, 1, 2, 4}, size_bytes = {1, 2, 4, 8};
  const std::size_t first = 5 + dictionary_bytes[descriptor & 3];
  std::uint64_t size = 0;
  for (std::size_t i = size_bytes[descriptor >> 6]; i-- > 0;) size = size << 8 | at(first + i);
  return size;
}

class ZstdDecompressor : public Decompressor {
 public:
  explicit ZstdDecompressor(std::string name) : name_(std::move(name)), context_(::ZSTD_createDCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ::ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, largest_window_log);
  }
  ~ZstdDecompressor() override { ::ZSTD_freeDCtx(context_); }

  Step run(std::span<const std::byte> in, std::span<std::byte> out) override {
    ZSTD_inBuffer input = {in.data(), in.size(), 0};
    ZSTD_outBuffer output = {out.data(), out.size(), 0};
    const std::size_t status = ::ZSTD_decompressStream(context_, &output, &input);
    if (::ZSTD_isError(status) != 0) fail(status, in);
    return {input.pos, output.pos, status == 0};
  }

  void restart() override { ::ZSTD_DCtx_reset(context_, ZSTD_reset_session_only); }

 private:
  [[noreturn]] void fail(std::size_t status, std::span<const std::byte> in) const {
    switch (::ZSTD_getErrorCode(status)) {
      case ZSTD_error_memory_allocation:
        throw std::bad_alloc();
      case ZSTD_error_frameParameter_windowTooLarge:
        fail_too_large(name_, Compression::zstd, window_of(in));  // a frame's header is read at once
      case ZSTD_error_dictionary_wrong:
        fail_damaged(name_, "zstd", "it needs a dictionary");
      default:
        fail_damaged(name_, "zstd", ::ZSTD_getErrorName(status));
    }
  }

  std::string name_;
  ZSTD_DCtx* context_;
};

}  // namespace

std::unique_ptr<Decompressor> make_zstd_decompressor(const std::string& name) {
  return std::make_unique<ZstdDecompressor>(name);
}

}  // namespace foldline::io
