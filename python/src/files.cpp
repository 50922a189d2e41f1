// read: arrays and texts in files, by the rules of the command.
#include "files.hpp"

#include <nanobind/stl/optional.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "axes.hpp"
#include "element_types.hpp"
#include "errors.hpp"
#include "foldline/array_reader.hpp"
#include "foldline/error.hpp"
#include "foldline/input_file.hpp"
#include "foldline/text_reader.hpp"
#include "threads.hpp"

namespace foldline::python {

namespace {

constexpr std::int64_t always = std::numeric_limits<std::int64_t>::max();  // release the lock

/// A pipe may wait for what another of Python's threads writes.
template <class F>
auto without_lock(const F& f) {
  const WithoutLock unlocked(always);
  return f();
}

nb::object new_array(const std::vector<std::int64_t>& shape, ElementType type, bool fortran_order) {
  std::vector<npy_intp> extents(shape.begin(), shape.end());
  PyArray_Descr* const dtype = dtype_of(type);
  Py_INCREF(reinterpret_cast<PyObject*>(dtype));
  return take(PyArray_Empty(static_cast<int>(extents.size()), extents.data(), dtype, fortran_order ? 1 : 0));
}

std::span<std::byte> bytes_of(nb::handle array) {
  return {static_cast<std::byte*>(PyArray_DATA(as_array(array))),
          static_cast<std::size_t>(PyArray_NBYTES(as_array(array)))};
}

nb::object read_array(InputFile file) {
  ArrayReader reader = without_lock([&] { return ArrayReader::open_npy(std::move(file)); });
  const nb::object array = new_array(reader.shape().value(), reader.type(), reader.fortran_order());
  std::span<std::byte> rest = bytes_of(array);
  const WithoutLock unlocked(always);
  while (!rest.empty()) {
    const std::int64_t elements = reader.read(rest);
    if (elements == 0) break;
    rest = rest.subspan(static_cast<std::size_t>(elements * size_of(reader.type())));
  }
  return array;
}

TextColumn column_of(nb::handle given) {
  if (PyUnicode_Check(given.ptr())) return nb::cast<std::string>(given);
  return integer_of(given);
}

/// The values of each column of the selection, in the order of the rows.
std::vector<std::vector<std::byte>> values_of(TextReader& reader) {
  const WithoutLock unlocked(always);
  std::vector<std::vector<std::byte>> columns(reader.columns());
  TextBlock block;
  while (reader.read(block))
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const VectorView values = block.values(column);
      const auto* const first = static_cast<const std::byte*>(values.data());
      columns[column].insert(columns[column].end(), first, first + values.size() * size_of(values.type()));
    }
  return columns;
}

nb::object read_text(InputFile file, const TextFormat& format, bool is_table) {
  TextReader reader = without_lock([&] { return TextReader::open(std::move(file), format); });
  const std::vector<std::vector<std::byte>> columns = values_of(reader);
  const auto width = static_cast<std::size_t>(size_of(format.type));
  const auto rows = columns.empty() ? 0 : static_cast<std::int64_t>(columns.front().size() / width);
  const auto count = static_cast<std::int64_t>(columns.size());
  // A column's values are side by side, as they are used most.
  const nb::object array =
      is_table ? new_array({rows, count}, format.type, true) : new_array({rows}, format.type, false);
  std::byte* to = bytes_of(array).data();
  for (const std::vector<std::byte>& column : columns) {
    if (!column.empty()) std::memcpy(to, column.data(), column.size());
    to += column.size();
  }
  return array;
}

/// The bytes of a path, which need not be UTF-8. Throws ValueError for one with a NUL, as Python's open()
/// does.
std::string path_of(nb::handle given) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(given.ptr(), static_cast<void*>(&bytes)) == 0) throw nb::python_error();
  const nb::object owner = take(bytes);
  return {PyBytes_AsString(bytes), static_cast<std::size_t>(PyBytes_Size(bytes))};
}

