// Whole CUDA programs, which simt/translate/ has made C++ of: what their launches find ends them with a
// message.
#pragma once

#include <string>

namespace simt {

struct LaunchPlace {
  const char* kernel;  ///< as the source names it
  const char* file;
  int line;
};

/// Runs a launch. What is found in it is printed and ends the program with status 1. What a GPU refuses is
/// the program's last error; that the program never asks for it is found at its next launch or its end.
void start(const LaunchPlace& place, void (*run)(void* context), void* context);

/// From now on what launches find is thrown to whoever has called the program's code, instead of ending the
/// process.
void throw_findings();

/// Why the last error of a CUDA call came, with the name of the function and its arguments; empty if there
/// was none.
const std::string& why_last_error();

/// Prints a finding to standard error. All that was printed is in order: standard output comes first.
void report_finding(const std::string& line);
/// How many were reported.
int findings();

/// Reports a refused launch whose error the program has not asked for since.
void report_unasked_refusal();

/// What is thrown out of the program's own code, such as an Error of a launch without <<<>>>, is reported,
/// too, when it would end the program.
void report_uncaught_errors();

}  // namespace simt
