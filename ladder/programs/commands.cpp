#include "programs/commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <simt/simt.hpp>

#include "runner/problem.hpp"
#include "translate/translate.hpp"

namespace foldline::ladder {

void choose_simulation(const ProgramOptions& options) {
  simt::Options& how = simt::options();
  if (!options.device.empty()) how.device = *simt::find_device(options.device);
  how.order = options.order == "reversed"  ? simt::Order::reversed
              : options.order == "hostile" ? simt::Order::hostile
                                           : simt::Order::in_order;
  how.seed = options.seed;
  if (options.unchecked) how.checks = how.trace = how.lines = false;
}

int run_program_command(int argc, char** argv) {
  int status = 0;
  const auto options = parse_program_command(argc, argv, status);
  if (!options) return status;
  try {
    return options->command == ProgramOptions::Command::exec ? execute(*options) : check_kernels(*options);
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
