// foldline.Accumulator
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "accumulator_object.hpp"
#include "arguments.hpp"
#include "array.hpp"
#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/accumulator.hpp"
#include "foldline/operations.hpp"
#include "gpu.hpp"
#include "pairs.hpp"
#include "pickling.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

/// What else operations are called: by the names of this package's functions.
constexpr std::array<std::pair<std::string_view, Operation>, 6> other_names = {
    {{"min", Operation::minimum},
     {"max", Operation::maximum},
     {"var", Operation::variance},
     {"std", Operation::standard_deviation},
     {"vector_norm", Operation::two_norm},
     {"average", Operation::weighted_mean}}};

Operation operation_of(const std::string& name) {
  for (const auto& [other, operation] : other_names)
    if (name == other) return operation;
  std::string known;
  for (std::uint8_t number = 0; name_of(Operation{number}) != "unknown"; ++number) {
    if (name == name_of(Operation{number})) return Operation{number};
    known.append(known.empty() ? "" : ", ").append(name_of(Operation{number}));
  }
  raise(PyExc_ValueError, "foldline.Accumulator: there is no operation '" + name + "'; there are " + known);
}

/// An Accumulator that threads may share, and the type of what was added.
class SharedAccumulator {
 public:
  explicit SharedAccumulator(Accumulator accumulator, std::optional<ElementType> type = std::nullopt)
      : accumulator_(std::move(accumulator)), type_(type) {}
  SharedAccumulator(const SharedAccumulator& other) : SharedAccumulator(other.copy()) {}
  SharedAccumulator(SharedAccumulator&& other) noexcept
      : accumulator_(std::move(other.accumulator_)), type_(other.type_) {}
  SharedAccumulator& operator=(const SharedAccumulator&) = delete;
  ~SharedAccumulator() = default;

  void add(Reduction reduction, ElementType type) {
    const std::lock_guard lock(mutex_);
    add_to(accumulator_, std::move(reduction));
    note(type);
  }

  void merge(const SharedAccumulator& given) {
    const SharedAccumulator other = given.copy();  // never two locks at a time
    const std::lock_guard lock(mutex_);
    accumulator_.merge(other.accumulator_);
    if (other.type_) note(*other.type_);
  }

  SharedAccumulator copy() const {
    const std::lock_guard lock(mutex_);
    return SharedAccumulator(accumulator_, type_);
  }

  /// Which never changes.
  Operation operation() const { return accumulator_.operation(); }

  /// For a copy, which no other thread has.
  const Accumulator& accumulator() const { return accumulator_; }
  std::optional<ElementType> type() const { return type_; }

 private:
  void note(ElementType type) { type_ = type_ ? promoted(*type_, type) : type; }

  mutable std::mutex mutex_;
  Accumulator accumulator_;
  std::optional<ElementType> type_;
};

Reduction reduction_of_all(Operation operation, const Array& x) {
  Reduction reduction;
  reduction.operation = operation;
  reduction.x = {x.data, x.type, x.is_swapped};
  reduction.context = current_context();
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis)
    reduction.reduced.push_back(axis_of_pairs(x.shape[axis], x.strides[axis], 0));
  return reduction;
}

void add(SharedAccumulator& self, nb::handle given_x, nb::handle given_y) {
  constexpr const char* caller = "foldline.Accumulator.add";
  const Operation operation = self.operation();
  const bool takes_pairs = operation == Operation::dot || operation == Operation::weighted_mean;
  if (takes_pairs == given_y.is_none())
    raise(PyExc_TypeError, std::string(caller) + (takes_pairs ? ": this operation takes two arrays, add(x, y)"
                                                              : ": this operation takes one array, add(x)"));
  if (is_on_gpu(given_x) || is_on_gpu(given_y)) {
    GpuAddition addition = addition_on_gpu(operation, given_x, given_y, caller);
    const WithoutLock unlocked(std::numeric_limits<std::int64_t>::max());
    self.add(std::move(addition.reduction), addition.type);
    return;
  }
  const Array x = array_from(given_x, caller);
  Reduction reduction = reduction_of_all(operation, x);
  ElementType type = x.type;
  Array y;
  if (takes_pairs) {
    y = array_from(given_y, caller);
    if (!(x.shape == y.shape))
      raise(PyExc_ValueError,
            std::string(caller) + ": shapes " + text_of(x.shape) + " and " + text_of(y.shape) + " differ");
    reduction.y = {y.data, y.type, y.is_swapped};
    reduction.has_pairs = true;
    for (std::size_t axis = 0; axis < x.shape.size(); ++axis)
      reduction.reduced[axis] = axis_of_pairs(x.shape[axis], x.strides[axis], y.strides[axis]);
    type = promoted(x.type, y.type);
  }
  const WithoutLock unlocked(x.size);
  self.add(std::move(reduction), type);
}

