#include "target_list.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace foldline::bench::cuda {
namespace {

constexpr ElementType f64 = ElementType::float64, f32 = ElementType::float32;
constexpr const char* tame[] = {"uniform", "normal"};

constexpr std::int64_t power_of_two(int exponent) { return std::int64_t{1} << exponent; }

/// A vector of 2 GiB or, of integers and floats of 4 bytes, as many bytes.
std::int64_t large_size(ElementType type, const Options& options) {
  return std::min(power_of_two(31) / size_of(type), options.targets_size);
}

std::vector<Target> reduction_targets(const Options& options) {
  std::vector<Target> list;
  for (const char* const data : tame)
    for (const ElementType type : {f64, f32}) {
      const auto add = [&](const char* operation, double of_roof) {
        const std::int64_t size = large_size(type, options);
        list.push_back({operation, type, size, on_gpu, data, Against::roof, of_roof});
        if (of_roof > 0) list.push_back({operation, type, size, on_gpu, data, Against::fastest_peer, 0.98});
        if (operation != std::string_view("statistics"))
          list.push_back({operation, type, size, on_gpu, data, Against::torch, of_roof > 0 ? 0.98 : 0});
      };
      add("sum", type == f64 ? 0.98 : 0.96);
      add("dot", 0.98);
      add("abs_sum", 0.97);
      add("two_norm", 0.95);
      for (const char* const reported : {"mean", "variance", "statistics"}) add(reported, 0);
    }
  return list;
}

std::vector<Target> small_targets(const Options& options) {
  std::vector<Target> list;
  for (const char* const data : tame)
    for (int exponent = 10; exponent <= 20; exponent += 2) {
      const std::int64_t size = power_of_two(exponent);
      if (size > options.targets_size) break;
      for (const int way : {in_stream, on_gpu}) {
        const bool is_required = way == in_stream && exponent >= 14 && exponent <= 18;
        list.push_back({"sum", f64, size, way, data, Against::peer_time, is_required ? 0.75 : 0,
                        "foldline exact", "CUB"});
        list.push_back({"two_norm", f64, size, way, data, Against::peer_time, way == in_stream ? 0.35 : 0,
                        "foldline exact", "cublas"});
      }
    }
  return list;
}

std::vector<Target> wide_targets(const Options& options) {
  std::vector<Target> list;
  for (const char* const data : {"wide", "outliers"})
    for (const ElementType type : {f64, f32})
      for (const char* const operation : {"sum", "dot", "abs_sum", "two_norm"})
        list.push_back({operation, type, large_size(type, options), on_gpu, data, Against::roof, 0.5});
  return list;
}

/// Of ordinary data, and of one size.
void add_scans(ElementType type, const char* data, std::int64_t size, bool is_large,
               std::vector<Target>& list) {
  const auto add = [&](const char* ours, Against against, double required) {
    list.push_back({"inclusive_scan", type, size, on_gpu, data, against, required, ours});
  };
  const bool floating = is_floating(type);
  const double of_cub = 1.25, of_copy = 0.97;
  for (const char* const ours : {"foldline exact", floating ? "foldline fast" : "foldline wrap"}) {
    const bool rounded = floating && ours == std::string("foldline exact");
    if (!rounded) {
      add(ours, Against::fastest_peer, of_cub);
    } else if (is_large) {
      add(ours, Against::fastest_peer, 1.2);
    } else {
      add(ours, Against::fastest_peer, size >= power_of_two(20) ? 1.0 : 0);
    }
    if (is_large) add(ours, Against::roof, rounded ? 0 : of_copy);
    if (is_large) add(ours, Against::torch, 0);
  }
}

std::vector<Target> scan_targets(const Options& options) {
  std::vector<Target> list;
  for (const char* const data : tame)
    for (const ElementType type : {ElementType::int32, ElementType::int64, f32, f64}) {
      const std::int64_t large = large_size(type, options);
      for (const int exponent : {18, 20, 22, 24})
        if (power_of_two(exponent) < large) add_scans(type, data, power_of_two(exponent), false, list);
      add_scans(type, data, large, true, list);
    }
  for (const char* const data : {"wide", "outliers", "ties"})
    for (const ElementType type : {f32, f64})
      list.push_back({"inclusive_scan", type, large_size(type, options), on_gpu, data, Against::fastest_peer,
                      data == std::string_view("ties") ? 0.1 : 0.5});
  return list;
}

std::vector<Target> column_targets(const Options& options) {
  std::vector<Target> list;
  for (const char* const data : tame)
    for (const Shape& shape : column_shapes(options)) {
      const std::int64_t size = shape.rows * shape.columns;
      const std::string operation = column_sums_of<double>(shape).name;
      for (const Against peer : {Against::fastest_peer, Against::torch})
        list.push_back({operation, f64, size, on_gpu, data, peer, shape.rows == 160000 ? 1.3 : 1.0});
      list.push_back({operation, f64, size, on_gpu, data, Against::roof, 8 * size > 400'000'000 ? 0.95 : 0});
    }
  return list;
}

}  // namespace

std::vector<Shape> column_shapes(const Options& options) {
  std::vector<Shape> shapes;
  for (Shape shape : {Shape{160000, 8}, Shape{1600000, 8}, Shape{6400000, 8}, Shape{160000, 32},
                      Shape{1600000, 32}, Shape{6400000, 32}, Shape{160000, 64}, Shape{1600000, 64},
                      Shape{1000, 1000000}, Shape{1000000, 1000}}) {
    const bool tall = shape.rows > shape.columns;
    std::int64_t& longer = tall ? shape.rows : shape.columns;
    longer = std::clamp<std::int64_t>(options.targets_size / (tall ? shape.columns : shape.rows), 1, longer);
    const bool is_new = std::ranges::none_of(shapes, [&](const Shape& other) {
      return other.rows == shape.rows && other.columns == shape.columns;
    });
    if (is_new) shapes.push_back(shape);
  }
  return shapes;
}

std::vector<Target> gpu_targets(const Options& options) {
  std::vector<Target> list;
  const auto is_selected = [&](const Target& target) {
    return options.selects(target.group()) &&
           (options.data.empty() || std::ranges::find(options.data, target.data) != options.data.end());
  };
  const auto add_part = [&](const char* part, const std::vector<Target>& targets) {
    if (options.targets == part || options.targets == "all")
      std::ranges::copy_if(targets, std::back_inserter(list), is_selected);
  };
  add_part("reductions", reduction_targets(options));
  add_part("small", small_targets(options));
  add_part("wide", wide_targets(options));
  add_part("scans", scan_targets(options));
  add_part("columns", column_targets(options));
  return list;
}

}  // namespace foldline::bench::cuda
