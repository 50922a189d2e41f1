// Where a learner's source is compiled, and how the result is loaded.
#pragma once

#include <filesystem>

namespace foldline::ladder {

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
