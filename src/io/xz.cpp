#include <lzma.h>

#include <new>
#include <utility>

#include "io/decompressor.hpp"

namespace foldline::io {
namespace {

const char* xz_meaning(lzma_ret status) {
  switch (status) {
    case LZMA_FORMAT_ERROR:
      return "no xz header";
    case LZMA_OPTIONS_ERROR:
      return "options that are not known";
    case LZMA_UNSUPPORTED_CHECK:
      return "a checksum that is not known";
    default:
      return "a checksum or the data is wrong";
  }
}

class XzDecompressor : public Decompressor {
 public:
  explicit XzDecompressor(std::string name) : name_(std::move(name)) { restart(); }
  ~XzDecompressor() override { ::lzma_end(&stream_); }

  Step run(std::span<const std::byte> in, std::span<std::byte> out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = ::lzma_code(&stream_, LZMA_RUN);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status == LZMA_MEMLIMIT_ERROR) fail_too_large(name_, Compression::xz, ::lzma_memusage(&stream_));
    // That no progress was possible is for the caller to see.
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR)
      fail_damaged(name_, "xz", xz_meaning(status));
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out, status == LZMA_STREAM_END};
  }

  void restart() override {
    if (::lzma_stream_decoder(&stream_, most_decompression_memory, LZMA_TELL_UNSUPPORTED_CHECK) != LZMA_OK)
      throw std::bad_alloc();
  }

 private:
  std::string name_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<Decompressor> make_xz_decompressor(const std::string& name) {
  return std::make_unique<XzDecompressor>(name);
}

}  // namespace foldline::io
