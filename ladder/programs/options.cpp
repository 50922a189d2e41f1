#include "programs/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "runner/options.hpp"
#include "runner/sizes.hpp"

namespace foldline::ladder {
namespace {

using Command = ProgramOptions::Command;

struct Name {
  std::string_view name;
  Command command;
  const char* about;
};

constexpr std::array names = {
    Name{"exec", Command::exec, "run a whole CUDA program in the simulator, checked and counted"},
    Name{"check", Command::check, "look for mistakes in the kernels of a file"},
    Name{"new", Command::begin, "write a file to begin with: your own solution of a problem"},
    Name{"try", Command::attempt,
         "verify your own solution, count what it does, and show it among the rungs"},
};

void add_common_options(CLI::App& app, ProgramOptions& options) {
  app.add_option("--as", options.device, "simulate this GPU; default: h200")
      ->check(CLI::IsMember({"h200", "h100", "a100", "t4", "m2070"}));
  app.add_option("--seed", options.seed, "of the order hostile")->capture_default_str();
  app.add_option("--time-limit", options.limits.seconds, "seconds after which it is ended")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  app.add_option("--memory-limit", options.limits.megabytes, "MiB of memory with which it is ended")
      ->check(CLI::Range(64, 1 << 24))
      ->capture_default_str();
}

void add_exec(CLI::App& app, ProgramOptions& options) {
  app.add_option("program.cu", options.file, "a source with main")->required()->check(CLI::ExistingFile);
  app.add_option("arguments", "of the program: all that follows");
  app.add_option("--order", options.order, "in which blocks run")
      ->check(CLI::IsMember({"forward", "reversed", "hostile"}))
      ->capture_default_str();
  app.add_flag("--unchecked", options.unchecked,
               "no search for races and unwritten memory, and no counts: faster");
  app.add_flag("--trace", options.trace,
               "at the end, show the first block of each kernel's first launch: its lanes against time");
  app.add_option("--trace-steps", options.trace_steps, "how many steps of a warp are shown")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "no notes about old forms, and no counts at the end");
}

void add_check(CLI::App& app, ProgramOptions& options) {
  app.add_option("file.cu", options.file, "a source with kernels")->required()->check(CLI::ExistingFile);
  app.add_option("--kernel", options.kernel,
                 "this kernel only; with template arguments, as 'name<float, 128>', for a template");
  app.add_option("--n", options.n, "elements of every array, and the value of every integer")
      ->transform(size())
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->capture_default_str();
  app.add_option("--block", options.block, "threads of a block, as 256 or 16x16")->capture_default_str();
  app.add_option("--grid", options.grid, "blocks, as 4 or 4x4; default: as many as cover n");
  app.add_option("--shared", options.shared_bytes, "bytes of dynamic shared memory; default: 8 a thread")
      ->check(CLI::Range(0, 227 * 1024));
  app.add_option(
      "--set", options.values,
      "NAME=VALUE: the elements of the array, or the value of the number, that a kernel calls NAME");
}

void add_new(CLI::App& app, ProgramOptions& options) {
  app.add_option("problem", options.problem, "see list")->required();
  app.add_option("file.cu", options.file, "what to write; default: my_PROBLEM.cu. It must not exist");
}

/// How many of the arguments belong to this program: those after the first file are the other program's.
int arguments_up_to_program(int argc, char** argv) {
  for (int i = 2; i < argc; ++i)
    if (std::filesystem::is_regular_file(argv[i])) return i + 1;
  return argc;
}

}  // namespace

bool is_program_command(int argc, char** argv) {
  return argc > 1 && std::ranges::find(names, std::string_view(argv[1]), &Name::name) != names.end();
}

std::optional<ProgramOptions> parse_program_command(int argc, char** argv, int& status) {
  const auto* const name = std::ranges::find(names, std::string_view(argv[1]), &Name::name);
  ProgramOptions options;
  options.command = name->command;
  CLI::App app(name->about, "foldline-ladder " + std::string(name->name));
  if (options.command != Command::begin) add_common_options(app, options);
  if (options.command == Command::exec || options.command == Command::check)
    add_compiler_options(app, options.compiler);
  switch (options.command) {
    case Command::exec:
      add_exec(app, options);
      break;
    case Command::check:
      add_check(app, options);
      break;
    case Command::begin:
      add_new(app, options);
      break;
    case Command::attempt:
      add_trial(app, options.trial);
      break;
  }
  if (options.command == Command::exec) {
    const int own = arguments_up_to_program(argc, argv);
    options.arguments.assign(argv + own, argv + argc);
    argc = own;
  }
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  return options;
}

}  // namespace foldline::ladder
