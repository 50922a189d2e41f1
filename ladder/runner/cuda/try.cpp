#include "runner/cuda/try.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "compile/process.hpp"
#include "runner/attempt_source.hpp"
#include "runner/attempts.hpp"
#include "runner/backend.hpp"
#include "runner/nvcc.hpp"
#include "runner/run.hpp"
#include "runner/scratch.hpp"

namespace foldline::ladder {
namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!(text << file.rdbuf()) && file.peek() != std::ifstream::traits_type::eof())
    throw std::runtime_error(path.string() + " cannot be read");
  return text.str();
}

/// The shared object that nvcc makes of it, for the GPU that is here.
fs::path compile(const Trial& trial, const Attempt& attempt, const Scratch& scratch) {
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty()) throw std::runtime_error("nvcc, which compiles " + trial.file + ", is not on the PATH");
  const fs::path source = scratch.path() / "solution.cu", library = scratch.path() / "solution.so";
  std::ofstream written(source);
  written << "#line 1 \"" << trial.file << "\"\n"
          << text_of_file(trial.file) << calling_functions(attempt.variants);
  if (!written.flush()) throw std::runtime_error(source.string() + " cannot be written");
  const fs::path folder = fs::absolute(trial.file).parent_path();  // of #include "..."
  std::vector<std::string> words = {nvcc.string(), "-std=c++20", "-O3",   "-arch=native",        "-lineinfo",
                                    "-shared",     "-Xcompiler", "-fPIC", "-I" + folder.string()};
  words.insert(words.end(), trial.compiler.begin(), trial.compiler.end());
  words.insert(words.end(), {source.string(), "-o", library.string()});
  if (simt::run_process(words) != 0) throw std::runtime_error("nvcc does not compile " + trial.file);
  return library;
}

std::optional<std::string> place_by_time(Report& report) {
  const auto sentence = put_in_place(report, [](const Line& line) { return line.outcome.cold.median; });
  if (!sentence) return std::nullopt;
  return *sentence + ", by its time with data from memory (cold).";
}

int run(const Trial& trial, Options running, const Problem& problem) {
  if (problem.attempt->most_n && !running.params.n) running.params.n = problem.attempt->most_n;
  prepare(problem, running);
  problem.instances(running.params);  // refuses sizes before anything is compiled
  const Scratch scratch;
  set_solution(solution_in(compile(trial, *problem.attempt, scratch), problem.attempt->variants,
                           {[] {}, [] { return std::string(); }}));
  const auto variants = variants_that_fit(problem, trial, running);
  Options once = running;
  once.rounds = 1;
  const auto verify = [&](const Instance& instance) {
    return run_here(problem, instance, problem.rungs.size() - 1, once);
  };
  if (!is_right(problem, variants, running, verify)) return 1;
  return show_among_rungs(problem, variants, running, trial.json, place_by_time);
}

}  // namespace

int try_on_gpu(int argc, char** argv, const std::vector<Problem>& problems) {
  Trial trial;
  Options limits;
  CLI::App app("verify your own solution on the GPU, and time it beside the rungs",
               "foldline-ladder-cuda try");
  add_trial(app, trial);
  app.add_option("--rounds", limits.rounds, "measurements of each time")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--time-limit", limits.time_limit, "seconds after which a rung is ended; default: 60")
      ->check(CLI::Range(0.1, 3600.0));
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const Problem problem = problem_with_own_line(problems, trial);
    Options running = runner_options(problem, trial);
    running.rounds = limits.rounds;
    running.time_limit = limits.time_limit;
    return run(trial, running, problem);
  } catch (const BadParam& error) {
    fmt::print(stderr, "foldline-ladder-cuda: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "foldline-ladder-cuda: {}\n", error.what());
    return 1;
  }
}

}  // namespace foldline::ladder
