#include "grid_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace foldline::bench {
namespace {

// From many short rows to few long ones, then three axes, then views.
constexpr std::string_view usual_shapes =
    "* 1000000x4 0\n* 1000000x4 1\n* 1000000x7 0\n* 1000000x7 1\n* 262144x16 0\n* 262144x16 1\n"
    "* 131072x64 0\n* 131072x64 1\n* 100000x100 0\n* 100000x100 1\n* 16384x256 0\n* 16384x256 1\n"
    "* 8192x4096 0\n* 8192x4096 1\n* 2048x2048 0\n* 2048x2048 1\n* 1000x20000 0\n* 1000x20000 1\n"
    "* 64x65536 0\n* 64x65536 1\n* 16x1000000 0\n* 16x1000000 1\n* 4x1000000 0\n* 4x1000000 1\n"
    "* 256x64x512 1\n* 20000x16x32 1\n* 30x1000x1000 0\n"
    "* 4096x2048 0 transposed\n* 262144x16 1 transposed\n* 4096x2048 0 sliced\n* 4096x2048 1 sliced\n";

struct Line {
  std::string type, layout = "dense";
  std::string base;
  std::vector<std::int64_t> shape;
  std::int64_t axis = 0;
};

std::int64_t number(const std::string& text) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return -1;
  return value;
}

std::optional<Line> parse(const std::string& text) {
  std::istringstream words(text);
  Line line;
  std::string shape, axis, layout, more;
  if (!(words >> line.type >> shape >> axis)) return std::nullopt;
  if (words >> layout) line.layout = layout;
  line.base = shape;
  std::istringstream extents(shape);
  for (std::string extent; std::getline(extents, extent, 'x');) line.shape.push_back(number(extent));
  line.axis = number(axis);
  const auto makes_sense = [](std::int64_t extent) { return extent >= 1 && extent <= std::int64_t{1} << 32; };
  const bool is_known = line.layout == "dense" || line.layout == "transposed" || line.layout == "sliced";
  if (!std::ranges::all_of(line.shape, makes_sense) || line.shape.size() > 8 || line.axis < 0 ||
      line.axis >= std::ssize(line.shape) || !is_known || words >> more)
    return std::nullopt;
  return line;
}

std::vector<Line> lines_of(std::istream& text, const std::string& name) {
  std::vector<Line> lines;
  int count = 0;
  for (std::string line; std::getline(text, line);) {
    ++count;
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#') continue;
    const std::optional<Line> parsed = parse(line);
    if (!parsed)
      throw std::runtime_error(
          fmt::format("{}:{}: '{}' is no 'type shape axis [transposed|sliced]', as 'float64 1000x20000 0'",
                      name, count, line));
    lines.push_back(*parsed);
  }
  return lines;
}

ElementType result_of(const std::string& operation, ElementType type) {
  if (is_floating(type) || operation == "maximum" || operation == "minimum") return type;
  if (operation != "sum" && operation != "inclusive_scan") return ElementType::float64;
  const bool is_unsigned = name_of(type).starts_with('u');
  return is_unsigned ? ElementType::uint64 : ElementType::int64;
}

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape, const std::string& layout) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t next = layout == "sliced" ? 2 : 1;
  const auto put = [&](std::size_t axis) {
    strides[axis] = next;
    next *= shape[axis];
  };
  for (std::size_t i = 0; i < shape.size(); ++i) put(layout == "transposed" ? i : shape.size() - 1 - i);
  return strides;
}

GridCell cell_of(const Line& line, const std::string& operation, ElementType type, std::int64_t bytes) {
  GridCell cell = {operation, type,       result_of(operation, type), line.shape, {}, line.axis,
                   line.base, line.layout};
  const std::int64_t width = cell.is_scan() ? std::max(size_of(type), size_of(cell.result)) : size_of(type);
  std::int64_t& longest = *std::ranges::max_element(cell.shape);
  while (longest > 64 && cell.elements() * width >= 2 * bytes) longest /= 2;
  while (cell.elements() * width < bytes) longest *= 2;
  cell.strides = strides_of(cell.shape, line.layout);
  return cell;
}

std::optional<ElementType> type_named(const std::string& name) {
  const auto* const found =
      std::ranges::find(element_types, name, [](ElementType type) { return name_of(type); });
  return found == element_types.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::int64_t GridCell::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t GridCell::span() const {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) last += (shape[i] - 1) * strides[i];
  return last + 1;
}

std::vector<std::int64_t> GridCell::result_shape() const {
  std::vector<std::int64_t> left = shape;
  if (!is_scan()) left.erase(left.begin() + axis);
  return left;
}

ArrayView GridCell::x(const void* data) const { return {data, type, shape, strides}; }
MutableArrayView GridCell::out(void* data) const {
  return {data, result, result_shape(), row_major_strides(result_shape())};
}

Operation operation_of(const GridCell& cell) {
  for (const Operation operation : {Operation::sum, Operation::mean, Operation::variance, Operation::two_norm,
                                    Operation::maximum, Operation::minimum})
    if (name_of(operation) == cell.operation) return operation;
  throw std::runtime_error("the grid has no operation '" + cell.operation + "'");
}

std::vector<GridCell> grid_cells(const GridOptions& options) {
  std::vector<std::string> types = options.types, operations = options.operations;
  if (types.empty() && options.on_gpu) types = {"float64", "float32", "float16", "bfloat16", "int32", "int8"};
  if (types.empty()) types = {"float64", "float32", "float16", "int64", "int32", "int16", "uint8"};
  if (operations.empty()) operations = {"sum", "mean", "variance", "two_norm", "maximum", "inclusive_scan"};
  std::istringstream usual{std::string(usual_shapes)};
  std::ifstream file(options.shapes);
  if (!options.shapes.empty() && !file) throw std::runtime_error(options.shapes + " cannot be read");
  const std::vector<Line> lines =
      options.shapes.empty() ? lines_of(usual, "shapes") : lines_of(file, options.shapes);
  std::vector<GridCell> cells;
  for (const std::string& name : types) {
    const std::optional<ElementType> type = type_named(name);
    if (!type) throw std::runtime_error("there is no element type '" + name + "'");
    for (const Line& line : lines)
      for (const std::string& operation : operations)
        if ((line.type == "*" || line.type == name) && (operation != "two_norm" || is_floating(*type)))
          cells.push_back(cell_of(line, operation, *type, options.bytes));
  }
  return cells;
}

}  // namespace foldline::bench
