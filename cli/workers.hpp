// Runs a function on several threads.
#pragma once

#include <fmt/format.h>

#include <future>
#include <system_error>
#include <vector>

#include <foldline/error.hpp>

namespace foldline::cli {

/// Runs `work` on `threads` threads, this one included, and returns their results. If some throw, rethrows
/// one of the exceptions when all have ended.
template <class Work>
auto run_on_threads(int threads, const Work& work) {
  using Result = decltype(work());
  std::vector<std::future<Result>> others;  // their destructors join, whatever is thrown
  for (int i = 1; i < threads; ++i) {
    try {
      others.push_back(std::async(std::launch::async, work));
    } catch (const std::system_error& error) {
      throw Error(
          fmt::format("{} threads cannot be started: {}; give a smaller --threads", threads, error.what()));
    }
  }
  std::vector<Result> results;
  results.push_back(work());
  for (auto& other : others) results.push_back(other.get());
  return results;
}

}  // namespace foldline::cli
