#include <simt/program.hpp>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <simt/devices.hpp>
#include <simt/error.hpp>

#include "devices/device_state.hpp"

namespace simt {
namespace {

struct Refusal {
  LaunchPlace place;
  std::string why;
};

int reported = 0;
bool findings_are_thrown = false;
std::optional<Refusal> refusal;

std::string line_of(const LaunchPlace& place, const std::string& kind, const std::string& text) {
  return std::string(place.file) + ":" + std::to_string(place.line) + ": error: " + kind + ": " + text;
}

/// Refusals are told without a place: they are the host's.
std::string finding_of(const LaunchPlace& place, const Error& error) {
  return error.file.empty() ? line_of(place, name_of(error.kind), error.text) : error.what();
}

}  // namespace

void report_finding(const std::string& line) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", line.c_str());
  ++reported;
}

void throw_findings() { findings_are_thrown = true; }

int findings() { return reported; }

void report_unasked_refusal() {
  if (refusal && cudaPeekAtLastError() != cudaSuccess)
    report_finding(line_of(refusal->place, name_of(ErrorKind::launch),
                           std::string(refusal->place.kernel) +
                               " was not launched, and the program does not "
                               "ask for cudaGetLastError(): " +
                               refusal->why));
  refusal.reset();
}

void start(const LaunchPlace& place, void (*run)(void* context), void* context) {
  report_unasked_refusal();
  try {
    if (remember_refusal(run, context) == cudaSuccess) return;
    if (findings_are_thrown) throw Error(ErrorKind::launch, why_last_error(), place.file, place.line);
    refusal = {place, why_last_error()};
    return;
  } catch (const Error& error) {
    if (findings_are_thrown && !error.file.empty()) throw;
    if (findings_are_thrown) throw Error(error.kind, error.text, place.file, place.line);
    report_finding(finding_of(place, error));
  } catch (const NotOnThisDevice& error) {
    if (findings_are_thrown) throw;
    report_finding(line_of(place, name_of(ErrorKind::unsupported), error.what()));
  }
  std::exit(1);
}

void report_uncaught_errors() {
  std::set_terminate([] {
    try {
      if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      report_finding(error.what());
      std::exit(1);
    } catch (const std::exception& error) {
      std::fflush(stdout);
      std::fprintf(stderr, "the program ends by an exception that it does not catch: %s\n", error.what());
    } catch (...) {
      std::fflush(stdout);
      std::fprintf(stderr, "the program ends by an exception that it does not catch\n");
    }
    std::abort();
  });
}

}  // namespace simt
