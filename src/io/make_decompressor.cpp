#include "io/decompressor.hpp"

namespace foldline::io {

std::unique_ptr<Decompressor> make_decompressor(Compression compression, const std::string& name) {
  switch (compression) {
    case Compression::gzip:
      return make_gzip_decompressor(name);
    case Compression::xz:
      return make_xz_decompressor(name);
    case Compression::zstd:
      return make_zstd_decompressor(name);
    case Compression::bzip2:
      break;
  }
  return make_bzip2_decompressor(name);
}

}  // namespace foldline::io