Operation asked_of(const SharedAccumulator& copy, const std::optional<std::string>& operation) {
  return operation ? operation_of(*operation) : copy.operation();
}

nb::object result(const SharedAccumulator& self, const std::optional<std::string>& operation,
                  nb::handle dtype, nb::handle correction) {
  constexpr const char* caller = "foldline.Accumulator.result";
  const SharedAccumulator copy = self.copy();
  const Operation asked = asked_of(copy, operation);
  const ElementType type = dtype.is_none()
                               ? default_result_type(asked, copy.type().value_or(ElementType::float64))
                               : element_type_of_argument(dtype, caller);
  return numpy_scalar(copy.accumulator().rounded(asked, type, ddof_of(correction, nb::none(), caller)));
}

nb::object fraction_of(const std::string& number) {
  return nb::module_::import_("fractions").attr("Fraction")(number);
}

nb::object exact(const SharedAccumulator& self, const std::optional<std::string>& operation,
                 nb::handle correction) {
  const SharedAccumulator copy = self.copy();
  const std::string text = copy.accumulator().exact(
      asked_of(copy, operation), ddof_of(correction, nb::none(), "foldline.Accumulator.exact"));
  if (text.starts_with("sqrt"))
    raise(PyExc_ValueError, "foldline.Accumulator.exact: the result is a root, " + text.substr(0, 40) +
                                (text.size() > 40 ? "..." : "") + ", and no fraction; result() rounds it");
  if (text == "nan")
    raise(PyExc_ValueError, "foldline.Accumulator.exact: the result is NaN, and no fraction");
  if (text == "inf" || text == "-inf")
    raise(PyExc_OverflowError, "foldline.Accumulator.exact: the result is infinite, and no fraction");
  const std::size_t bar = text.find(" / ");
  if (bar == std::string::npos) return fraction_of(text);
  return fraction_of(text.substr(0, bar)) / fraction_of(text.substr(bar + 3));
}

nb::bytes bytes_of(const SharedAccumulator& copy) {
  const std::vector<std::byte> bytes = copy.accumulator().serialise();
  return nb::bytes(bytes.data(), bytes.size());
}

SharedAccumulator from_bytes(const nb::bytes& bytes) {
  return SharedAccumulator(
      Accumulator::deserialise({static_cast<const std::byte*>(bytes.data()), bytes.size()}));
}

using State = std::tuple<nb::bytes, std::optional<int>>;
/// The same and the attributes of a subclass: those in its `__dict__`, and those of its `__slots__`.
using StateOfSubclass = std::tuple<nb::bytes, std::optional<int>, nb::dict, nb::dict>;

nb::object state_of(nb::handle self) {
  const SharedAccumulator copy = nb::cast<const SharedAccumulator&>(self).copy();
  const std::optional<ElementType> type = copy.type();
  const nb::bytes bytes = bytes_of(copy);
  const std::optional<int> number = type ? std::optional(static_cast<int>(*type)) : std::nullopt;
  const nb::dict attributes = nb::cast<nb::dict>(nb::getattr(self, "__dict__", nb::dict()));
  nb::dict slots;
  for (const nb::handle name : nb::module_::import_("copyreg").attr("_slotnames")(self.type()))
    if (nb::hasattr(self, name)) slots[name] = nb::getattr(self, name);
  if (attributes.empty() && slots.empty()) return nb::cast(State(bytes, number));
  return nb::cast(StateOfSubclass(bytes, number, attributes, slots));
}

void restore(nb::pointer_and_handle<SharedAccumulator> self, const State& state) {
  const auto& [bytes, number] = state;
  std::optional<ElementType> type;
  if (number) {
    type = static_cast<ElementType>(*number);
    if (*number < 0 || *number > 255 || !is_known(*type))
      raise(PyExc_ValueError, "foldline.Accumulator: there is no element type " + std::to_string(*number));
  }
  new (self.p) SharedAccumulator(
      Accumulator::deserialise({static_cast<const std::byte*>(bytes.data()), bytes.size()}), type);
}

