// Peers in Python: NumPy and PyTorch, each in a process of its own, so not measured in turns with the others.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "results.hpp"

namespace foldline::bench {

struct PythonPeer {
  const char* name;     ///< as the names of its contestants begin
  const char* attempt;  ///< a Python statement that succeeds where it can be measured
  const char* script;   ///< in bench/; measures groups and prints rows
  const char* option;   ///< names the Python that has it
};
extern const PythonPeer numpy;
extern const PythonPeer torch;
extern const PythonPeer cupy;

/// The path of a script of bench/: in the folder that the environment's FOLDLINE_BENCH_SCRIPTS names, for
/// programs that were built elsewhere, else where this program was built from.
std::string path_of_script(const std::string& name);

/// A Python that has the peer, looked for before the measurements: the one that `choice` names, else python3,
/// else /usr/bin/python3. Empty if there is none. Throws std::runtime_error if the options ask for the peer
/// and there is none.
std::string find_python(const PythonPeer& peer, const PythonChoice& choice);

/// Runs the peer's script for the groups that it knows, and adds its rows. If it fails, the other
/// measurements are kept and a line reports it. NumPy always runs in one thread.
void add_python_peer(const PythonPeer& peer, const std::string& python, const std::vector<Case>& groups,
                     const Method& method, Results& results);

/// The groups measured with one thread.
std::vector<Case> single_threaded_groups(const Results& results);

}  // namespace foldline::bench
