// What takes data that come some at a time: columns of a table, and scans.
#include <string>
#include <utility>

#include "arguments.hpp"
#include "calls.hpp"
#include "foldline/column_accumulator.hpp"
#include "foldline/scan.hpp"

using namespace foldline;
using namespace foldline::c;

struct foldline_column_accumulator {
  ColumnAccumulator cpp;
  bool was_taken = false;  // its rows, by another one
};

struct foldline_running_scan {
  RunningScan cpp;
};

namespace {
constexpr const char* scan_name = "the running scan";

template <class Handle>
Handle& with_rows(Handle* handle, const char* what) {
  Handle& accumulator = required(handle, what);
  if (accumulator.was_taken)
    throw InvalidArgument(std::string("foldline: ") + what +
                          " gave its rows to another one, so it can only be destroyed");
  return accumulator;
}
template <class Handle>
Handle& with_rows(Handle* handle) {
  return with_rows(handle, "the column accumulator");
}
}  // namespace

foldline_status foldline_column_accumulator_create(foldline_operation operation, foldline_type type,
                                                   std::int64_t columns, const foldline_context* context,
                                                   foldline_column_accumulator** accumulator) {
  return call([&] {
    hand_out(accumulator,
             ColumnAccumulator(operation_of(operation), type_of(type), columns, context_of(context)));
  });
}

void foldline_column_accumulator_destroy(foldline_column_accumulator* accumulator) { delete accumulator; }

foldline_status foldline_column_accumulator_add(foldline_column_accumulator* accumulator,
                                                const foldline_array* rows) {
  return call([&] { with_rows(accumulator).cpp.add(matrix_of(rows, "the array of rows")); });
}

foldline_status foldline_column_accumulator_merge(foldline_column_accumulator* accumulator,
                                                  foldline_column_accumulator* other) {
  return call([&] {
    if (accumulator == other) throw InvalidArgument("foldline: an accumulator cannot take its own rows");
    foldline_column_accumulator& taken = with_rows(other, "the other accumulator");
    with_rows(accumulator).cpp.merge(std::move(taken.cpp));
    taken.was_taken = true;
  });
}

foldline_status foldline_column_accumulator_result(const foldline_column_accumulator* accumulator,
                                                   std::int64_t ddof, const foldline_array* out,
                                                   const foldline_context* context) {
  return call([&] {
    with_rows(accumulator)
        .cpp.round(mutable_array_of(out, "out"), ddof_of(ddof), context_of(context).overflow);
  });
}

foldline_status foldline_running_scan_create_inclusive(foldline_running_scan** scan) {
  return call([&] { hand_out(scan, RunningScan(ScanKind::inclusive)); });
}

foldline_status foldline_running_scan_create_exclusive(const foldline_array* init,
                                                       foldline_running_scan** scan) {
  return call([&] { hand_out(scan, RunningScan(ScanKind::exclusive, scalar_of(init, "init"))); });
}

void foldline_running_scan_destroy(foldline_running_scan* scan) { delete scan; }

foldline_status foldline_running_scan_next(foldline_running_scan* scan, const foldline_array* x,
                                           const foldline_array* out, const foldline_context* context) {
  return call([&] {
    required(scan, scan_name).cpp.next(vector_of(x, "x"), mutable_vector_of(out, "out"), context_of(context));
  });
}
