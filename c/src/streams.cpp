// What takes data that come some at a time: columns of a table, and scans.
#include "arguments.hpp"
#include "calls.hpp"
#include "foldline/column_accumulator.hpp"
#include "foldline/scan.hpp"

using namespace foldline;
using namespace foldline::c;

struct foldline_column_accumulator {
  ColumnAccumulator cpp;
};

struct foldline_running_scan {
  RunningScan cpp;
};

namespace {
constexpr const char *columns_name = "the column accumulator", *scan_name = "the running scan";
}

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
  return call([&] { required(accumulator, columns_name).cpp.add(matrix_of(rows, "the array of rows")); });
}

foldline_status foldline_column_accumulator_merge(foldline_column_accumulator* accumulator,
                                                  foldline_column_accumulator* other) {
  return call([&] {
    if (accumulator == other) throw InvalidArgument("foldline: an accumulator cannot take its own rows");
    required(accumulator, columns_name).cpp.merge(std::move(required(other, "the other accumulator").cpp));
  });
}

foldline_status foldline_column_accumulator_result(const foldline_column_accumulator* accumulator,
                                                   std::int64_t ddof, const foldline_array* out,
                                                   const foldline_context* context) {
  return call([&] {
    required(accumulator, columns_name)
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
