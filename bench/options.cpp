#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <regex>
#include <utility>

#include <foldline/version.hpp>

#include "arrays.hpp"
#include "machine.hpp"

namespace foldline::bench {
namespace {

constexpr std::int64_t power_of_two(int exponent) { return std::int64_t{1} << exponent; }

const std::map<std::string, std::vector<std::int64_t>>& named_sizes() {
  static const std::map<std::string, std::vector<std::int64_t>> sizes = {
      {"short", {16, 64, 128, 512, 4096}},
      {"l1", {power_of_two(11)}},
      {"l2", {power_of_two(14), power_of_two(15), power_of_two(16)}},
      {"dram", {power_of_two(24), power_of_two(27)}},
  };
  return sizes;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "short", "l1", "l2", "dram", "2^20" or "1000".
std::vector<std::int64_t> parse_size(const std::string& text) {
  if (const auto named = named_sizes().find(text); named != named_sizes().end()) return named->second;
  std::optional<std::int64_t> size;
  if (text.starts_with("2^")) {
    const std::optional<std::int64_t> exponent = whole_number(std::string_view(text).substr(2));
    if (exponent && *exponent >= 0 && *exponent <= 40) size = power_of_two(static_cast<int>(*exponent));
  } else {
    size = whole_number(text);
  }
  if (!size || *size < 1 || *size > power_of_two(40))
    throw CLI::ValidationError("'" + text +
                               "' is no size; use short, l1, l2, dram, 2^20 or a number from 1 to 2^40");
  return {*size};
}

std::vector<std::int64_t> parse_sizes(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> sizes;
  for (const std::string& text : texts) {
    const std::vector<std::int64_t> more = parse_size(text);
    sizes.insert(sizes.end(), more.begin(), more.end());
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

std::string valid_regex(const std::string& text) {
  try {
    const std::regex tried(text);
    return {};
  } catch (const std::regex_error& error) {
    return "'" + text + "' is no regular expression: " + error.what();
  }
}

/// What --targets and --targets-size mean, and what they are if not given, depends on the device.
void apply_device(Options& options, std::string targets_size) {
  const bool gpu = options.device == "cuda";
  if (!gpu && (options.targets == "small" || options.targets == "wide"))
    throw CLI::ValidationError("--targets " + options.targets + " needs --device cuda");
  if (gpu && options.targets.empty()) options.targets = "all";
  if (targets_size.empty()) targets_size = gpu ? "2^30" : "2^27";
  options.targets_size = parse_size(targets_size).back();
}

}  // namespace

bool Options::selects(const std::string& group) const {
  return filter.empty() || std::regex_search(group, std::regex(filter));
}

std::optional<Options> parse(int argc, char** argv, int& status) {
  Options options;
  std::vector<std::string> sizes = {"short", "l1", "l2", "dram"};
  std::string targets_size;
  bool quick = false;
  CLI::App app(
      "foldline beside the libraries that people use today: every operation, type, size, number of threads "
      "and kind of data, all contestants measured in turns in one run",
      "foldline-bench");
  app.set_version_flag("--version", std::string(version));
  app.add_option("--device", options.device,
                 "cpu, or cuda: the figures for the first GPU, beside CUB, Thrust and cuBLAS")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--targets,--must-show", options.targets,
                 "measure the figures that foldline promises and compare them with what is required: "
                 "reductions, scans, columns or all (default); with --device cuda also small or wide")
      ->expected(0, 1)
      ->default_str("all")
      ->check(CLI::IsMember({"reductions", "small", "wide", "scans", "columns", "all"}));
  app.add_option("--targets-size", targets_size,
                 "with --targets: elements that stand for a vector in memory, and the most that a scan or a "
                 "matrix of "
                 "the targets has; default: 2^27, on a GPU 2^30")
      ->type_name("N");
  CLI::Option* const sizes_option =
      app.add_option("--sizes", sizes, "short, l1, l2, dram, 2^20 or 1000; several with commas")
          ->delimiter(',')
          ->capture_default_str();
  std::vector<std::string> all_types;
  for (const ElementType type : element_types) all_types.emplace_back(name_of(type));
  CLI::Option* const types_option = app.add_option("--types", options.types, "element types")
                                        ->delimiter(',')
                                        ->check(CLI::IsMember(all_types))
                                        ->capture_default_str();
  CLI::Option* const data_option =
      app.add_option("--data", options.data,
                     "kinds of data; default: the first three, on a GPU those of the targets")
          ->delimiter(',')
          ->check(CLI::IsMember(data_kinds()));
  CLI::Option* const threads_option =
      app.add_option("--threads", options.threads,
                     "numbers of threads; default: 1 and all cores, and several threads "
                     "for 2^14 elements and more only")
          ->delimiter(',')
          ->check(CLI::Range(1, 4096));
  CLI::Option* const rounds_option =
      app.add_option("--rounds", options.method.rounds, "measurements of each contestant")
          ->check(CLI::Range(1, 100000))
          ->capture_default_str();
  app.add_option("--shortest", options.method.shortest, "seconds that a measurement lasts at least")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_option(
         "--filter", options.filter,
         "regular expression that operation/type/n/threads/data must contain, as sum/float64/4096/1/uniform")
      ->check(valid_regex);
  app.add_flag("--quick", quick,
               "64, 512, 2^14, 2^16 and 2^24 elements of float64 and float32, uniform, 3 rounds");
  app.add_option("--json", options.json, "write everything to this file");
  app.add_flag("--grid", options.is_grid,
               "reductions and scans along axes of arrays of many shapes beside NumPy or, on a GPU, PyTorch, "
               "CuPy and CUB");
  app.add_option(
      "--shapes", options.grid.shapes,
      "with --grid: a file of lines 'type shape axis [transposed|sliced]', as 'float64 1000x20000 0'");
  app.add_option("--bytes", options.grid.bytes, "with --grid: what each array is scaled up to, at least")
      ->check(CLI::Range(std::int64_t{1} << 10, std::int64_t{1} << 34))
      ->capture_default_str();
  app.add_option("--seconds", options.grid.seconds,
                 "with --grid: an end, the same for each type, whose cells are then taken in a random order")
      ->check(CLI::Range(0.0, 1e6));
  CLI::Option* const cupy_option =
      app.add_option(
             "--cupy", options.cupy.path,
             "with --grid --device cuda: a Python that has CuPy, which compiles a kernel for each cell")
          ->expected(0, 1);
  CLI::Option* const numpy_option =
      app.add_option("--numpy", options.numpy.path,
                     "a Python that has NumPy, whose rows are added; default: python3 or, if that has none, "
                     "/usr/bin/python3. --targets looks for these two unasked")
          ->expected(0, 1);
  CLI::Option* const torch_option =
      app.add_option("--torch", options.torch.path,
                     "with --device cuda: a Python that has PyTorch, looked for in the same way")
          ->expected(0, 1);
  try {
    app.parse(argc, argv);
    if (quick) {
      if (sizes_option->empty()) sizes = {"64", "512", "2^14", "2^16", "2^24"};
      if (types_option->empty()) options.types = {"float64", "float32"};
      if (data_option->empty()) options.data = {"uniform"};
      if (rounds_option->empty()) options.method.rounds = 3;
    }
    options.sizes = parse_sizes(sizes);
    apply_device(options, targets_size);
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (options.data.empty() && options.device == "cpu")
    options.data.assign(data_kinds().begin(), data_kinds().begin() + 3);
  if (options.is_grid) {
    if (!types_option->empty()) options.grid.types = options.types;
    options.grid.on_gpu = options.device == "cuda";
    if (rounds_option->empty()) options.method.rounds = 5;
  }
  options.numpy.is_asked_for = !numpy_option->empty();
  options.cupy.is_asked_for = !cupy_option->empty();
  options.torch.is_asked_for = !torch_option->empty();
  options.threads_given = !threads_option->empty();
  if (!options.threads_given) {
    options.threads = {1};
    if (cores() > 1 && !options.is_grid) options.threads.push_back(cores());
  }
  return options;
}

}  // namespace foldline::bench
