// foldline: parse, call the public API, print.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "axis.hpp"
#include "compute.hpp"
#include "histogram.hpp"
#include "info.hpp"
#include "integrate.hpp"
#include "ladder.hpp"
#include "matmul.hpp"
#include "options.hpp"
#include "quantile.hpp"
#include "report.hpp"
#include "samples.hpp"
#include "scan.hpp"
#include "sorting.hpp"
#include "text_advice.hpp"

namespace {

using namespace foldline;
using namespace foldline::cli;

constexpr int done = 0, failed = 1, usage = 2;

std::string run(const Options& options) {
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

/// All of the output at once, when nothing can fail any more but writing it; a full disk must not pass for
/// success.
void write_output(const std::string& text) {
  errno = 0;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written || std::fclose(stdout) != 0)
    throw Error("standard output: cannot be written: " + std::generic_category().message(errno));
}

/// With advice that names the command's options instead of the library's.
std::string message_of(const OverflowError& error) {
  return fmt::format("{}; give a floating-point --output-type{}", error.problem(),
                     error.can_wrap() ? ", or --overflow wrap" : "");
}

int complain(const std::string& message, int code) {
  std::fprintf(stderr, "foldline: %s\n", message.c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    write_output(run(parse_options(argc, argv)));
    return done;
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
