// Threads that all do the same.
#pragma once

#include <fmt/format.h>

#include <future>
#include <system_error>
#include <vector>

#include <foldline/error.hpp>

namespace foldline::cli {

/// Runs `work` on so many threads, this one included, and returns what each returned. If some throw, one of
/// the exceptions comes out when all have ended.
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
