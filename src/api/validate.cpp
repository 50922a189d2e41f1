#include "api/validate.hpp"

#include <algorithm>
#include <string>

#include "contract/moments.hpp"
#include "foldline/error.hpp"

namespace foldline {

void refuse(std::string_view operation, const std::string& what) {
  throw InvalidArgument(std::string(operation) + ": " + what);
}
void refuse(Operation operation, const std::string& what) { refuse(name_of(operation), what); }

namespace {
std::string number_of(ElementType type) { return std::to_string(static_cast<int>(type)); }
}  // namespace

void validate_view(std::string_view operation, const VectorView& view, const char* name) {
  // The last element's address, (size - 1) * stride * size_of(type) away, must exist.
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  std::int64_t address = 0;
  const auto first = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data()));
  const bool addressable =
      !__builtin_mul_overflow(view.size() - (view.size() > 0 ? 1 : 0), view.stride(), &elements) &&
      !__builtin_mul_overflow(elements, size_of(view.type()), &bytes) &&
      !__builtin_add_overflow(first, bytes, &address) && address >= 0;
  const bool fits = view.size() == 0 || (view.size() > 0 && view.data() != nullptr && addressable);
  if (fits && is_known(view.type())) return;

  const std::string vector = std::string("vector ") + name;
  if (!is_known(view.type()))
    refuse(operation, vector + " has the unknown element type " + number_of(view.type()));
  const std::string size = std::to_string(view.size());
  if (view.size() < 0) refuse(operation, vector + " has the negative size " + size);
  if (view.data() == nullptr) refuse(operation, vector + " has size " + size + " but its data is null");
  refuse(operation, vector + " of size " + size + " and stride " + std::to_string(view.stride()) +
                        " reaches past the end of the address space");
}

void validate(Operation operation, const VectorView& x) {
  if (takes_two_vectors(operation)) refuse(operation, "takes two vectors, was given one");
  validate_view(name_of(operation), x, "x");
}

void validate(Operation operation, const VectorView& x, const VectorView& y) {
  if (!takes_two_vectors(operation)) refuse(operation, "takes one vector, was given two");
  validate_view(name_of(operation), x, "x");
  validate_view(name_of(operation), y, "y");
  if (x.size() != y.size())
    refuse(operation, "the vectors must have the same size, but x has " + std::to_string(x.size()) +
                          " and y " + std::to_string(y.size()) + " elements");
}

void require_same_type(Operation operation, const VectorView& x, const VectorView& y) {
  if (x.type() != y.type())
    refuse(operation, "on a GPU the vectors must have the same element type, but x is " +
                          std::string(name_of(x.type())) + " and y is " + std::string(name_of(y.type())) +
                          "; convert one of them");
}

bool makes_one_number(Operation operation) {
  return !takes_two_vectors(operation) && operation != Operation::statistics &&
         name_of(operation) != "unknown";
}

std::int64_t checked_ddof(Operation operation, std::optional<std::int64_t> asked) {
  const std::int64_t ddof = asked.value_or(traits_of(operation).usual_ddof);
  if (ddof < 0) refuse(operation, "ddof is " + std::to_string(ddof) + "; it must be 0 or more");
  return ddof;
}

void validate_result_type(Operation operation, ElementType type) {
  if (!is_known(type)) refuse(operation, "there is no element type of the number " + number_of(type));
  if (!is_floating(type) && traits_of(operation).result == ResultKind::quotient)
    refuse(operation, "its result is no whole number in general, but was asked for as " +
                          std::string(name_of(type)) + "; ask for a floating-point type");
}

void require_cpu(std::string_view caller, const Execution& execution) {
  if (execution.device.kind != Device::Kind::cpu)
    refuse(caller, "runs on the CPU only so far, but was asked for on " + name_of(execution.device));
}

std::size_t checked_axis(std::string_view operation, const ArrayView& a, std::int64_t axis) {
  if (axis < -a.axes() || axis >= a.axes())
    refuse(operation, "there is no axis " + std::to_string(axis) + " in an array of " +
                          std::to_string(a.axes()) + " axes");
  return static_cast<std::size_t>(axis < 0 ? axis + a.axes() : axis);
}

std::pair<std::uintptr_t, std::uintptr_t> address_range(const ArrayView& array) {
  auto lowest = reinterpret_cast<std::uintptr_t>(array.data());
  std::uintptr_t highest = lowest;
  for (std::size_t i = 0; i < array.shape().size(); ++i) {
    const std::int64_t bytes = (array.shape()[i] - 1) * array.strides()[i] * size_of(array.type());
    (bytes < 0 ? lowest : highest) += static_cast<std::uintptr_t>(bytes);
  }
  return {lowest, highest + static_cast<std::uintptr_t>(size_of(array.type()))};
}

std::string text_of_shape(const ArrayView& array) {
  std::string text;
  for (const std::int64_t extent : array.shape())
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "no axes" : text;
}

}  // namespace foldline
