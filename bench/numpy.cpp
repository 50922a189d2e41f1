#include "numpy.hpp"

#include <fmt/format.h>
#include <stdio.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace foldline::bench {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string output_of(const std::string& command) {
  struct Close {
    void operator()(FILE* pipe) const { ::pclose(pipe); }
  };
  std::unique_ptr<FILE, Close> pipe(::popen(command.c_str(), "r"));
  if (!pipe) throw std::runtime_error("cannot start a process for NumPy");
  std::string output;
  char buffer[4096];
  while (const std::size_t count = ::fread(buffer, 1, sizeof buffer, pipe.get()))
    output.append(buffer, count);
  if (::pclose(pipe.release()) != 0)
    throw std::runtime_error(
        "NumPy could not be measured (see above); give --numpy a Python that has it, or leave it out");
  return output;
}

Row row_from(const Case& group, const nlohmann::json& json) {
  Row row = {group, json.at("contestant").get<std::string>(), Role::peer, {}};
  row.timing = {json.at("ns").get<double>(), json.at("min_ns").get<double>(), json.at("mad_ns").get<double>(),
                json.at("calls_per_measurement").get<std::int64_t>()};
  row.interleaved = false;
  return row;
}

}  // namespace

void require_numpy(const Options& options) {
  if (!options.numpy.empty()) output_of(quoted(options.numpy) + " -c 'import numpy'");
}

void add_numpy(const Options& options, Results& results) {
  std::vector<Case> groups;
  std::string arguments;
  std::set<std::string> seen;
  for (const Row& row : results.rows()) {
    // NumPy's reductions run in one thread, and know no bfloat16.
    if (row.group.threads != 1 || row.group.type == ElementType::bfloat16) continue;
    if (!seen.insert(name_of(row.group)).second) continue;
    groups.push_back(row.group);
    arguments += ' ' + quoted(name_of(row.group));
  }
  if (groups.empty()) return;
  const std::string command =
      fmt::format("{} {} --rounds {} --shortest {}{}", quoted(options.numpy), quoted(FOLDLINE_NUMPY_SCRIPT),
                  options.method.rounds, options.method.shortest, arguments);
  const nlohmann::json rows = nlohmann::json::parse(output_of(command));
  for (const nlohmann::json& json : rows)
    for (const Case& group : groups)
      if (json.at("group") == name_of(group)) results.add(row_from(group, json));
}

}  // namespace foldline::bench
