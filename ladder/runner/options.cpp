#include "runner/options.hpp"

#include <CLI/CLI.hpp>
#include <foldline/version.hpp>
#include <random>

#include "runner/backend.hpp"

#include "cli/suggest.hpp"
#include "runner/sizes.hpp"

namespace foldline::ladder {
namespace {

CLI::App& add_run(CLI::App& app, Options& options) {
  CLI::App& run = *app.add_subcommand(
      "run", "verify the rungs of a problem, and time them on a GPU or count what they do in a simulator");
  run.add_option("problem", options.problem, "see list")->required();
  run.add_option("rung,--rung", options.rungs, "names of rungs; default: all");
  Params& params = options.params;
  add_sizes(run, params);
  run.add_option("--type", params.type,
                 "float or double, where a problem has both; default: one after the other")
      ->check(CLI::IsMember({"float", "double"}));
  run.add_option("--function", params.function, "of quadrature; default: one after the other")
      ->check(CLI::IsMember({"reciprocal", "root", "damped"}));
  run.add_option("--block", params.block, "threads of a block: a power of two")
      ->check(CLI::IsMember({32, 64, 128, 256, 512, 1024}));
  run.add_option("--seed", params.seed, "of the random input; default: another one each time");
  run.add_option("--rounds", options.rounds,
                 "on a GPU: measurements of each time, up to ten times as many of short ones; the table has "
                 "their medians")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  run.add_option("--time-limit", options.time_limit,
                 "seconds after which a rung is ended; default: 60, 600 in the simulator")
      ->check(CLI::Range(0.1, 3600.0));
  run.add_flag("--simulate", options.simulate, "in the simulator even if there is a GPU");
  run.add_option("--as", options.as, "simulate this GPU; default: h200")
      ->check(CLI::IsMember({"h200", "h100", "a100", "t4", "m2070"}));
  run.add_flag("--json", options.json, "print one JSON object instead of tables");
  run.add_flag("--in-process", options.in_process,
               "no process for each rung, for profilers and debuggers; takes one size only");
  run.add_flag(
      "--sample", options.sample,
      "simulate some blocks of each launch, and count for all: for kernels whose blocks do not wait for "
      "each other. Results are not verified");
  run.add_flag("--trace", options.trace,
               "simulate one rung, and show the lanes of the warps of its first block against time");
  run.add_option("--trace-steps", options.trace_steps, "how many steps of a warp are shown")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  return run;
}

/// Throws BadParam if the first word is no command.
void refuse_unknown_commands(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return;
    names.push_back(command->get_name());
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  const std::string nearest = cli::suggestion(argv[1], names);
  throw BadParam("there is no command '" + std::string(argv[1]) + "'" +
                 (nearest.empty() ? "; there are " + list : nearest));
}

}  // namespace

void add_sizes(CLI::App& command, Params& params) {
  CLI::Option* const n = command.add_option("--n", params.n, "elements, such as 1000, 1e6 or 2^20");
  CLI::Option* const rows = command.add_option("--rows", params.rows, "rows of a matrix");
  CLI::Option* const columns = command.add_option("--columns", params.columns, "columns of a matrix");
  CLI::Option* const inner = command.add_option(
      "--inner", params.inner, "columns of the first matrix of a product, rows of the second");
  for (CLI::Option* const option : {n, rows, columns, inner}) option->transform(size());
  command
      .add_option("--data,--shapes",
                  "textbook: the texts' own inputs, sizes and blocks; --shapes is its old name")
      ->check(CLI::IsMember({"textbook"}))
      ->excludes(n)
      ->excludes(rows)
      ->excludes(columns)
      ->excludes(inner)
      ->each([&params](const std::string&) { params.textbook = true; });
}

void add_compiler_options(CLI::App& command, std::vector<std::string>& options) {
  const auto add = [&options](const std::string& option) {
    return [&options, option](const std::string& value) { options.push_back(option + value); };
  };
  command.add_option_function<std::string>("-I,--include", add("-I"), "another folder with headers")
      ->trigger_on_parse();
  command
      .add_option_function<std::string>("-D,--define", add("-D"), "NAME or NAME=VALUE for the preprocessor")
      ->trigger_on_parse();
}

std::optional<Options> parse(int argc, char** argv, int& status) {
  Options options;
  options.params.seed = std::random_device()();
  CLI::App app(
      "The kernels of the textbooks, from the first attempt to the fastest, verified and measured beside "
      "each "
      "other",
      "foldline-ladder");
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(0, 1);
  app.footer(about_own_commands());
  CLI::App& list = *app.add_subcommand("list", "problems and rungs; the default");
  list.add_option("problem", options.problem, "this problem only");
  const CLI::App& run = add_run(app, options);
  CLI::App& show =
      *app.add_subcommand("show", "a rung's explanation and source; without a rung, their names");
  show.add_option("problem", options.problem)->required();
  show.add_option("rung", options.rungs)->expected(0, 1);
  show.add_flag("--counts", options.counts,
                "simulate the rung, and print what it does in each line in the margin");
  CLI::App& diff = *app.add_subcommand("diff", "what changed from one rung to another");
  diff.add_option("problem", options.problem)->required();
  diff.add_option("rungs", options.rungs)->required()->expected(2);
  CLI::App& results =
      *app.add_subcommand("results", "what was measured on a GPU, from this version's records");
  results.add_option("problem", options.problem)->required();
  results.add_option("--gpu", options.gpu, "h200 or h100")->capture_default_str();
  refuse_unknown_commands(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  using Command = Options::Command;
  options.command = run.parsed()       ? Command::run
                    : show.parsed()    ? Command::show
                    : diff.parsed()    ? Command::diff
                    : results.parsed() ? Command::results
                                       : Command::list;
  return options;
}

}  // namespace foldline::ladder
