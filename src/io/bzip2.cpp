#include <bzlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "io/decompressor.hpp"

namespace foldline::io {
namespace {

unsigned bzip2_count(std::size_t size) {
  return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
}

class Bzip2Decompressor : public Decompressor {
 public:
  explicit Bzip2Decompressor(std::string name) : name_(std::move(name)) { begin(); }
  ~Bzip2Decompressor() override { ::BZ2_bzDecompressEnd(&stream_); }

  Step run(std::span<const std::byte> in, std::span<std::byte> out) override {
    const unsigned in_size = bzip2_count(in.size()), out_size = bzip2_count(out.size());
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));  // it is only read
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = out_size;
    const int status = ::BZ2_bzDecompress(&stream_);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status != BZ_OK && status != BZ_STREAM_END)
      fail_damaged(name_, "bzip2", "a checksum or the data is wrong");
    return {in_size - stream_.avail_in, out_size - stream_.avail_out, status == BZ_STREAM_END};
  }

  void restart() override {
    ::BZ2_bzDecompressEnd(&stream_);
    begin();
  }

 private:
  void begin() {
    stream_ = {};
    if (::BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  std::string name_;
  bz_stream stream_ = {};
};

}  // namespace

std::unique_ptr<Decompressor> make_bzip2_decompressor(const std::string& name) {
  return std::make_unique<Bzip2Decompressor>(name);
}

}  // namespace foldline::io
