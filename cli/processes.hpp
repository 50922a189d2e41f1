// The processes that mpirun has started, through a plug-in for the MPI whose mpirun it was.
#pragma once

#include <string>
#include <vector>

#include <foldline/error.hpp>

#include "launcher.hpp"

namespace foldline::cli {

/// MPI does not know this process as the one that the environment says it is, so no other speaks for it.
class NotJoined : public Error {
 public:
  using Error::Error;
};

/// This process and the others, from joining them to leaving them.
class Processes {
 public:
  /// Loads the plug-in, which stands beside the command or in its folder of the system's. Throws Error if
  /// there is none, NotJoined if MPI finds other processes than the launcher started.
  explicit Processes(const Launched& launched);
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes();

  int rank() const { return rank_; }
  int count() const { return count_; }
  /// What each process gives, in the order of their ranks. All must call it.
  std::vector<std::string> exchange(const std::string& own);

 private:
  void* plugin_ = nullptr;
  int rank_ = 0, count_ = 1;
};

}  // namespace foldline::cli
