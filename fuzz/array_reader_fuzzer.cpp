// Any bytes as a file, from memory and from a pipe, as .npy and as raw numbers: a DataError, or the elements
// that the reader promises. The file and the pipe must agree.
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "descriptor.hpp"
#include "foldline/array_reader.hpp"
#include "require.hpp"

using namespace foldline;
using fuzz::Descriptor;
using fuzz::in_memory;
using fuzz::in_pipe;
using fuzz::require;

namespace {

/// Everything the reader gives; none if it fails.
template <class Open>
std::optional<std::string> read_all(const Open& open) {
  try {
    ArrayReader reader = open();
    std::vector<std::byte> buffer(64);
    std::string result;
    while (const std::int64_t count = reader.read(buffer)) {
      const std::int64_t bytes = count * size_of(reader.type());
      require(count > 0 && bytes <= 64, "a block fits its buffer");
      result.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(bytes));
    }
    require(reader.size() == reader.position(), "the size is what was read");
    require(static_cast<std::int64_t>(result.size()) == reader.position() * size_of(reader.type()),
            "as many bytes as elements");
    return result;
  } catch (const DataError&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 60000) return 0;  // a pipe holds 64 KiB; more would wait forever
  const auto both = [&](const auto& open) {
    const Descriptor file = in_memory(data, size), pipe = in_pipe(data, size);
    const auto from_file = read_all([&] { return open(file.path()); });
    const auto from_pipe = read_all([&] { return open(pipe.path()); });
    require(from_file == from_pipe, "file and pipe agree");
    return from_file;
  };
  both([](const std::string& path) { return ArrayReader::open_npy(path); });
  if (size == 0) return 0;
  // The first byte chooses the raw format; it is read as data too.
  RawFormat format;
  format.type = static_cast<ElementType>(data[0] & 3);
  format.byte_order = (data[0] & 4) != 0 ? ByteOrder::big : ByteOrder::little;
  format.offset = (data[0] >> 3) & 7;
  if ((data[0] & 64) != 0) format.shape = std::vector<std::int64_t>{data[0] >> 4, 3};
  both([&](const std::string& path) { return ArrayReader::open_raw(path, format); });
  return 0;
}