/// What Python's open() raises of a path that is no file to read; null of others.
PyObject* kind_of_system_error(const std::string& path) {
  if (path == "-") return nullptr;
  if (access(path.c_str(), F_OK) != 0)
    return errno == EACCES ? PyExc_PermissionError : PyExc_FileNotFoundError;
  if (std::error_code error; std::filesystem::is_directory(path, error)) return PyExc_IsADirectoryError;
  return access(path.c_str(), R_OK) != 0 ? PyExc_PermissionError : nullptr;
}

InputFile open(const std::string& path, const std::optional<std::string>& member) {
  try {
    return without_lock([&] { return InputFile::open(path, {.member = member}); });
  } catch (const DataError& error) {
    PyObject* const kind = kind_of_system_error(path);
    if (kind == nullptr) throw;
    raise(kind, error.what());
  }
}

nb::object read(nb::handle given_path, nb::handle column, nb::handle dtype,
                const std::optional<std::string>& member, bool skip_missing) {
  constexpr const char* caller = "foldline.read";
  const std::string path = path_of(given_path);
  InputFile file = open(path, member);
  if (without_lock([&] { return file.begins_like_npy(); })) {
    if (!column.is_none() || !dtype.is_none() || skip_missing)
      raise(PyExc_ValueError, std::string(caller) + ": " + file.name() +
                                  " is an array; column, dtype and skip_missing are for texts");
    return read_array(std::move(file));
  }
  const bool is_table = PyList_Check(column.ptr()) != 0 || PyTuple_Check(column.ptr()) != 0;
  TextFormat format;
  if (!dtype.is_none()) format.type = element_type_of_argument(dtype, caller);
  if (is_table)
    for (const nb::handle one : column) format.columns.push_back(column_of(one));
  else if (!column.is_none())
    format.columns.push_back(column_of(column));
  if (is_table && format.columns.empty())
    raise(PyExc_ValueError, std::string(caller) + ": column names none");
  if (skip_missing) format.missing = MissingValues::skip_row;
  return read_text(std::move(file), format, is_table);
}

}  // namespace

void register_files(nb::module_& module) {
  module.def("read", read, nb::arg(), nb::arg("column") = nb::none(), nb::kw_only(),
             nb::arg("dtype") = nb::none(), nb::arg("member") = nb::none(), nb::arg("skip_missing") = false,
             nb::sig("def read(path, /, column=None, *, dtype=None, member=None, skip_missing=False)"),
             R"(The array of a .npy file, or the numbers of a text, by the rules of the command ``foldline``.

What is in the file is told by its first bytes; gzip, xz, zstd, bzip2 and archives are unpacked. A file that is
damaged, or a field that is no number, is a ValueError that names the place: nothing is guessed. A path that is no
file to read is what Python's ``open`` raises: FileNotFoundError, IsADirectoryError or PermissionError.

Parameters
----------
path : str or path-like
    "-" is standard input.
column : int, str, or list of them, optional
    Of a text: a column by its number, from 1, or by its name in the first line; of a list the result has a column
    for each. Without it, every number of a text that has one column, or blanks between numbers.
dtype : dtype, optional
    What the numbers of a text are rounded to, each once; float64 by default.
member : str, optional
    Which member of an archive, such as a .npz file.
skip_missing : bool
    Whether rows of a text in which a value is missing (empty, ``NA``, ...) are left out; otherwise they are an error.

Examples
--------
>>> import foldline as fl, pathlib, tempfile
>>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
>>> _ = path.write_text("time,value\n0,0.1\n1,NA\n2,0.3\n")
>>> fl.read(path, "value", skip_missing=True)
array([0.1, 0.3])
>>> fl.read(path, ["time", 2], skip_missing=True)
array([[0. , 0.1],
       [2. , 0.3]])
)");
}

}  // namespace foldline::python
