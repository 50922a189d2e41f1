#include "columns.hpp"

#include <string>

#include "errors.hpp"
#include "gpu.hpp"

namespace foldline::python {

namespace {

nb::object as_numpy(nb::handle x) { return x.attr("to_numpy")(); }

nb::object arrow_as_numpy(nb::handle x) {
  return x.attr("to_numpy")(nb::arg("zero_copy_only") = false);  // bits are copied, and chunks
}

/// pandas' types of its own know of missing values; NumPy's do not.
Column from_pandas(nb::handle x) {
  if (PyArray_DescrCheck(x.attr("dtype").ptr())) return {as_numpy(x), {}};
  const nb::object present = as_numpy(x.attr("notna")());
  if (is_true(present.attr("all")())) return {as_numpy(x), {}};
  const nb::object of_numpy = nb::getattr(x.attr("dtype"), "numpy_dtype", nb::none());
  if (of_numpy.is_none() ||
      std::string("biuf").find(nb::str(of_numpy.attr("kind")).c_str()) == std::string::npos)
    return {as_numpy(x), present};  // texts, times and the like, which are refused
  const nb::object zero = of_numpy.attr("type")(0);
  return {x.attr("to_numpy")(nb::arg("dtype") = of_numpy, nb::arg("na_value") = zero), present};
}

Column from_polars(nb::handle x) {
  if (!is_true(x.attr("null_count")())) return {as_numpy(x), {}};
  return {as_numpy(x.attr("fill_null")(0)), as_numpy(x.attr("is_not_null")())};
}

Column from_arrow(nb::handle x) {
  if (!is_true(x.attr("null_count"))) return {arrow_as_numpy(x), {}};
  const bool is_bool = x.attr("type").equal(nb::module_::import_("pyarrow").attr("bool_")());
  const nb::object zero = is_bool ? nb::object(nb::bool_(false)) : nb::object(nb::int_(0));
  return {arrow_as_numpy(x.attr("fill_null")(zero)), arrow_as_numpy(x.attr("is_valid")())};
}

/// A table whose columns have one type and no missing values, as its library makes one array of it.
Column from_table(nb::handle x, const nb::object& types, const nb::object& columns, const char* caller) {
  if (nb::len(nb::set(types)) > 1)
    raise(PyExc_TypeError, std::string(caller) +
                               ": a table with columns of several types; give one column, or what to_numpy() "
                               "makes of the table if that may be rounded");
  for (const nb::handle column : columns)
    if (column_from(column, caller)->present.is_valid()) refuse_missing(caller);
  const nb::object numpy = nb::module_::import_("numpy").attr("asarray")(x);
  return {numpy, {}};
}

}  // namespace

std::optional<Column> column_from(nb::handle x, const char* caller) {
  PyObject* const given = x.ptr();
  if (PyArray_Check(given) || PyList_Check(given) || PyTuple_Check(given) || PyLong_Check(given) ||
      PyFloat_Check(given))
    return std::nullopt;
  if (is_instance(x, "pandas", "Series") || is_instance(x, "pandas", "Index")) return from_pandas(x);
  if (is_instance(x, "polars", "Series")) return from_polars(x);
  if (is_instance(x, "pyarrow", "Array") || is_instance(x, "pyarrow", "ChunkedArray")) return from_arrow(x);
  if (is_instance(x, "pandas", "DataFrame")) {
    nb::list columns;
    for (const nb::handle item : x.attr("items")()) columns.append(item[1]);
    return from_table(x, x.attr("dtypes"), columns, caller);
  }
  if (is_instance(x, "polars", "DataFrame"))
    return from_table(x, x.attr("dtypes"), x.attr("get_columns")(), caller);
  if (is_instance(x, "pyarrow", "Table") || is_instance(x, "pyarrow", "RecordBatch"))
    return from_table(x, x.attr("schema").attr("types"), x.attr("columns"), caller);
  return std::nullopt;
}

void refuse_missing(const char* caller) {
  raise(PyExc_ValueError,
        std::string(caller) +
            ": values are missing; nansum, nanmean, nanvar and nanstd leave them out, others "
            "take a column without them (drop_nulls, dropna) or with values in their place");
}

}  // namespace foldline::python
