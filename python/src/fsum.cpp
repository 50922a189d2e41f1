// fsum: of anything that can be iterated over.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "accumulator_object.hpp"
#include "errors.hpp"
#include "foldline/accumulator.hpp"
#include "gpu.hpp"
#include "reductions.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

/// Numbers that came one at a time, added many at a time.
template <class Number>
class Buffer {
 public:
  explicit Buffer(Accumulator& sum) : sum_(sum) {}
  void add(Number number) {
    numbers_[size_++] = number;
    if (size_ == numbers_.size()) flush();
  }
  void flush() {
    sum_.add(VectorView(numbers_.data(), static_cast<std::int64_t>(size_)), {.execution = {.threads = 1}});
    size_ = 0;
  }

 private:
  Accumulator& sum_;
  std::array<Number, 512> numbers_;
  std::size_t size_ = 0;
};

/// The exact sum of numbers that come one at a time.
class NumberSum {
 public:
  void add(nb::handle number) {
    if (PyFloat_Check(number.ptr()) != 0)
      floats_.add(PyFloat_AsDouble(number.ptr()));
    else if (const nb::object whole = whole_number(number); whole.is_valid())
      add_whole(whole);
    else
      floats_.add(checked(PyFloat_AsDouble(number.ptr())));
  }
  double result() {
    floats_.flush();
    integers_.flush();
    return sum_.result();
  }

 private:
  static double checked(double value) {
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return value;
  }

  /// Null if it is none. Arrays of no axes have an __index__ that refuses all but integers.
  static nb::object whole_number(nb::handle number) {
    if (PyIndex_Check(number.ptr()) == 0) return {};
    PyObject* const whole = PyNumber_Index(number.ptr());
    if (whole == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
    if (whole == nullptr) PyErr_Clear();
    return nb::steal(whole);
  }

  void add_whole(const nb::object& whole) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    if (overflow == 0)
      integers_.add(value);
    else
      add_large(overflow < 0 ? nb::object(-whole) : whole, overflow);
  }

  /// A magnitude of more than 63 bits, in parts that floats hold.
  void add_large(nb::object magnitude, int sign) {
    constexpr int part = 53;
    checked(PyLong_AsDouble(magnitude.ptr()));  // an OverflowError, if it is more than floats reach
    const nb::int_ mask((std::int64_t{1} << part) - 1), bits(part);
    for (int place = 0; nb::cast<bool>(nb::bool_(magnitude)); place += part) {
      const double digits = PyLong_AsDouble(nb::object(magnitude & mask).ptr());
      floats_.add(sign * std::ldexp(digits, place));
      magnitude = magnitude >> bits;
    }
  }

  Accumulator sum_{Operation::sum};
  Buffer<double> floats_{sum_};
  Buffer<std::int64_t> integers_{sum_};
};

bool is_array(nb::handle numbers) {
  if (PyArray_Check(numbers.ptr()) != 0) return PyArray_TYPE(as_array(numbers)) != NPY_OBJECT;
  return nb::hasattr(numbers, "__dlpack__") || is_on_gpu(numbers);
}

/// Of a result of no axes, wherever it is.
nb::float_ number_of(const nb::object& result, const char* caller) {
  if (!is_on_gpu(result)) return nb::float_(result);
  double number = 0;
  std::memcpy(&number, copied_to_host({result}, caller).front().data, sizeof number);
  return nb::float_(number);
}

nb::object fsum(nb::handle numbers) {
  constexpr const char* caller = "foldline.fsum";
  if (is_array(numbers)) {
    const nb::object result = reduce_array({.name = caller,
                                            .operation = Operation::sum,
                                            .x = numbers,
                                            .axis = nb::none(),
                                            .dtype = nb::str("float64"),
                                            .out = nb::none(),
                                            .where = Py_True});
    return number_of(result, caller);
  }
  NumberSum sum;
  const nb::object iterator = take(PyObject_GetIter(numbers.ptr()));
  constexpr int between_signals = 1024;
  for (int count = 1; PyObject* const next = until_exit([&] { return PyIter_Next(iterator.ptr()); });
       count = count % between_signals + 1) {
    sum.add(nb::object(nb::steal(next)));
    if (count == between_signals && PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return nb::float_(sum.result());
}

}  // namespace

void register_fsum(nb::module_& module) {
  module.def("fsum", fsum, nb::arg().none(), nb::sig("def fsum(numbers, /)"),
             R"(The exact sum of the numbers that an iterable gives, rounded once: a float, as of math.fsum.

Whole numbers are added as they are, of any size that floats reach; others as the floats that they convert to.
Nothing overflows on the way, and infinities of both signs are NaN, where math.fsum has errors.

Examples
--------
>>> import foldline as fl
>>> fl.fsum(0.1 for _ in range(10))
1.0
>>> fl.fsum([1e308, 1e308, -1e308])
1e+308
)");
}

}  // namespace foldline::python
