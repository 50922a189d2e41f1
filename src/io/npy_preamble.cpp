// The first 10 or 12 bytes of a .npy file.
#include <array>
#include <string>

#include "foldline/error.hpp"
#include "io/npy_header.hpp"

namespace foldline::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t little_endian(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = (value << 8) | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

// People hand over all kinds of files; the common ones deserve a better answer than "wrong magic".
std::string not_npy(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  if (text.empty()) return "is empty; a .npy file has a header even for an empty array";
  if (text.starts_with("PK")) return "is a .npz or zip archive; extract the .npy file from it first";
  if (text.starts_with("\x1f\x8b")) return "is compressed with gzip; unpack it first (gzip -dc FILE | ... -)";
  if (text.starts_with("\x89HDF")) return "is an HDF5 file; save the array with numpy.save first";
  if (magic.starts_with(text.substr(0, magic.size())))
    return "ends within the header of a .npy file: it is truncated; write it again";
  return "is not a .npy file (it does not start with \\x93NUMPY); "
         "save the array with numpy.save, or give its element type to read raw numbers";
}

}  // namespace

NpyPreamble parse_npy_preamble(std::span<const std::byte> bytes, std::string_view name) {
  const auto fail = [&](const std::string& what) { throw DataError(std::string(name) + ": " + what); };
  if (bytes.size() < npy_prefix_size || !as_text(bytes).starts_with(magic)) fail(not_npy(bytes));
  const int major = std::to_integer<int>(bytes[6]), minor = std::to_integer<int>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail("has .npy format version " + std::to_string(major) + "." + std::to_string(minor) +
         "; this release reads 1.0, 2.0 and 3.0");
  }
  const std::size_t length_size = major == 1 ? 2 : 4;
  NpyPreamble preamble{.size = 8 + length_size};
  if (bytes.size() < preamble.size) return preamble;
  preamble.dictionary_size = little_endian(bytes.subspan(8, length_size));
  if (preamble.dictionary_size > npy_longest_dictionary) {
    fail("declares a header of " + std::to_string(preamble.dictionary_size) + " bytes, at most " +
         std::to_string(npy_longest_dictionary) +
         " are read: it is damaged, or not a plain array; write it again");
  }
  return preamble;
}

}  // namespace foldline::io
