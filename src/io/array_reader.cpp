#include "foldline/array_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "io/byte_order.hpp"
#include "io/byte_source.hpp"
#include "io/npy_header.hpp"
#include "io/shape.hpp"

namespace foldline {
namespace {

std::string in_bytes(std::int64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

[[noreturn]] void fail(const io::ByteSource& source, const std::string& what) {
  throw DataError(source.name() + ": " + what);
}

/// Reads the header only.
io::NpyHeader read_npy_header(io::ByteSource& source) {
  std::array<std::byte, io::npy_longest_preamble> start;
  std::size_t got = source.read(std::span(start).first(io::npy_prefix_size));
  io::NpyPreamble preamble = io::parse_npy_preamble(std::span(start).first(got), source.name());
  got += source.read(std::span(start).subspan(got, preamble.size - got));
  if (got == preamble.size) {
    preamble = io::parse_npy_preamble(std::span(start).first(got), source.name());
    std::string text(preamble.dictionary_size, '\0');  // at most npy_longest_dictionary
    if (source.read(std::as_writable_bytes(std::span(text))) == text.size())
      return io::parse_npy_dictionary(text, preamble.size + text.size(), source.name());
  }
  fail(source, "ends within the header of a .npy file: it is truncated; write it again");
}

std::int64_t checked_count(const std::vector<std::int64_t>& shape, ElementType type,
                           const std::string& name) {
  if (std::ranges::any_of(shape, [](std::int64_t length) { return length < 0; }))
    throw InvalidArgument(name + ": shape " + io::to_string(shape) +
                          " has a negative length; lengths are 0 or more");
  const std::optional<std::int64_t> count = io::element_count(shape, type);
  if (!count)
    throw InvalidArgument(name + ": shape " + io::to_string(shape) +
                          " has 2^63 bytes or more; make it smaller");
  return *count;
}

/// The number of elements, if the format says so. Throws InvalidArgument if it makes no sense.
std::optional<std::int64_t> checked_size(const RawFormat& format, const std::string& name) {
  if (format.offset < 0)
    throw InvalidArgument(name + ": offset " + std::to_string(format.offset) +
                          " is negative; give 0 or more bytes");
  std::optional<std::int64_t> size;
  if (format.shape) size = checked_count(*format.shape, format.type, name);
  if (format.offset > std::numeric_limits<std::int64_t>::max() - size.value_or(0) * size_of(format.type))
    throw InvalidArgument(name + ": offset " + std::to_string(format.offset) +
                          " plus the size of the array is 2^63 bytes or more; make one of them smaller");
  return size;
}

}  // namespace

struct ArrayReader::State {
  explicit State(io::ByteSource opened) : source(std::move(opened)) {}

  io::ByteSource source;
  ElementType type = ElementType::float64;
  ByteOrder byte_order = native_byte_order;
  bool fortran_order = false;
  std::optional<std::vector<std::int64_t>> shape;
  std::optional<std::int64_t> size;  ///< elements
  std::int64_t position = 0;         ///< elements
  std::optional<std::int64_t> last;  ///< instead of size, where only a part is read
  bool is_npy = false;
  bool ended = false;

