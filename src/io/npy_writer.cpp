#include <algorithm>
#include <utility>

#include "foldline/array_reader.hpp"
#include "foldline/array_writer.hpp"
#include "io/output_file.hpp"
#include "io/shape.hpp"

namespace foldline {
namespace {

/// NumPy's name of a type, in this machine's byte order: "<f8".
std::string descr_of(ElementType type) {
  const std::string order = size_of(type) == 1 ? "|" : native_byte_order == ByteOrder::little ? "<" : ">";
  const std::string_view name = name_of(type);
  const char kind = name == "bool" ? 'b' : name.front();
  return order + kind + std::to_string(size_of(type));
}

/// The header as numpy.save writes it: padded so that the elements begin at a multiple of 64 bytes and a
/// longer shape still fits its place.
std::string header_of(const NpyFormat& format, const std::vector<std::int64_t>& shape) {
  constexpr std::size_t preamble = 10, alignment = 64, longest_length = 21;
  std::string text = "{'descr': '" + descr_of(format.type) +
                     "', 'fortran_order': " + (format.fortran_order ? "True" : "False") +
                     ", 'shape': " + io::to_string(shape) + ", }";
  if (!shape.empty()) text.resize(text.size() + longest_length - std::to_string(shape[0]).size(), ' ');
  text.resize(((preamble + text.size() + 1) / alignment + 1) * alignment - preamble, ' ');
  text.back() = '\n';
  const std::string start("\x93NUMPY\x01\x00", 8);
  return start + static_cast<char>(text.size() & 0xff) + static_cast<char>(text.size() >> 8) + text;
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw InvalidArgument((path == "-" ? "standard output" : path) + ": " + what);
}

std::int64_t checked_size(const std::string& path, const NpyFormat& format) {
  const std::vector<std::int64_t>& shape = *format.shape;
  const bool sensible = std::ranges::none_of(shape, [](std::int64_t length) { return length < 0; });
  const auto size = sensible ? io::element_count(shape, format.type) : std::nullopt;
  if (!size)
    refuse(path, "shape " + io::to_string(shape) + " has a negative length or 2^63 bytes; correct it");
  return *size;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

struct ArrayWriter::State {
  State(const std::string& path, NpyFormat wanted) : format(std::move(wanted)), file(path) {}

  NpyFormat format;
  io::OutputFile file;
  std::int64_t size = 0;     ///< elements in all, if the format has a shape
  std::int64_t written = 0;  ///< elements
};

ArrayWriter ArrayWriter::create_npy(const std::string& path, const NpyFormat& format) {
  if (format.type == ElementType::bfloat16)
    refuse(path, "NumPy has no bfloat16, so a .npy file cannot hold it; write float32, which is exact");
  const std::int64_t size = format.shape ? checked_size(path, format) : 0;
  auto state = std::make_unique<State>(path, format);
  state->size = size;
  if (!format.shape && !state->file.replaceable())
    refuse(path,
           "the number of elements is not known yet, and the header comes before them; write to a file");
  const std::string header = header_of(format, format.shape.value_or(std::vector<std::int64_t>{0}));
  const auto header_size = static_cast<std::int64_t>(header.size());
  std::int64_t bytes = 0;
  if (__builtin_add_overflow(size * size_of(format.type), header_size, &bytes))
    refuse(path, "the array has 2^63 bytes with its header; make it smaller");
  if (format.shape) state->file.reserve(bytes);
  state->file.write(bytes_of(header));
  return ArrayWriter(std::move(state));
}

ArrayWriter::ArrayWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ArrayWriter::ArrayWriter(ArrayWriter&& other) noexcept = default;
ArrayWriter& ArrayWriter::operator=(ArrayWriter&& other) noexcept = default;
ArrayWriter::~ArrayWriter() = default;

const std::string& ArrayWriter::name() const { return state_->file.name(); }

void ArrayWriter::write(std::span<const std::byte> elements) {
  const auto bytes = static_cast<std::int64_t>(elements.size());
  const std::int64_t element = size_of(state_->format.type), count = bytes / element;
  if (bytes % element != 0)
    refuse(name(), std::to_string(bytes) + " bytes are not whole elements; give a multiple of " +
                       std::to_string(element));
  if (state_->format.shape && count > state_->size - state_->written)
    refuse(name(), "more elements than the " + std::to_string(state_->size) + " of its shape; correct one");
  state_->file.write(elements);
  state_->written += count;
}

void ArrayWriter::commit() {
  if (!state_->format.shape) {
    state_->file.overwrite_start(bytes_of(header_of(state_->format, {state_->written})));
  } else if (state_->written != state_->size) {
    refuse(name(), "has " + std::to_string(state_->written) + " of " + std::to_string(state_->size) +
                       " elements; write them all before commit()");
  }
  state_->file.commit();
}

}  // namespace foldline
