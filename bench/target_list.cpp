#include "target_list.hpp"

#include <algorithm>
#include <iterator>

#include "machine.hpp"

namespace foldline::bench {
namespace {

constexpr ElementType f64 = ElementType::float64, f32 = ElementType::float32;

std::vector<Target> reduction_targets(std::int64_t memory) {
  const int all = cores();
  std::vector<Target> list;
  const auto from_memory = [&](const char* operation, ElementType type, int threads, const char* data,
                               Against against, double required, const char* peer = "") {
    list.push_back({operation, type, memory, threads, data, against, required, "foldline exact", peer, true});
  };
  // One line for each kind of data that a target is required on.
  for (const char* const data : {"uniform", "normal"}) {
    from_memory("sum", f64, all, data, Against::roof, 0.90);
    from_memory("dot", f64, all, data, Against::roof, 0.90);
    from_memory("sum", f32, all, data, Against::roof, 0.80);
    from_memory("sum", f64, 1, data, Against::peer_rate, 1.3);
    from_memory("two_norm", f64, 1, data, Against::peer_rate, 1.8);
    list.push_back({"sum", f64, 1 << 14, 1, data, Against::plain, 0.30});
    list.push_back({"sum", f64, 1 << 16, 1, data, Against::plain, 0.30});
    list.push_back({"sum", f64, 64, 1, data, Against::peer_time, 3.0});
    list.push_back({"sum", f64, 512, 1, data, Against::peer_time, 1.2});
  }
  // Compared with dasum, since some OpenBLAS have a fast sum but no fast asum for a CPU (README.md).
  for (const std::int64_t size : {64, 512})
    list.push_back({"sum", f64, size, 1, "uniform", Against::peer_time, 0, "foldline exact", "cblas_dsum"});
  from_memory("sum", f64, 1, "uniform", Against::peer_time, 0, "cblas_dsum");
  from_memory("sum", f64, all, "wide", Against::roof, 0.25);
  from_memory("dot", f64, all, "wide", Against::roof, 0.25);
  from_memory("two_norm", f64, all, "wide", Against::roof, 0);
  return list;
}

std::vector<Target> scan_targets(std::int64_t size) {
  std::vector<Target> list;
  for (const char* const data : {"uniform", "normal"}) {
    const auto add = [&](ElementType type, int threads, Against against, double required,
                         const char* ours = "foldline exact") {
      list.push_back({"inclusive_scan", type, size, threads, data, against, required, ours});
    };
    for (const ElementType type : {f64, f32}) {
      add(type, cores(), Against::roof, 0.5);
      add(type, cores(), Against::roof, 0.7, "foldline fast");
      add(type, 1, Against::peer_rate, 1.0);
      add(type, 1, Against::numpy, 1.0);
    }
    for (const ElementType type : {ElementType::int64, ElementType::int32})
      add(type, cores(), Against::roof, 0.7);
  }
  return list;
}

std::vector<Target> column_targets(const std::vector<Shape>& shapes) {
  std::vector<Target> list;
  for (const char* const data : {"uniform", "normal"})
    for (const Shape& shape : shapes) {
      const std::string operation = column_sums_of<double>(shape).name;
      const auto add = [&](Against against, double required) {
        list.push_back({operation, f64, shape.rows * shape.columns, cores(), data, against, required});
      };
      add(Against::roof, 0.75);
      add(Against::peer_rate, 1.0);
      add(Against::numpy, 1.0);
    }
  return list;
}

}  // namespace

std::vector<Shape> target_shapes(const Options& options) {
  std::vector<Shape> shapes = {{6400000, 8}, {400000, 64}, {20000, 1000}, {100, 1000000}};
  for (Shape& shape : shapes) {
    const bool tall = shape.rows > shape.columns;
    std::int64_t& longer = tall ? shape.rows : shape.columns;
    const std::int64_t shorter = tall ? shape.columns : shape.rows;
    longer = std::clamp<std::int64_t>(options.targets_size / shorter, 1, longer);
  }
  return shapes;
}

std::int64_t target_scan_size(const Options& options) {
  return std::min(std::int64_t{1} << 26, options.targets_size);
}

std::vector<Target> selected_targets(const Options& options) {
  std::vector<Target> list;
  const auto add_part = [&](const char* part, std::vector<Target> targets) {
    if (options.targets == part || options.targets == "all")
      std::ranges::copy_if(targets, std::back_inserter(list),
                           [&](const Target& target) { return options.selects(target.group()); });
  };
  add_part("reductions", reduction_targets(options.targets_size));
  add_part("scans", scan_targets(target_scan_size(options)));
  add_part("columns", column_targets(target_shapes(options)));
  return list;
}

}  // namespace foldline::bench
