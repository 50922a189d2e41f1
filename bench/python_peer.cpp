#include "python_peer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdio.h>

#include <algorithm>
#include <cstdlib>
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
  if (!pipe) throw std::runtime_error("no process can be started");
  std::string output;
  char buffer[4096];
  while (const std::size_t count = ::fread(buffer, 1, sizeof buffer, pipe.get()))
    output.append(buffer, count);
  if (::pclose(pipe.release()) != 0) throw std::runtime_error("it failed, see above");
  return output;
}

Row row_from(const Case& group, const nlohmann::json& json) {
  Row row = {group, json.at("contestant").get<std::string>(), Role::peer, {}};
  row.timing = summarise(json.at("rounds_ns").get<std::vector<double>>(),
                         json.at("calls_per_measurement").get<std::int64_t>());
  return row;
}

bool has(const PythonPeer& peer, const std::string& python) {
  return std::system(fmt::format("{} -c {} 2>/dev/null", quoted(python), quoted(peer.attempt)).c_str()) == 0;
}

}  // namespace

const PythonPeer numpy = {"NumPy", "import numpy", "numpy_peer.py", "--numpy"};
const PythonPeer torch = {"PyTorch", "import torch; torch.cuda.init()", "cuda/torch_peer.py", "--torch"};
const PythonPeer cupy = {"CuPy", "import cupy; cupy.cuda.runtime.getDeviceCount()", "grid_peer.py", "--cupy"};

std::string path_of_script(const std::string& name) {
  const char* const elsewhere = std::getenv("FOLDLINE_BENCH_SCRIPTS");
  return (elsewhere != nullptr ? elsewhere : FOLDLINE_BENCH_SCRIPTS) + ("/" + name);
}

std::string find_python(const PythonPeer& peer, const PythonChoice& choice) {
  std::vector<std::string> candidates = {"python3", "/usr/bin/python3"};
  if (!choice.path.empty()) candidates = {choice.path};
  const auto found = std::ranges::find_if(candidates, [&](const auto& python) { return has(peer, python); });
  if (found != candidates.end()) return *found;
  if (choice.is_asked_for)
    throw std::runtime_error(fmt::format("no {} in {}; give {} a Python that has it, or leave it out",
                                         peer.name, fmt::join(candidates, ", "), peer.option));
  return {};
}

void add_python_peer(const PythonPeer& peer, const std::string& python, const std::vector<Case>& groups,
                     const Method& method, Results& results) {
  if (python.empty() || groups.empty()) return;
  std::string command = fmt::format("{} {} --rounds {} --shortest {}", quoted(python),
                                    quoted(path_of_script(peer.script)), method.rounds, method.shortest);
  for (const Case& group : groups) command += ' ' + quoted(name_of(group));
  try {
    const nlohmann::json rows = nlohmann::json::parse(output_of(command));
    for (const nlohmann::json& json : rows)
      for (const Case& group : groups)
        if (json.at("group") == name_of(group)) results.add(row_from(group, json));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{} was not measured: {}\n", peer.name, error.what());
  }
}

std::vector<Case> single_threaded_groups(const Results& results) {
  std::vector<Case> groups;
  std::set<std::string> seen;
  for (const Row& row : results.rows()) {
    // NumPy knows no bfloat16.
    if (row.group.threads != 1 || row.group.type == ElementType::bfloat16) continue;
    if (seen.insert(name_of(row.group)).second) groups.push_back(row.group);
  }
  return groups;
}

}  // namespace foldline::bench
