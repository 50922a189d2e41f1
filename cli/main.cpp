// foldline: parse, call the public API, print.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <system_error>

#include "advice.hpp"
#include "axis.hpp"
#include "compute.hpp"
#include "histogram.hpp"
#include "info.hpp"
#include "integrate.hpp"
#include "ladder.hpp"
#include "launcher.hpp"
#include "matmul.hpp"
#include "options.hpp"
#include "output.hpp"
#include "printable.hpp"
#include "processes.hpp"
#include "quantile.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "scan.hpp"
#include "sorting.hpp"
#include "together.hpp"

namespace {

using namespace foldline;
using namespace foldline::cli;

constexpr int done = 0, failed = 1;

Output run(const Options& options) {
  const auto explain = [&](const std::string& sentence) {
    if (options.explain && !options.json) fmt::print(stderr, "{}\n", escaped(sentence));
  };
  switch (options.action) {
    case Action::print:
      return options.text;
    case Action::info:
      return info(options.json);
    case Action::scan:
      return scan_file(options, explain);
    case Action::integrate:
      return integrate_formula(options, explain);
    case Action::samples:
      return integrate_samples(options, explain);
    case Action::quantile:
      return quantiles(options, explain);
    case Action::histogram:
      return histogram(options, explain);
    case Action::matmul:
      return multiply_files(options, explain);
    case Action::ladder:
      become_ladder(options.arguments);
    case Action::compute:
      break;
  }
  if (options.axis) return reduce_along_axis(options, explain);
  return report(sorted(compute(options, explain), options), options);
}

/// Checks every call, so that a full disk is an error.
void write_output(const Output& output) {
  constexpr std::size_t buffer_size = std::size_t{1} << 16;
  std::setvbuf(stdout, nullptr, _IOFBF, buffer_size);
  const auto check = [](bool written) {
    if (!written)
      throw Error("standard output: cannot be written: " + std::generic_category().message(errno));
  };
  errno = 0;
  output.print(
      [&](std::string_view text) { check(std::fwrite(text.data(), 1, text.size(), stdout) == text.size()); });
  check(std::fflush(stdout) == 0 && std::fclose(stdout) == 0);
}

int complain(const Complaint& complaint) {
  std::fprintf(stderr, "foldline: %s\n", complaint.text.c_str());
  return complaint.code;
}

int finish(const Output& output) {
  write_output(output);
  return output.failure().empty() ? done : complain({escaped(output.failure()), failed});
}

/// One of the processes of mpirun: its share of the files. The first one prints for all.
int run_together(const Options& options, const Launched& launched) {
  auto processes = std::make_unique<Processes>(launched);
  if (processes->count() == 1) {
    processes.reset();
    return finish(run(options));
  }
  require_shareable(options);
  const auto explain = [&](const std::string& sentence) {
    if (options.explain && !options.json && launched.rank == 0) fmt::print(stderr, "{}\n", escaped(sentence));
  };
  const Found found = sorted(compute_together(options, explain, *processes), options);
  return launched.rank == 0 ? finish(report(found, options)) : done;
}

}  // namespace

int main(int argc, char** argv) {
  const Launched launched = launched_by_environment();
  // Of several processes the first one prints help, complains and fails for all: Open MPI ends the others as
  // soon as one fails.
  const auto complain_for_all = [&](const Complaint& complaint) {
    return launched.rank == 0 ? complain(complaint) : done;
  };
  try {
    const Options options = parse_options(argc, argv);
    if (launched.ranks == 1) return finish(run(options));
    if (options.action != Action::print) return run_together(options, launched);
    return launched.rank == 0 ? finish(options.text) : done;
  } catch (const NotJoined& error) {
    return complain({escaped(error.what()), failed});
  } catch (const SharedFailure& failure) {
    return complain_for_all(failure.complaint);
  } catch (...) {
    return complain_for_all(complaint_about(std::current_exception()));
  }
}
