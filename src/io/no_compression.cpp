// Stubs of the decompressors and the archive reader, for a library built without them.
#include "foldline/error.hpp"
#include "io/decompressor.hpp"
#include "io/zip_member.hpp"

namespace foldline::io {

std::unique_ptr<Decompressor> make_decompressor(Compression compression, const std::string& name) {
  const std::string program(name_of(compression));
  throw DataError(name + ": is compressed by " + program +
                  ", which this build does not read; decompress it first (" + program +
                  " -dc FILE | foldline ... -)");
}

NamedContent open_zip_member(const SystemFile& file, const std::optional<std::string>& /*name*/) {
  throw DataError(
      file.name() +
      ": is a .npz or ZIP archive, which this build does not read; extract the file from it first");
}

}  // namespace foldline::io
