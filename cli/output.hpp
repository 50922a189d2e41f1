// What a command prints.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace foldline::cli {

/// Prints one piece of text. Throws Error if it cannot be written.
using Write = std::function<void(std::string_view)>;

/// What a command prints once nothing can fail any more but writing it.
class Output {
 public:
  Output(std::string text)  // NOLINT(google-explicit-constructor): most commands return a text
      : print_([text = std::move(text)](const Write& write) { write(text); }) {}
  /// `print` writes the output in pieces, so that it is never in memory as a whole.
  explicit Output(std::function<void(const Write&)> print) : print_(std::move(print)) {}

  /// The output says that the command failed: exit code 1, with this message on standard error.
  Output with_failure(std::string message) && {
    failure_ = std::move(message);
    return std::move(*this);
  }

  void print(const Write& write) const { print_(write); }
  /// Empty if the command did not fail.
  const std::string& failure() const { return failure_; }

 private:
  std::function<void(const Write&)> print_;
  std::string failure_;
};

}  // namespace foldline::cli
