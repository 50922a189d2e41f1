#include "runner/options.hpp"

#include <CLI/CLI.hpp>
#include <foldline/version.hpp>
#include <random>

namespace foldline::ladder {
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 40;

CLI::App& add_run(CLI::App& app, Options& options) {
  CLI::App& run = *app.add_subcommand("run", "verify and time the rungs of a problem");
  run.add_option("problem", options.problem, "see list")->required();
  run.add_option("rung,--rung", options.rungs, "names of rungs; default: all");
  Params& params = options.params;
  CLI::Option* const n =
      run.add_option("--n", params.n, "elements")->check(CLI::Range(std::int64_t{0}, largest));
  CLI::Option* const rows =
      run.add_option("--rows", params.rows, "rows of a matrix")->check(CLI::Range(std::int64_t{0}, largest));
  CLI::Option* const columns = run.add_option("--columns", params.columns, "columns of a matrix")
                                   ->check(CLI::Range(std::int64_t{0}, largest));
  CLI::Option* const inner =
      run.add_option("--inner", params.inner, "columns of the first matrix of a product, rows of the second")
          ->check(CLI::Range(std::int64_t{0}, largest));
  run.add_option("--type", params.type,
                 "float or double, where a problem has both; default: one after the other")
      ->check(CLI::IsMember({"float", "double"}));
  run.add_option("--function", params.function, "of quadrature; default: one after the other")
      ->check(CLI::IsMember({"reciprocal", "root", "damped"}));
  run.add_option("--block", params.block, "threads of a block: a power of two")
      ->check(CLI::IsMember({32, 64, 128, 256, 512, 1024}));
  run.add_option("--shapes", "textbook: the sizes of the texts, one after the other")
      ->check(CLI::IsMember({"textbook"}))
      ->excludes(n)
      ->excludes(rows)
      ->excludes(columns)
      ->excludes(inner)
      ->each([&params](const std::string&) { params.textbook_shapes = true; });
  run.add_option("--seed", params.seed, "of the random input; default: another one each time");
  run.add_option(
         "--rounds", options.rounds,
         "measurements of each time, up to ten times as many of short ones; the table has their medians")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  run.add_option("--time-limit", options.time_limit, "seconds after which a rung is ended")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  run.add_flag("--json", options.json, "print one JSON object instead of tables");
  run.add_flag("--in-process", options.in_process,
               "no process for each rung, for profilers and debuggers; takes one size only");
  return run;
}

}  // namespace

std::optional<Options> parse(int argc, char** argv, int& status) {
  Options options;
  options.params.seed = std::random_device()();
  CLI::App app(
      "The kernels of the textbooks, from the first attempt to the fastest, verified and timed beside each "
      "other",
      "foldline-ladder");
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(0, 1);
  CLI::App& list = *app.add_subcommand("list", "problems and rungs; the default");
  list.add_option("problem", options.problem, "this problem only");
  const CLI::App& run = add_run(app, options);
  CLI::App& show = *app.add_subcommand("show", "a rung's explanation and source");
  show.add_option("problem", options.problem)->required();
  show.add_option("rung", options.rungs)->required()->expected(1);
  CLI::App& diff = *app.add_subcommand("diff", "what changed from one rung to another");
  diff.add_option("problem", options.problem)->required();
  diff.add_option("rungs", options.rungs)->required()->expected(2);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  using Command = Options::Command;
  options.command = run.parsed()    ? Command::run
                    : show.parsed() ? Command::show
                    : diff.parsed() ? Command::diff
                                    : Command::list;
  return options;
}

}  // namespace foldline::ladder
