#include "programs/commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <simt/simt.hpp>

#include "runner/interruption.hpp"
#include "translate/translate.hpp"

namespace foldline::ladder {

namespace {

int run(const ProgramOptions& options, const std::vector<Problem>& problems) {
  using Command = ProgramOptions::Command;
  switch (options.command) {
    case Command::exec:
      return execute(options);
    case Command::check:
      return check_kernels(options);
    case Command::begin:
      return write_start(options, problems);
    case Command::attempt:
      return try_solution(options, problems);
  }
  return 1;
}

}  // namespace

void choose_simulation(const ProgramOptions& options) {
  simt::Options& how = simt::options();
  if (!options.device.empty()) how.device = *simt::find_device(options.device);
  how.order = options.order == "reversed"  ? simt::Order::reversed
              : options.order == "hostile" ? simt::Order::hostile
                                           : simt::Order::in_order;
  how.seed = options.seed;
  if (options.trace) how.timeline_steps = static_cast<std::uint64_t>(options.trace_steps);
  if (options.unchecked) how.checks = how.trace = how.lines = false;
}

int run_program_command(int argc, char** argv, const std::vector<Problem>& problems) {
  int status = 0;
  const auto options = parse_program_command(argc, argv, status);
  if (!options) return status;
  note_interruptions();
  try {
    return run(*options, problems);
  } catch (const Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const simt::TranslationError& error) {
    fmt::print(stderr, "{}\n", error.what());
  } catch (const BadParam& error) {
    fmt::print(stderr, "foldline-ladder: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "foldline-ladder: {}\n", error.what());
  }
  return 1;
}

}  // namespace foldline::ladder
