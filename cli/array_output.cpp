#include "array_output.hpp"

#include <cmath>
#include <cstring>

#include "numbers.hpp"

namespace foldline::cli {
namespace {

using Json = nlohmann::ordered_json;
using Strides = std::vector<std::int64_t>;

/// Strides of the array, in bytes.
Strides strides_of(const ArrayOfResults& array) {
  Strides strides(array.shape.size());
  std::int64_t stride = size_of(array.type);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const std::size_t axis = array.fortran_order ? i : strides.size() - 1 - i;
    strides[axis] = stride;
    stride *= array.shape[axis];
  }
  return strides;
}

void append_text(const ArrayOfResults& array, const Strides& strides, NumberFormat format, std::size_t axis,
                 const std::byte* at, std::string& text) {
  if (axis == array.shape.size()) {
    const Scalar value = load(at, array.type);
    text += format == NumberFormat::hex ? hexadecimal(value) : shortest(value);
    return;
  }
  const std::size_t inner_axes = array.shape.size() - 1 - axis;
  const char* const separator = inner_axes == 0 ? " " : inner_axes == 1 ? "\n" : "\n\n";
  for (std::int64_t i = 0; i < array.shape[axis]; ++i) {
    if (i > 0) text += separator;
    append_text(array, strides, format, axis + 1, at + i * strides[axis], text);
  }
}

Json nested(const ArrayOfResults& array, const Strides& strides, std::size_t axis, const std::byte* at) {
  if (axis == array.shape.size()) return as_json(load(at, array.type));
  Json list = Json::array();
  for (std::int64_t i = 0; i < array.shape[axis]; ++i)
    list.push_back(nested(array, strides, axis + 1, at + i * strides[axis]));
  return list;
}

}  // namespace

Scalar load(const std::byte* from, ElementType type) {
  return Scalar::from_integer(0, type).visit([from](auto element) {
    std::memcpy(&element, from, sizeof(element));
    return Scalar(element);
  });
}

void store(const Scalar& value, std::byte* to) {
  value.visit([to](auto element) { std::memcpy(to, &element, sizeof(element)); });
}

std::string as_text(const ArrayOfResults& array, NumberFormat format) {
  std::string text;
  append_text(array, strides_of(array), format, 0, array.bytes.data(), text);
  return text + "\n";
}

Json as_json(const ArrayOfResults& array) { return nested(array, strides_of(array), 0, array.bytes.data()); }

Json as_json(const Scalar& value) {
  if (value.type() == ElementType::boolean) return value.unsigned_integer() != 0;
  if (!is_floating(value.type()))
    return is_signed(value.type()) ? Json(value.signed_integer()) : Json(value.unsigned_integer());
  const double number = value.floating();
  return std::isfinite(number) ? Json(number) : Json(nullptr);
}

}  // namespace foldline::cli
