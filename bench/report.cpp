#include "report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <tuple>

namespace foldline::bench {
namespace {

const char* role_text(Role role) {
  switch (role) {
    case Role::foldline:
      return "foldline";
    case Role::plain:
      return "plain";
    case Role::read:
      return "read";
    case Role::peer:
      break;
  }
  return "peer";
}

/// Numbers as text: JSON has no infinity, and equal texts are equal bits.
nlohmann::ordered_json as_texts(const Values& values) {
  auto texts = nlohmann::ordered_json::array();
  for (const double value : values) texts.push_back(fmt::format("{}", value));
  return texts;
}

nlohmann::ordered_json as_json(const Row& row, const Results& results) {
  nlohmann::ordered_json json = {
      {"operation", row.group.operation},
      {"type", name_of(row.group.type)},
      {"n", row.group.size},
      {"threads", row.group.threads},
      {"data", row.group.data},
      {"contestant", row.contestant},
      {"role", role_text(row.role)},
      {"ns", row.timing.median},
      {"min_ns", row.timing.minimum},
      {"mad_ns", row.timing.deviation},
      {"rounds_ns", row.timing.rounds},
      {"calls_per_measurement", row.timing.calls},
      {"gigabytes_per_second", row.rate()},
      {"of_roof", ratio_json(results.of_roof(row))},
      {"of_plain", ratio_json(results.of_plain(row))},
      {"of_peer", ratio_json(results.of_peer(row))},
      {"series", row.series},
      {"result", as_texts(row.result)},
  };
  if (row.role == Role::foldline) {
    json["second_result"] = as_texts(row.second);
    json["verified"] = agrees(row);
  }
  return json;
}

/// Rows of one operation together, in the order in which the operations were first measured.
std::vector<const Row*> by_operation(const Results& results) {
  std::vector<std::string> operations;
  for (const Row& row : results.rows())
    if (std::ranges::find(operations, row.group.operation) == operations.end())
      operations.push_back(row.group.operation);
  std::vector<const Row*> rows;
  for (const Row& row : results.rows()) rows.push_back(&row);
  const auto key = [&](const Row* row) {
    return std::tuple(std::ranges::find(operations, row->group.operation) - operations.begin(),
                      -size_of(row->group.type), row->group.type, row->group.data, row->group.size,
                      row->group.threads);
  };
  std::ranges::stable_sort(rows, {}, key);
  return rows;
}

}  // namespace

std::string ratio_text(double ratio) { return ratio > 0 ? fmt::format("{:.2f}", ratio) : "-"; }

nlohmann::ordered_json ratio_json(const Ratio& ratio) {
  if (!ratio.exists()) return nullptr;
  return {{"value", ratio.value()},
          {"lowest", ratio.lowest()},
          {"highest", ratio.highest()},
          {"of_run", ratio.of_run()},
          {"paired", ratio.is_paired()}};
}

std::string size_text(std::int64_t size) {
  const auto bits = static_cast<std::uint64_t>(size);
  return size >= 2048 && std::has_single_bit(bits) ? fmt::format("2^{}", std::countr_zero(bits))
                                                   : fmt::format("{}", size);
}

void print_table(const Results& results) {
  constexpr const char* line = "{:<16} {:<8} {:>6} {:>7} {:<9} {:<31} {:>13} {:>5} {:>7} {:>6} {:>6} {:>6}\n";
  fmt::print(line, "operation", "type", "n", "threads", "data", "contestant", "ns/call", "+-%", "GB/s",
             "roof", "plain", "peer");
  const Case* previous = nullptr;
  for (const Row* row : by_operation(results)) {
    const Case& group = row->group;
    const bool is_new = previous == nullptr || !(*previous == group);
    if (is_new && previous != nullptr) fmt::print("\n");
    previous = &group;
    const bool named = results.first(group, Role::peer) == row;
    const std::string name = (named                         ? "* "
                              : row->role == Role::foldline ? "> "
                                                            : "  ") +
                             row->contestant + (row->series != 0 ? "" : " (apart)");
    const auto once = [&](std::string text) { return is_new ? text : std::string(); };
    fmt::print(line, once(group.operation), once(std::string(name_of(group.type))),
               once(size_text(group.size)), once(threads_text(group.threads)), once(group.data), name,
               fmt::format("{:.1f}", row->timing.median),
               fmt::format("{:.1f}", 100 * row->timing.deviation / row->timing.median),
               fmt::format("{:.2f}", row->rate()), ratio_text(results.of_roof(*row).value()),
               ratio_text(results.of_plain(*row).value()), ratio_text(results.of_peer(*row).value()));
  }
  fmt::print(
      "\nns/call and GB/s are medians, +-% is the median deviation. roof, plain and peer are ratios of GB/s, "
      "medians of the rounds'\nratios: to the best of the round from memory with as many threads, to the "
      "group's plain loop, to the contestant marked *.\nData that fits a cache was in it.\n");
}

nlohmann::ordered_json as_json(const Results& results) {
  auto rows = nlohmann::ordered_json::array();
  for (const Row& row : results.rows()) rows.push_back(as_json(row, results));
  return rows;
}

void require_writable(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (::access(folder.c_str(), W_OK) != 0)
    throw std::runtime_error(
        fmt::format("cannot write '{}': there is no such folder that I may write to", path));
}

void write_json(const std::string& path, const nlohmann::ordered_json& json) {
  const std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  std::ofstream file(temporary);
  file << json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary.c_str());
    throw std::runtime_error(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
  }
}

}  // namespace foldline::bench
