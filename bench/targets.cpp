#include "targets.hpp"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "arrays.hpp"
#include "machine.hpp"
#include "report.hpp"
#include "run.hpp"

namespace foldline::bench {
namespace {

enum class Against : std::uint8_t {
  roof,       ///< at least so much of the roof
  peer_rate,  ///< at least so many times the peer's rate
  plain,      ///< at least so much of the plain loop
  peer_time   ///< at most so many times the peer's time
};

struct Target {
  const char* operation;
  ElementType type;
  std::int64_t size;  ///< 0 means --targets-size, a vector in memory
  bool all_cores;
  const char* data;
  Against against;
  double required;             ///< 0: reported only
  const char* peer = nullptr;  ///< if it is not the group's first
};

constexpr ElementType f64 = ElementType::float64, f32 = ElementType::float32;

/// One line for each kind of data that a target is required on.
std::vector<Target> all_targets() {
  std::vector<Target> list;
  for (const char* const data : {"uniform", "normal"}) {
    list.push_back({"sum", f64, 0, true, data, Against::roof, 0.90});
    list.push_back({"dot", f64, 0, true, data, Against::roof, 0.90});
    list.push_back({"sum", f32, 0, true, data, Against::roof, 0.80});
    list.push_back({"sum", f64, 0, false, data, Against::peer_rate, 1.3});
    list.push_back({"two_norm", f64, 0, false, data, Against::peer_rate, 1.8});
    list.push_back({"sum", f64, 1 << 14, false, data, Against::plain, 0.30});
    list.push_back({"sum", f64, 1 << 16, false, data, Against::plain, 0.30});
    list.push_back({"inclusive_scan", f64, 0, true, data, Against::plain, 0.50});
    list.push_back({"inclusive_scan", f32, 0, true, data, Against::plain, 0.50});
    list.push_back({"inclusive_scan", f64, 0, false, data, Against::peer_rate, 1.0});
    for (const char* const columns : {"column_sums", "wide_column_sums"}) {
      list.push_back({columns, f64, 0, true, data, Against::roof, 0.75});
      list.push_back({columns, f64, 0, true, data, Against::peer_rate, 1.0});
    }
    list.push_back({"sum", f64, 64, false, data, Against::peer_time, 3.0});
    list.push_back({"sum", f64, 512, false, data, Against::peer_time, 1.2});
  }
  // Beside dasum, because there are OpenBLAS that have no fast asum for a CPU (README.md) but a fast sum.
  for (const std::int64_t size : {std::int64_t{64}, std::int64_t{512}, std::int64_t{0}})
    list.push_back({"sum", f64, size, false, "uniform", Against::peer_time, 0, "cblas_dsum"});
  list.push_back({"sum", f64, 0, true, "wide", Against::roof, 0.25});
  list.push_back({"dot", f64, 0, true, "wide", Against::roof, 0.25});
  list.push_back({"two_norm", f64, 0, true, "wide", Against::roof, 0});
  return list;
}

std::int64_t size_of_target(const Target& target, const Options& options) {
  return target.size == 0 ? options.targets_size : target.size;
}

int threads_of(const Target& target) { return target.all_cores ? cores() : 1; }

bool has_target(std::string_view operation, ElementType type, const std::string& data, bool in_memory,
                std::int64_t size, int threads, const Options& options) {
  return std::ranges::any_of(all_targets(), [&](const Target& target) {
    return target.operation == operation && target.type == type && target.data == data &&
           (target.size == 0) == in_memory && size_of_target(target, options) == size &&
           threads_of(target) == threads;
  });
}

/// Adds the targets' contestants of one type, kind of data, size and number of threads.
template <FloatingElement T>
void add_targets(Round& round, const Problem<T>& problem, const std::string& data, bool in_memory,
                 const Options& options) {
  for (const OperationEntry<T>& operation : operations<T>())
    if (has_target(operation.name, element_type_of<T>, data, in_memory, problem.size, problem.threads,
                   options))
      round.add(operation, problem, data, in_memory);
}

/// What was measured for a target.
struct Figure {
  Target target;
  const Row* ours;
  std::string against;  ///< the contestant, or "roof"
  double value;         ///< 0: not measured

