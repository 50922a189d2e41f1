#include "arguments.hpp"

#include <cstring>
#include <span>
#include <string>

#include "calls.hpp"

namespace foldline::c {

namespace {

[[noreturn]] void refuse(const char* what, const std::string& why) {
  throw InvalidArgument(std::string("foldline: ") + what + " " + why);
}

std::span<const std::int64_t> values(const std::int64_t* first, std::int32_t axes) {
  return {first, static_cast<std::size_t>(axes)};
}

struct Layout {
  AxisValues shape, strides;
};

Layout layout_of(const foldline_array& array, const char* what) {
  if (array.axes < 0) refuse(what, "has " + std::to_string(array.axes) + " axes");
  if (array.axes > 0 && array.shape == nullptr) refuse(what, "has axes, but its shape is null");
  const AxisValues shape(values(array.shape, array.axes));
  if (array.strides == nullptr) return {shape, row_major_strides(shape)};
  return {shape, AxisValues(values(array.strides, array.axes))};
}

}  // namespace

Operation operation_of(foldline_operation operation) { return chosen<Operation>(operation, 14, "operation"); }

ElementType type_of(foldline_type type) {
  const auto known = static_cast<ElementType>(type);
  if (type < 0 || type > 255 || !is_known(known))
    throw InvalidArgument("foldline: " + std::to_string(type) + " is no type of elements");
  return known;
}

std::optional<std::int64_t> ddof_of(std::int64_t ddof) {
  if (ddof == FOLDLINE_DEFAULT_DDOF) return std::nullopt;
  return ddof;
}

Context context_of(const foldline_context* context) { return context == nullptr ? Context{} : context->cpp; }

ArrayView array_of(const foldline_array* array, const char* what) {
  const foldline_array& given = required(array, what);
  const Layout layout = layout_of(given, what);
  return {given.data, type_of(given.type), layout.shape, layout.strides};
}

MutableArrayView mutable_array_of(const foldline_array* array, const char* what) {
  const foldline_array& given = required(array, what);
  const Layout layout = layout_of(given, what);
  return {given.data, type_of(given.type), layout.shape, layout.strides};
}

MutableVectorView mutable_vector_of(const foldline_array* array, const char* what) {
  const MutableArrayView all = mutable_array_of(array, what);
  if (all.shape().size() > 1)
    refuse(what, "has " + std::to_string(all.shape().size()) + " axes; it has to be a vector");
  if (all.shape().size() == 0) return {all.data(), all.type(), 1, 1};
  return {all.data(), all.type(), all.shape()[0], all.strides()[0]};
}

VectorView vector_of(const foldline_array* array, const char* what) { return mutable_vector_of(array, what); }

MutableVectorView one_element_of(const foldline_array* array, const char* what) {
  const MutableArrayView all = mutable_array_of(array, what);
  for (const std::int64_t extent : all.shape())
    if (extent != 1) refuse(what, "has to be one element");
  return {all.data(), all.type(), 1, 1};
}

Scalar scalar_of(const foldline_array* array, const char* what) {
  if (array == nullptr) return Scalar(0.0);
  const MutableVectorView one = one_element_of(array, what);
  return detail::visit_type(one.type(), [&]<class T>(std::type_identity<T>) {
    T value;
    if constexpr (std::is_same_v<T, bool>) {  // any byte but 0 is true
      unsigned char byte = 0;
      std::memcpy(&byte, one.data(), 1);
      value = byte != 0;
    } else {
      std::memcpy(&value, one.data(), sizeof value);
    }
    return Scalar(value);
  });
}

MatrixView matrix_of(const foldline_array* array, const char* what) {
  const ArrayView all = array_of(array, what);
  if (all.shape().size() != 2) refuse(what, "has to have two axes");
  const std::int64_t rows = all.shape()[0], columns = all.shape()[1];
  const std::int64_t down = all.strides()[0], across = all.strides()[1];
  if ((across == 1 || columns <= 1) && (down >= columns || rows <= 1))
    return {all.data(), all.type(), rows, columns, foldline::Layout::row_major, std::max(down, columns)};
  if (down == 1 && across >= rows)
    return {all.data(), all.type(), rows, columns, foldline::Layout::column_major, across};
  refuse(what, "has neither rows nor columns side by side in memory");
}

}  // namespace foldline::c
