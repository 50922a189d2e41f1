#include "axes.hpp"

#include <algorithm>
#include <string>

#include "errors.hpp"

namespace foldline::python {

std::int64_t integer_of(nb::handle number) {
  const nb::object index = take(PyNumber_Index(number.ptr()));
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

std::int64_t checked_axis(std::int64_t axis, std::int64_t axes) {
  if (axis < -axes || axis >= axes) raise_axis_error(axis, axes);
  return axis < 0 ? axis + axes : axis;
}

std::int64_t axis_from(nb::handle axis, std::int64_t axes) { return checked_axis(integer_of(axis), axes); }

std::vector<bool> axes_of_argument(nb::handle axis, std::int64_t axes) {
  const auto size = static_cast<std::size_t>(axes);
  if (axis.is_none()) return std::vector<bool>(size, true);
  std::vector<bool> chosen(size, false);
  const auto choose = [&](nb::handle number) {
    const auto place = static_cast<std::size_t>(checked_axis(integer_of(number), axes));
    if (chosen[place]) raise(PyExc_ValueError, "duplicate value in 'axis'");
    chosen[place] = true;
  };
  if (!PyTuple_Check(axis.ptr()))
    choose(axis);
  else
    for (const nb::handle number : nb::borrow<nb::tuple>(axis)) choose(number);
  return chosen;
}

std::string text_of(const AxisValues& shape) {
  std::string text;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    text.append(axis == 0 ? "(" : ", ").append(std::to_string(shape[axis]));
  return shape.size() == 0 ? "()" : text.append(shape.size() == 1 ? ",)" : ")");
}

AxisValues broadcast_shapes(const AxisValues& a, const AxisValues& b, const char* caller) {
  const std::size_t axes = std::max(a.size(), b.size());
  const auto extent = [axes](const AxisValues& shape, std::size_t axis) {
    return axis < axes - shape.size() ? 1 : shape.data()[axis - (axes - shape.size())];
  };
  return AxisValues::generate(axes, [&](std::size_t axis) {
    const std::int64_t of_a = extent(a, axis), of_b = extent(b, axis);
    if (of_a != of_b && of_a != 1 && of_b != 1)
      raise(PyExc_ValueError, std::string(caller) + ": shapes " + text_of(a) + " and " + text_of(b) +
                                  " could not be broadcast together");
    return of_a == 1 ? of_b : of_a;
  });
}

AxisValues broadcast_strides(const AxisValues& shape, const AxisValues& strides, const AxisValues& as,
                             const char* caller) {
  if (shape.size() > as.size())
    raise(PyExc_ValueError,
          std::string(caller) + ": shape " + text_of(shape) + " could not be broadcast to " + text_of(as));
  const std::size_t missing = as.size() - shape.size();
  return AxisValues::generate(as.size(), [&](std::size_t axis) -> std::int64_t {
    if (axis < missing) return 0;
    const std::int64_t extent = shape.data()[axis - missing];
    if (extent != as.data()[axis] && extent != 1)
      raise(PyExc_ValueError,
            std::string(caller) + ": shape " + text_of(shape) + " could not be broadcast to " + text_of(as));
    return extent == 1 ? 0 : strides.data()[axis - missing];
  });
}

}  // namespace foldline::python
