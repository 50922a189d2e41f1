// Any bytes as the header of a .npy file: a DataError, or a header whose every promise holds.
#include <string>

#include "foldline/error.hpp"
#include "io/npy_header.hpp"
#include "io/shape.hpp"
#include "require.hpp"

using namespace foldline;
using fuzz::require;

namespace {

char letter_of(ElementType type) {
  if (is_floating(type)) return 'f';
  if (type == ElementType::boolean) return 'b';
  return is_signed(type) ? 'i' : 'u';
}

/// The dictionary as NumPy would write it.
std::string written(const io::NpyHeader& header) {
  return "{'descr': '" + std::string(header.byte_order == ByteOrder::little ? "<" : ">") +
         letter_of(header.type) + std::to_string(size_of(header.type)) +
         "', 'fortran_order': " + (header.fortran_order ? "True" : "False") +
         ", 'shape': " + io::to_string(header.shape) + ", }";
}

void check(const io::NpyHeader& header) {
  require(header.shape.size() <= io::npy_most_dimensions, "few dimensions");
  __int128 product = 1;
  for (const std::int64_t length : header.shape) {
    require(length >= 0, "no negative length");
    product *= length;
    require(product <= INT64_MAX / size_of(header.type), "the size in bytes fits");
    if (product == 0) break;
  }
  require(header.size == static_cast<std::int64_t>(product), "the size is the product of the lengths");
  const io::NpyHeader again = io::parse_npy_dictionary(written(header), 128, "again");
  require(again.type == header.type && again.byte_order == header.byte_order && again.size == header.size &&
              again.fortran_order == header.fortran_order && again.shape == header.shape,
          "what is written reads back the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const io::NpyPreamble preamble = io::parse_npy_preamble(bytes, "fuzz");
    require(preamble.dictionary_size <= io::npy_longest_dictionary, "a short dictionary");
  } catch (const DataError&) {
  }
  try {
    check(io::parse_npy_dictionary({reinterpret_cast<const char*>(data), size}, 10 + size, "fuzz"));
  } catch (const DataError& error) {
    for (const char c : std::string_view(error.what())) require(c >= 0x20 && c < 0x7f, "a printable message");
    require(std::string_view(error.what()).size() < 300, "a short message");
  }
  return 0;
}
