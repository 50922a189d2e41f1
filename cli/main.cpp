// foldline: parse, call the public API, print.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "advice.hpp"
#include "axis.hpp"
#include "compute.hpp"
#include "histogram.hpp"
#include "info.hpp"
#include "integrate.hpp"
#include "ladder.hpp"
#include "matmul.hpp"
#include "options.hpp"
#include "output.hpp"
#include "quantile.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "scan.hpp"
#include "sorting.hpp"

namespace {

using namespace foldline;
using namespace foldline::cli;

constexpr int done = 0, failed = 1, usage = 2;

Output run(const Options& options) {
  const auto explain = [&](const std::string& sentence) {
    if (options.explain && !options.json) fmt::print(stderr, "{}\n", sentence);
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

int complain(const std::string& message, int code) {
  std::fprintf(stderr, "foldline: %s\n", message.c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse_options(argc, argv);
    const Output output = run(options);
    write_output(output);
    return output.failure().empty() ? done : complain(output.failure(), failed);
  } catch (const UsageError& error) {
    return complain(error.what(), usage);
  } catch (const OverflowError& error) {
    return complain(message_of(error), failed);
  } catch (const UnreadableText& error) {
    return complain(message_of(error), failed);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use fewer threads", failed);
  } catch (const std::exception& error) {
    return complain(error.what(), failed);
  }
}
