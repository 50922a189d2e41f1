// gzip, and the deflate within ZIP archives.
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "io/decompressor.hpp"

namespace foldline::io {
namespace {

// For inflateInit2: the largest window, and which header comes before the data.
constexpr int gzip_format = 15 + 16, bare_deflate = -15;

uInt zlib_count(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

class Inflater : public Decompressor {
 public:
  Inflater(std::string name, int format) : name_(std::move(name)) {
    if (::inflateInit2(&stream_, format) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() override { ::inflateEnd(&stream_); }

  Step run(std::span<const std::byte> in, std::span<std::byte> out) override {
    const uInt in_size = zlib_count(in.size()), out_size = zlib_count(out.size());
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));  // zlib only reads it
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out_size;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      fail_damaged(name_, "gzip", stream_.msg != nullptr ? stream_.msg : "no gzip data");
    return {in_size - stream_.avail_in, out_size - stream_.avail_out, status == Z_STREAM_END};
  }

  void restart() override { ::inflateReset(&stream_); }

 private:
  std::string name_;
  z_stream stream_ = {};
};

}  // namespace

std::unique_ptr<Decompressor> make_gzip_decompressor(const std::string& name) {
  return std::make_unique<Inflater>(name, gzip_format);
}

std::unique_ptr<Decompressor> make_deflate_decompressor(const std::string& name) {
  return std::make_unique<Inflater>(name, bare_deflate);
}

}  // namespace foldline::io
