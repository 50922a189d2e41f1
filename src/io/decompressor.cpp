#include "io/decompressor.hpp"

#include "foldline/error.hpp"

namespace foldline::io {

void fail_damaged(const std::string& name, std::string_view format, std::string_view what) {
  throw DataError(name + ": is compressed by " + std::string(format) + " and damaged: " + std::string(what) +
                  "; fetch or write it again");
}

void fail_too_large(const std::string& name, Compression compression, std::uint64_t bytes) {
  const std::string program(name_of(compression));
  const std::string all = program + (compression == Compression::zstd ? " -dc --long=31" : " -dc");
  throw DataError(
      name + ": needs " + std::to_string((bytes >> 20) + 1) +
      " MiB of memory to be decompressed, more than foldline takes for that; decompress it first (" + all +
      " FILE | foldline ... -)");
}

}  // namespace foldline::io