  bool passes() const {
    if (target.required == 0) return true;
    return target.against == Against::peer_time ? value <= target.required : value >= target.required;
  }
  const char* verdict() const {
    if (value == 0) return "no roof";  // the vectors fit into the cache
    if (target.required == 0) return "-";
    return passes() ? "PASS" : "MISS";
  }
};

std::vector<Figure> figures(const Options& options, const Results& results) {
  std::vector<Figure> list;
  for (const Target& target : all_targets()) {
    const auto is_ours = [&](const Row& row) {
      return row.contestant == "foldline exact" && row.group.operation == target.operation &&
             row.group.type == target.type && row.group.size == size_of_target(target, options) &&
             row.group.threads == threads_of(target) && row.group.data == target.data;
    };
    const auto ours = std::ranges::find_if(results.rows(), is_ours);
    if (ours == results.rows().end()) continue;
    const Row* const plain = results.best_plain(ours->group);
    const Row* const peer = target.peer == nullptr ? results.first(ours->group, Role::peer)
                                                   : results.find(ours->group, target.peer);
    if (plain == nullptr || peer == nullptr) continue;
    const double faster = ours->rate() / peer->rate();
    switch (target.against) {
      case Against::roof:
        list.push_back({target, &*ours, "roof", results.of_roof(*ours)});
        break;
      case Against::plain:
        list.push_back({target, &*ours, plain->contestant, results.of_plain(*ours)});
        break;
      case Against::peer_rate:
        list.push_back({target, &*ours, peer->contestant, faster});
        break;
      case Against::peer_time:
        list.push_back({target, &*ours, peer->contestant + " (time)", 1 / faster});
        break;
    }
  }
  return list;
}

std::string required_text(const Target& target) {
  if (target.required == 0) return "(report)";
  return fmt::format("{} {:.2f}", target.against == Against::peer_time ? "<=" : ">=", target.required);
}

}  // namespace

void run_targets(const Options& options, Results& results) {
  for (const char* const data : {"uniform", "normal", "wide"}) {
    const Array<double> x =
        make_array<double>(std::max<std::int64_t>(options.targets_size, 1 << 16), data, 1);
    const Array<double> y = make_array<double>(options.targets_size, data, 2);
    const Array<float> z = make_array<float>(options.targets_size, data, 1);
    for (const bool in_memory : {true, false}) {
      for (const std::int64_t size : {options.targets_size, std::int64_t{1} << 14, std::int64_t{1} << 16,
                                      std::int64_t{64}, std::int64_t{512}}) {
        for (const int threads : {cores(), 1}) {
          limit_threads(threads);
          // All operations of one size in one round, float with double: the roof is any of them.
          Round round;
          add_targets(round, Problem<double>{x.get(), y.get(), size, threads}, data, in_memory, options);
          if (in_memory)
            add_targets(round, Problem<float>{z.get(), nullptr, size, threads}, data, in_memory, options);
          if (round.empty()) continue;
          fmt::print(stderr, "{} data, {} elements, {} threads\n", data, size_text(size), threads);
          round.run(options.method, results);
        }
      }
    }
  }
}

void print_targets(const Options& options, const Results& results) {
  constexpr const char* line = "{:<16} {:<8} {:>5} {:>7} {:<8} {:>12} {:>7}  {:<20} {:>6}  {:<8} {}\n";
  fmt::print(line, "exact", "type", "n", "threads", "data", "ns/call", "GB/s", "against", "ratio", "required",
             "");
  for (const Figure& figure : figures(options, results)) {
    const Case& group = figure.ours->group;
    fmt::print(line, group.operation, name_of(group.type), size_text(group.size), group.threads, group.data,
               fmt::format("{:.1f}", figure.ours->timing.median), fmt::format("{:.2f}", figure.ours->rate()),
               figure.against, fmt::format("{:.2f}", figure.value), required_text(figure.target),
               figure.verdict());
  }
  fmt::print(
      "\nroof, the best rate of any contestant from memory: {:.2f} GB/s with 1 thread, {:.2f} GB/s with {}\n",
      results.roof(1), results.roof(cores()), cores());
  fmt::print("OpenBLAS takes this CPU for a {}; if its dsum beats its dasum by far, see README.md\n",
             openblas_get_corename());
}

nlohmann::ordered_json targets_json(const Options& options, const Results& results) {
  auto list = nlohmann::ordered_json::array();
  for (const Figure& figure : figures(options, results))
    list.push_back({{"group", name_of(figure.ours->group)},
                    {"against", figure.against},
                    {"ratio", figure.value},
                    {"required", figure.target.required},
                    {"at_most", figure.target.against == Against::peer_time},
                    {"verdict", figure.verdict()}});
  return list;
}

}  // namespace foldline::bench
