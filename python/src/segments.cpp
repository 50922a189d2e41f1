// Reductions of segments of a vector, and of groups of elements with the same key.
#include "segments.hpp"

#include <string>

#include "array.hpp"
#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/error.hpp"
#include "foldline/operations.hpp"
#include "foldline/segments.hpp"
#include "gpu.hpp"
#include "output.hpp"
#include "reduce_arguments.hpp"
#include "threads.hpp"

namespace foldline::python {

std::int64_t groups_of(const VectorView& keys, const Context& context, const char* caller) {
  if (keys.size() == 0) return 0;
  try {
    const auto largest = foldline::max<std::int64_t>(keys, context);
    if (largest < 0)
      raise(PyExc_ValueError, std::string(caller) + ": all keys are negative; they have to be 0 or more");
    if (largest < std::int64_t{1} << 48) return largest + 1;
  } catch (const OverflowError&) {  // larger than any that has a place
  }
  raise(PyExc_ValueError,
        std::string(caller) +
            ": a key is so large that results for all below would not fit; number the groups, as "
            "numpy.unique(keys, return_inverse=True) does");
}

std::int64_t groups_of_argument(nb::handle groups, const VectorView& keys, const Context& context,
                                const char* caller) {
  if (groups.is_none()) return groups_of(keys, context, caller);
  const std::int64_t results = integer_of(groups);
  if (results < 0) raise(PyExc_ValueError, std::string(caller) + ": groups has to be 0 or more");
  return results;
}

namespace {

/// A vector that a view describes: a copy of one in the other byte order, or at a distance that is no
/// multiple of its elements' size.
Array vector_from(nb::handle given, const char* what, const char* caller) {
  Array array = array_from(given, caller);
  if (array.axes() != 1)
    raise(PyExc_ValueError, std::string(caller) + ": " + what + " has to be a vector, but has " +
                                std::to_string(array.axes()) + " axes");
  if (array.is_viewable()) return array;
  const nb::object dtype = array.owner.attr("dtype").attr("newbyteorder")("=");
  const nb::object copy = nb::module_::import_("numpy").attr("ascontiguousarray")(array.owner, dtype);
  return array_from_numpy(copy, caller);
}

VectorView view_of(const Array& vector) {
  return {vector.data, vector.type, vector.size,
          vector.size > 1 ? vector.strides[0] / size_of(vector.type) : 1};
}

Array integers_from(nb::handle given, const char* what, const char* caller) {
  Array array = vector_from(given, what, caller);
  if (is_floating(array.type) || array.type == ElementType::boolean)
    raise(PyExc_TypeError, std::string(caller) + ": " + what + " have to be integers, not " +
                               std::string(name_of(array.type)));
  return array;
}

Output output_for(const SegmentCall& call, std::int64_t results, const Array& x) {
  Output output = Output::make(nb::none(), call.dtype, {results}, default_result_type(call.operation, x.type),
                               x, call.name);
  check_result_type(call.name, call.operation, output.type());
  return output;
}

MutableVectorView view_of(const Output& output, std::int64_t results) {
  return {output.data(), output.type(), results, 1};
}

nb::object reduce_of_segments(const SegmentCall& call, nb::handle given, nb::handle given_offsets) {
  if (is_on_gpu(given) || is_on_gpu(given_offsets)) return segments_on_gpu(call, given, given_offsets);
  const Array x = vector_from(given, "the array", call.name);
  const Array offsets = integers_from(given_offsets, "offsets", call.name);
  if (offsets.size == 0)
    raise(PyExc_ValueError, std::string(call.name) + ": offsets are one more than segments: at least one");
  Output output = output_for(call, offsets.size - 1, x);
  {
    const WithoutLock unlocked(x.size + offsets.size);
    reduce_segments(call.operation, view_of(x), view_of(offsets), view_of(output, offsets.size - 1), {},
                    current_context());
  }
  return output.finish(call.name);
}

nb::object reduce_of_groups(const SegmentCall& call, nb::handle given_keys, nb::handle given,
                            nb::handle groups) {
  if (is_on_gpu(given) || is_on_gpu(given_keys)) return groups_on_gpu(call, given_keys, given, groups);
  const Array x = vector_from(given, "the array", call.name),
              keys = integers_from(given_keys, "keys", call.name);
  if (keys.size != x.size)
    raise(PyExc_ValueError, std::string(call.name) + ": " + std::to_string(keys.size) + " keys for " +
                                std::to_string(x.size) + " elements");
  const std::int64_t results = groups_of_argument(groups, view_of(keys), current_context(), call.name);
  Output output = output_for(call, results, x);
  {
    const WithoutLock unlocked(x.size + results);
    reduce_by_key(call.operation, view_of(keys), view_of(x), view_of(output, results), {}, current_context());
  }
  return output.finish(call.name);
}

struct Names {
  const char *segments, *segments_caller, *groups, *groups_caller;
};

template <Operation operation>
void def_both(nb::module_& module, const Names& names, const char* of_segments, const char* of_groups) {
  const std::string segments = "def " + std::string(names.segments) + "(x, offsets, /, *, dtype=None)";
  module.def(
      names.segments,
      [name = names.segments_caller](nb::handle x, nb::handle offsets, nb::handle dtype) {
        return reduce_of_segments({name, operation, dtype}, x, offsets);
      },
      nb::arg().none(), nb::arg().none(), nb::kw_only(), nb::arg("dtype") = nb::none(),
      nb::sig(segments.c_str()), of_segments);
  const std::string groups = "def " + std::string(names.groups) + "(keys, x, /, groups=None, *, dtype=None)";
  module.def(
      names.groups,
      [name = names.groups_caller](nb::handle keys, nb::handle x, nb::handle number, nb::handle dtype) {
        return reduce_of_groups({name, operation, dtype}, keys, x, number);
      },
      nb::arg().none(), nb::arg().none(), nb::arg("groups") = nb::none(), nb::kw_only(),
      nb::arg("dtype") = nb::none(), nb::sig(groups.c_str()), of_groups);
}

}  // namespace

void register_segments(nb::module_& module) {
  def_both<Operation::sum>(
      module, {"segment_sum", "foldline.segment_sum", "group_sum", "foldline.group_sum"},
      R"(Sums of segments of a vector: exact, each rounded once. Segment i is x[offsets[i] : offsets[i + 1]].

Offsets are integers that do not decrease, one more than there are segments, as the row offsets of a sparse matrix.
The sum of an empty segment is 0. Types are those of `sum`. O(x.size + offsets.size), however long segments are.

Examples
--------
>>> import foldline as fl
>>> fl.segment_sum([1e16, 1.0, -1e16, 2.0, 3.0], [0, 3, 3, 5])
array([1., 0., 5.])
)",
      R"(Sums of the elements with the same key: exact, each rounded once, so their order does not matter.

Keys are integers, one for each element; element k of the result is the sum of those with the key k, from 0 to
`groups` - 1, by default to the largest key. Other keys: ``names, keys = numpy.unique(keys, return_inverse=True)``.

Examples
--------
>>> import foldline as fl
>>> fl.group_sum([0, 1, 0, 0, 3], [1e16, 5.0, 1.0, -1e16, 2.0])
array([1., 5., 0., 2.])
)");
  def_both<Operation::mean>(module,
                            {"segment_mean", "foldline.segment_mean", "group_mean", "foldline.group_mean"},
                            "Means of segments of a vector, as `segment_sum`; NaN of an empty one.",
                            "Means of the elements with the same key, as `group_sum`; NaN of none.");
  def_both<Operation::minimum>(
      module, {"segment_min", "foldline.segment_min", "group_min", "foldline.group_min"},
      "The smallest elements of segments, as `segment_sum`; NaN of an empty one, which integers must not "
      "have.",
      "The smallest elements with each key, as `group_sum`; NaN of none, which integers must not have.");
  def_both<Operation::maximum>(
      module, {"segment_max", "foldline.segment_max", "group_max", "foldline.group_max"},
      "The largest elements of segments, as `segment_sum`; NaN of an empty one, which integers must not "
      "have.",
      "The largest elements with each key, as `group_sum`; NaN of none, which integers must not have.");
}

}  // namespace foldline::python
