#include "grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>

#include "cuda/grid.hpp"
#include "grid_contestant.hpp"
#include "python_peer.hpp"

namespace foldline::bench {
namespace {

struct GridRow {
  GridCell cell;
  double roof;                    // GB/s
  std::vector<double> ns;         // of each contestant; 0: it has no such operation
  double ratio, lowest, highest;  // of our speed to the fastest peer's, round by round: median and range
  std::size_t fastest;            // which peer

  double rate(double time) const { return static_cast<double>(cell.bytes()) / time; }
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::string name_of(const GridCell& cell) {
  return fmt::format("{}/{}/{}/{}/{}", cell.operation, foldline::name_of(cell.type),
                     fmt::join(cell.shape, "x"), cell.axis, cell.layout);
}

GridRow measure(const GridCell& cell, const std::vector<MadeContestant>& contestants, int rounds) {
  GridRow row = {cell, 0, std::vector<double>(contestants.size()), 0, 0, 0, 0};
  std::vector<std::vector<double>> times(contestants.size());
  std::vector<bool> takes_part(contestants.size());
  for (std::size_t i = 0; i < contestants.size(); ++i) takes_part[i] = contestants[i]->prepare(cell);
  if (!takes_part[0]) return row;
  // Far behind is far behind: once is enough.
  const auto is_far_behind = [&](std::size_t i) { return times[i][0] > 20 * times[0][0]; };
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i)
      if (takes_part[i])
        times[i].push_back(round > 0 && is_far_behind(i) ? times[i][0] : contestants[i]->measure());
  for (std::size_t i = 0; i < contestants.size(); ++i)
    if (takes_part[i]) row.ns[i] = median(times[i]);
  for (std::size_t i = 1; i < contestants.size(); ++i)
    if (takes_part[i] && (row.fastest == 0 || row.ns[i] < row.ns[row.fastest])) row.fastest = i;
  if (row.fastest == 0) return row;
  std::vector<double> ratios(times[0].size());
  for (std::size_t round = 0; round < ratios.size(); ++round)
    ratios[round] = times[row.fastest][round] / times[0][round];
  row.ratio = median(ratios);
  row.lowest = std::ranges::min(ratios);
  row.highest = std::ranges::max(ratios);
  return row;
}

std::string line_of(const GridRow& row, const std::vector<MadeContestant>& contestants) {
  const bool has_peer = row.fastest != 0;
  return fmt::format("{:>6} {:14} {:9} {:>20} {:4} {:10} {:8.0f} {:6.1f} {:5.2f} {:>8} {}",
                     has_peer ? fmt::format("{:.2f}", row.ratio) : "", row.cell.operation,
                     foldline::name_of(row.cell.type), fmt::format("{}", fmt::join(row.cell.shape, "x")),
                     row.cell.axis, row.cell.layout, row.ns[0] / 1e3, row.rate(row.ns[0]),
                     row.rate(row.ns[0]) / row.roof,
                     has_peer ? fmt::format("{:.0f}", row.ns[row.fastest] / 1e3) : "",
                     has_peer ? contestants[row.fastest]->name() : "nobody");
}

void print(const std::vector<GridRow>& rows, const std::vector<MadeContestant>& contestants) {
  fmt::print("{:>6} {:14} {:9} {:>20} axis {:10} {:>8} {:>6} {:>5} {:>8} beside\n", "ratio", "operation",
             "type", "shape", "layout", "us", "GB/s", "roof", "peer us");
  for (const GridRow& row : rows) fmt::print("{}\n", line_of(row, contestants));
  std::vector<double> ratios;
  for (const GridRow& row : rows)
    if (row.fastest != 0) ratios.push_back(row.ratio);
  const auto least = [&](double ratio) {
    return std::ranges::count_if(ratios, [&](double one) { return one >= ratio; });
  };
  fmt::print("{} cells beside a peer: {} at 1.3 and more, {} at 1.0, {} at 0.8\n", ratios.size(), least(1.3),
             least(1), least(0.8));
}

nlohmann::ordered_json as_json(const GridRow& row, const std::vector<MadeContestant>& contestants) {
  nlohmann::ordered_json json = {
      {"operation", row.cell.operation}, {"type", foldline::name_of(row.cell.type)},
      {"base", row.cell.base},           {"shape", row.cell.shape},
      {"axis", row.cell.axis},           {"layout", row.cell.layout},
      {"bytes", row.cell.bytes()},       {"of_roof", row.rate(row.ns[0]) / row.roof}};
  for (std::size_t i = 0; i < contestants.size(); ++i)
    if (row.ns[i] != 0) json["ns"][contestants[i]->name()] = row.ns[i];
  if (row.fastest != 0) {
    json["ratio"] = row.ratio;
    json["lowest"] = row.lowest;
    json["highest"] = row.highest;
  }
  return json;
}

void shuffle_within_types(std::vector<GridCell>& cells) {
  std::mt19937 random(1);
  for (auto first = cells.begin(); first != cells.end();) {
    const auto last =
        std::find_if(first, cells.end(), [&](const GridCell& cell) { return cell.type != first->type; });
    std::shuffle(first, last, random);
    first = last;
  }
}

std::vector<MadeContestant> contestants_of(const Options& options, std::int64_t most_bytes) {
  std::vector<MadeContestant> contestants;
  const auto add = [&](const PythonPeer& peer, const char* package, const PythonChoice& choice) {
    const std::string python = find_python(peer, choice);
    if (!python.empty()) contestants.push_back(grid_peer(package, python, most_bytes));
  };
  if (options.device == "cuda") {
    cuda::add_grid_contestants(most_bytes, contestants);
    add(torch, "torch", options.torch);
    if (options.cupy.is_asked_for) add(cupy, "cupy", options.cupy);
  } else {
    contestants.push_back(grid_cpu(options.threads.front(), most_bytes));
    add(numpy, "numpy", options.numpy);
  }
  return contestants;
}

}  // namespace

void run_grid(const Options& options, nlohmann::ordered_json& json) {
  std::vector<GridCell> cells = grid_cells(options.grid);
  std::erase_if(cells, [&](const GridCell& cell) { return !options.selects(name_of(cell)); });
  std::int64_t most_bytes = options.grid.bytes;
  for (const GridCell& cell : cells)
    most_bytes =
        std::max({most_bytes, cell.span() * size_of(cell.type), cell.results() * size_of(cell.result)});
  const std::vector<MadeContestant> contestants = contestants_of(options, most_bytes);
  std::vector<GridRow> rows;
  std::map<ElementType, double> roofs;
  std::set<ElementType> types;
  for (const GridCell& cell : cells) types.insert(cell.type);
  if (options.grid.seconds > 0) shuffle_within_types(cells);
  const auto begin = std::chrono::steady_clock::now();
  for (const GridCell& cell : cells) {
    const bool is_new = !roofs.contains(cell.type);
    if (is_new)
      roofs[cell.type] = static_cast<double>(options.grid.bytes) / *contestants[0]->read(options.grid.bytes);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const double end =
        options.grid.seconds * static_cast<double>(roofs.size()) / static_cast<double>(types.size());
    if (options.grid.seconds > 0 && !is_new && spent.count() > end) continue;
    GridRow row = measure(cell, contestants, options.method.rounds);
    row.roof = roofs[cell.type];
    if (row.ns[0] == 0) continue;
    fmt::print(stderr, "{}\n", line_of(row, contestants));
    rows.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows, {}, [](const GridRow& row) { return row.fastest == 0 ? 1e9 : row.ratio; });
  print(rows, contestants);
  if (options.device == "cuda") json["gpu"] = cuda::describe_grid_gpu();
  json["threads"] = options.threads;
  json["bytes"] = options.grid.bytes;
  for (const MadeContestant& contestant : contestants) json["contestants"].push_back(contestant->name());
  for (const auto& [type, roof] : roofs) json["roofs"][std::string(foldline::name_of(type))] = roof;
  json["cells"] = nlohmann::ordered_json::array();
  for (const GridRow& row : rows) json["cells"].push_back(as_json(row, contestants));
}

}  // namespace foldline::bench
