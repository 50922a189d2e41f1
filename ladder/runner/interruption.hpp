// A signal that asks the program to end, after it has ended its processes and removed its files.
#pragma once

#include <stdexcept>

namespace foldline::ladder {

/// Thrown where the program waits.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal);
  int signal;
};

/// From now on SIGINT, SIGTERM and SIGHUP are noted.
void note_interruptions();
bool is_interrupted();
/// Throws Interrupted if one has come.
void end_if_interrupted();

/// In a process of its own: signals do what they did, and it ends with the process that has made it.
void begin_child();

}  // namespace foldline::ladder
