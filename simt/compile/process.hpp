// Runs another program.
#pragma once

#include <string>
#include <vector>

namespace simt {

/// The first word is the program. Returns its exit status; 127 if there is none, 128 if a signal has ended
/// it. Throws CompileError if no process can be started.
int run_process(const std::vector<std::string>& words);

}  // namespace simt
