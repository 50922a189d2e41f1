// Sums, means and extrema along an axis: of rows, of columns, of any axis of an array.
#include <foldline/foldline.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

int failures = 0;

void check(const char* what, bool holds) {
  std::printf("%-36s %s\n", what, holds ? "as expected" : "WRONG");
  if (!holds) ++failures;
}

void matrices() {
  const std::vector<double> x = {1e308, 1, -1, 1e308, 1e-300, -1, -1e308, 0, 2};
  const foldline::MatrixView matrix(x.data(), 3, 3);
  const std::vector<double> columns = foldline::column_sums(matrix);  // {1e308, 1, 0}
  check("column sums", columns == std::vector<double>{1e308, 1, 0});

  std::vector<float> largest(3);
  foldline::reduce_columns(foldline::Operation::maximum, matrix, largest);
  // {infinity, 1, 2}: rounded once, to the type of the results
  check("largest of each column", largest[0] > 3.5e38 && largest[1] == 1 && largest[2] == 2);

  foldline::ColumnAccumulator running(foldline::Operation::sum, foldline::ElementType::float64, 3);
  running.add(foldline::MatrixView(x.data(), 1, 3));
  running.add(foldline::MatrixView(x.data() + 3, 2, 3));
  std::vector<double> sums(3);
  running.round(sums);
  // {1e308, 1, 0}
  check("column sums, some rows at a time", sums == columns);

  std::vector<double> totals(9);
  foldline::inclusive_scan_axis(matrix, 0, {totals.data(), {3, 3}});  // down the columns
  // the last row: {1e308, 1, 0}
  check("running totals of the columns", std::equal(columns.begin(), columns.end(), totals.begin() + 6));
}

void layouts() {
  // Three columns of two rows, each column followed by an element that belongs to nobody.
  const double x[] = {1, 2, -1, 3, 4, -1, 5, 6, -1};
  const foldline::MatrixView matrix(x, 2, 3, foldline::Layout::column_major, 3);
  const std::vector<double> rows = foldline::row_sums(matrix);  // {9, 12}
  check("row sums of a column-major matrix", rows == std::vector<double>{9, 12});
}

void arrays() {
  const std::vector<float> image = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // 2 rows, 2 columns, 3 colours
  const foldline::ArrayView array(image.data(), {2, 2, 3});

  std::vector<float> brightness(4);
  foldline::reduce_axis(foldline::Operation::mean, array, -1, {brightness.data(), {2, 2}});
  // {2, 5, 8, 11}
  check("mean over the last axis", brightness == std::vector<float>{2, 5, 8, 11});
}

void integers() {
  const std::vector<std::int8_t> votes = {100, -1, 100, -1};
  std::vector<std::int64_t> totals(2);
  foldline::reduce_columns(foldline::Operation::sum, foldline::MatrixView(votes.data(), 2, 2), totals);
  // {200, -2}: results may be wider than elements
  check("integers", totals == std::vector<std::int64_t>{200, -2});
}

}  // namespace

int main() {
  matrices();
  layouts();
  arrays();
  integers();
  return failures;
}