void restore_subclass(nb::pointer_and_handle<SharedAccumulator> self, const StateOfSubclass& state) {
  const auto& [bytes, number, attributes, slots] = state;
  restore(self, {bytes, number});
  if (!attributes.empty()) self.h.attr("__dict__").attr("update")(attributes);
  for (const auto [name, value] : slots) nb::setattr(self.h, name, value);
}

std::string text_of_accumulator(const SharedAccumulator& self) {
  const SharedAccumulator copy = self.copy();
  return "<foldline.Accumulator('" + std::string(name_of(copy.operation())) + "') of " +
         std::to_string(copy.accumulator().count()) + " elements>";
}

constexpr const char* accumulator_documentation =
    R"(A reduction that is fed piece by piece: it holds the exact result so far, and rounds once, when asked.

Neither the order of pieces nor where they are cut changes a result. Accumulators merge, are pickled, and are
stored as bytes that any machine reads. Threads may share one.

Parameters
----------
operation : str
    "sum", "mean", "variance", "standard_deviation", "minimum", "maximum", "two_norm", "dot", ... or a name of
    this package's functions; "statistics" has all of one array.

Examples
--------
>>> import foldline as fl
>>> a = fl.Accumulator("sum")
>>> a.add([1e16, 1.0])
>>> a.add(-1e16)
>>> a.result()
np.float64(1.0)
>>> b = fl.Accumulator("sum")
>>> b.add([0.5, 0.25])
>>> a |= b
>>> a.exact()
Fraction(7, 4)
>>> a.count
5
)";

}  // namespace

void register_accumulator(nb::module_& module) {
  nb::class_<SharedAccumulator>(module, "Accumulator", accumulator_documentation)
      .def(
          "__init__",
          [](SharedAccumulator* self, const std::string& operation) {
            new (self) SharedAccumulator(Accumulator(operation_of(operation)));
          },
          nb::arg("operation") = "sum", nb::sig("def __init__(self, operation: str = 'sum') -> None"))
      .def("add", add, nb::arg().none(), nb::arg() = nb::none(), nb::sig("def add(self, x, y=None, /)"),
           "Add the elements of an array; pairs of two for \"dot\" and \"weighted_mean\".")
      .def("merge", &SharedAccumulator::merge, nb::arg("other"),
           "Add all that another accumulator for the same operation has gathered.")
      .def("__ior__",
           [](nb::handle self, const SharedAccumulator& other) {
             nb::cast<SharedAccumulator&>(self).merge(other);
             return nb::borrow(self);
           })
      .def("__or__",
           [](const SharedAccumulator& self, const SharedAccumulator& other) {
             SharedAccumulator both = self.copy();
             both.merge(other);
             return both;
           })
      .def(
          "result", result, nb::arg("operation") = nb::none(), nb::kw_only(), nb::arg("dtype") = nb::none(),
          nb::arg("correction") = nb::none(),
          nb::sig("def result(self, operation=None, *, dtype=None, correction=None)"),
          R"(The result, rounded once to `dtype`, by default the type that the function has for such elements.

`operation` may name another one whose sums the accumulator has, such as "mean" for a "sum".)")
      .def("exact", exact, nb::arg("operation") = nb::none(), nb::kw_only(),
           nb::arg("correction") = nb::none(), nb::sig("def exact(self, operation=None, *, correction=None)"),
           "The exact result as a fractions.Fraction; a ValueError if it is a root or NaN.")
      .def_prop_ro(
          "operation", [](const SharedAccumulator& self) { return std::string(name_of(self.operation())); },
          "The operation's name.")
      .def_prop_ro(
          "count", [](const SharedAccumulator& self) { return self.copy().accumulator().count(); },
          "The number of elements, or pairs, that were added.")
      .def("__bytes__", [](const SharedAccumulator& self) { return bytes_of(self.copy()); })
      .def_static("from_bytes", from_bytes, nb::arg(), nb::sig("def from_bytes(data, /)"),
                  "Read back what bytes() made, here or on another machine. Bytes that are no accumulator "
                  "are a ValueError.")
      .def("__reduce__", reduce_with_state)
      .def("__getstate__", state_of)
      .def("__setstate__", restore)
      .def("__setstate__", restore_subclass)
      .def("__repr__", text_of_accumulator);
}

}  // namespace foldline::python
