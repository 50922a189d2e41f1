// What compiles a learner's source for the simulator.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "translate/build.hpp"

namespace foldline::ladder {

/// With clang and the simulator's headers: those beside an installed program, else those that it was built
/// with. Throws simt::CompileError if one of them is missing.
simt::BuildOptions toolchain(const std::vector<std::string>& compiler_options);

/// An empty folder of its own, which is gone at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Prints notes as a compiler does, to standard error.
void print_notes(const std::vector<simt::Note>& notes);

/// A loaded shared object, which stays loaded.
class Library {
 public:
  /// Throws std::runtime_error.
  explicit Library(const std::filesystem::path& path);
  /// Null if there is no such function.
  void* find(const char* function) const;

 private:
  void* handle_;
};

}  // namespace foldline::ladder