  void compare_with_file();
  std::int64_t read(std::span<std::byte> buffer);
  void end();
  [[noreturn]] void fail_truncated(std::int64_t found_bytes) const;
  [[noreturn]] void fail_shrunk(std::int64_t found_bytes) const;
  [[noreturn]] void fail_too_long(const std::string& found) const;
};

ArrayReader ArrayReader::open_npy(const std::string& path) { return open_npy(InputFile::open(path)); }

ArrayReader ArrayReader::open_npy(InputFile file) {
  auto state = std::make_unique<State>(std::move(*file.source_));
  io::NpyHeader header = read_npy_header(state->source);
  state->type = header.type;
  state->byte_order = header.byte_order;
  state->fortran_order = header.fortran_order;
  state->shape = std::move(header.shape);
  state->size = header.size;
  state->is_npy = true;
  state->compare_with_file();
  if (state->size == 0) state->end();  // an array without elements need not be read
  return ArrayReader(std::move(state));
}

ArrayReader ArrayReader::open_raw(const std::string& path, const RawFormat& format) {
  checked_size(format, path == "-" ? "standard input" : path);  // before the file is opened
  return open_raw(InputFile::open(path), format);
}

ArrayReader ArrayReader::open_raw(InputFile file, const RawFormat& format) {
  const std::optional<std::int64_t> size = checked_size(format, file.name());
  auto state = std::make_unique<State>(std::move(*file.source_));
  state->type = format.type;
  state->byte_order = format.byte_order;
  state->shape = format.shape;
  state->size = size;
  if (state->source.skip(format.offset) < format.offset)
    fail(state->source, "ends before byte " + std::to_string(format.offset) +
                            ", where the numbers should begin; give a smaller offset");
  state->compare_with_file();
  if (state->size == 0) state->end();
  return ArrayReader(std::move(state));
}

/// Checks the size of a regular file before anything is allocated or computed.
void ArrayReader::State::compare_with_file() {
  const std::optional<std::int64_t> found = source.remaining();
  if (!found) return;
  if (!size) {
    if (*found % size_of(type) != 0)
      fail(source, "has " + in_bytes(*found) + " of numbers, not a multiple of the " +
                       in_bytes(size_of(type)) + " of a " + std::string(name_of(type)) +
                       "; check the element type and the offset");
    size = *found / size_of(type);
    shape = {*size};
  }
  if (*found < *size * size_of(type)) fail_truncated(*found);
  if (is_npy && *found > *size * size_of(type)) fail_too_long("has " + std::to_string(*found));
}

void ArrayReader::State::fail_truncated(std::int64_t found_bytes) const {
  const std::string expected = in_bytes(*size * size_of(type)), found = std::to_string(found_bytes);
  if (is_npy)
    fail(source, "header promises " + expected + " of data, the file has " + found +
                     ": it is truncated; write it again");
  fail(source, "the shape " + io::to_string(*shape) + " needs " + expected + " of numbers, the file has " +
                   found + "; check the shape, the element type and the offset");
}

void ArrayReader::State::fail_shrunk(std::int64_t found_bytes) const {
  fail(source, "had " + in_bytes(*size * size_of(type)) + " of data when it was opened and now ends after " +
                   std::to_string(found_bytes) +
                   ": it was truncated while it was read; run again when it is complete");
}

void ArrayReader::State::fail_too_long(const std::string& found) const {
  fail(source, "header promises " + in_bytes(*size * size_of(type)) + " of data, the file " + found +
                   ": more than one array, or a wrong header; write the array alone with numpy.save");
}

std::int64_t ArrayReader::State::read(std::span<std::byte> buffer) {
  const std::int64_t element = size_of(type);
  auto room = static_cast<std::int64_t>(buffer.size()) / element;
  if (room == 0)
    throw InvalidArgument("the buffer has " + in_bytes(static_cast<std::int64_t>(buffer.size())) +
                          ", less than one " + std::string(name_of(type)) + "; make it larger");
  if (ended) return 0;
  if (size) room = std::min(room, last.value_or(*size) - position);
  const std::span<std::byte> wanted = buffer.first(static_cast<std::size_t>(room * element));
  const auto got = static_cast<std::int64_t>(source.read(wanted));
  const std::int64_t count = got / element;
  if (got < room * element) {
    const std::int64_t found = position * element + got;
    if (source.remaining()) fail_shrunk(found);
    if (size) fail_truncated(found);
    if (got % element != 0)
      fail(source, "ends within a " + std::string(name_of(type)) + ", " + in_bytes(got % element) +
                       " after the last whole one; check the element type and the offset");
  }
  if (byte_order != native_byte_order)
    io::reverse_byte_order(wanted.first(static_cast<std::size_t>(count * element)), element);
  position += count;
  if (size ? position == last.value_or(*size) : count < room) end();
  return count;
}

void ArrayReader::State::end() {
  ended = true;
  if (is_npy && !source.remaining()) {  // a regular file was checked when opened
    std::array<std::byte, 1> next;
    if (source.read(next) != 0) fail_too_long("goes on after that");
  }
  if (source.is_unpacked())
    source.skip(std::numeric_limits<std::int64_t>::max());  // so that checksums are compared
  if (!size) size = position;
  if (!shape) shape = {position};
}

ArrayReader::ArrayReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArrayReader::ArrayReader(ArrayReader&& other) noexcept = default;
ArrayReader& ArrayReader::operator=(ArrayReader&& other) noexcept = default;
ArrayReader::~ArrayReader() = default;

std::optional<FilePlace> ArrayReader::place() const {
  const std::optional<io::FilePosition> next = state_->source.position();
  if (!next) return std::nullopt;
  return FilePlace{next->descriptor, next->offset - state_->position * size_of(state_->type),
                   state_->byte_order};
}
const std::string& ArrayReader::name() const { return state_->source.name(); }
ElementType ArrayReader::type() const { return state_->type; }
const std::optional<std::vector<std::int64_t>>& ArrayReader::shape() const { return state_->shape; }
bool ArrayReader::fortran_order() const { return state_->fortran_order; }
std::optional<std::int64_t> ArrayReader::size() const { return state_->size; }
std::int64_t ArrayReader::position() const { return state_->position; }
void ArrayReader::read_only(std::int64_t first, std::int64_t last) {
  if (!place() || position() != 0 || first < 0 || last < first || last > *size())
    throw InvalidArgument(name() + ": has no elements " + std::to_string(first) + " to " +
                          std::to_string(last) +
                          " that can be read on their own; ask for some of a regular file");
  state_->source.skip(first * size_of(type()));
  state_->position = first;
  state_->last = last;
  state_->ended = first == last;
}
std::int64_t ArrayReader::read(std::span<std::byte> buffer) { return state_->read(buffer); }

}  // namespace foldline
