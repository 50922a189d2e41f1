#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "arrays.hpp"

namespace foldline::bench {
namespace {

bool selected(const Options& options, const Case& group) {
  if (group.threads > 1 && group.size < worth_sharing && !options.threads_given) return false;
  return options.selects(group);
}

void show_progress(const std::string& text) { fmt::print(stderr, "{}\n", text); }

template <FloatingElement T>
void run_type(const Options& options, Results& results) {
  if (std::ranges::find(options.types, name_of(element_type_of<T>)) == options.types.end()) return;
  for (const std::string& data : options.data) {
    // Small sizes are the beginning of the largest.
    const std::int64_t largest = options.sizes.back();
    const Array<T> x = make_array<T>(largest, data, 1);
    const Array<T> y = sizeof(T) > 2 ? make_array<T>(largest, data, 2) : nullptr;
    for (const std::int64_t size : options.sizes) {
      for (const int threads : options.threads) {
        const Problem<T> problem = {x.get(), y.get(), size, threads};
        limit_threads(threads);
        for (const OperationEntry<T>& operation : operations<T>()) {
          const Case group = case_of(operation, problem, data);
          if (!selected(options, group)) continue;
          show_progress(name_of(group));
          Round round;
          round.add(operation, problem, data, results.from_memory(group));
          round.run(options.method, results);
        }
      }
    }
  }
}

}  // namespace

template <Element T>
void Round::add(const OperationEntry<T>& operation, const Problem<T>& problem, const std::string& data,
                bool with_read) {
  for (Contestant& made : contestants(operation, problem, with_read)) {
    cases_.push_back(case_of(operation, problem, data));
    contestants_.push_back(std::move(made));
  }
}

void Round::run(const Method& method, Results& results) const {
  const bool threaded = std::ranges::any_of(cases_, [](const Case& group) { return group.threads > 1; });
  std::vector<Row> rows;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const Contestant& made = contestants_[i];
    rows.push_back(
        {cases_[i], made.name, made.role, {}, made.result(), made.second ? made.second() : Values{}});
    if (!agrees(rows.back()))
      show_progress("WRONG: two results differ: " + name_of(cases_[i]) + ", " + made.name);
  }
  const std::vector<Timing> timings = measure(contestants_, method, threaded);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].timing = timings[i];
    results.add(std::move(rows[i]));
  }
}

void run_matrix(const Options& options, Results& results) {
  run_type<double>(options, results);
  run_type<float>(options, results);
  run_type<half>(options, results);
  run_type<bfloat16>(options, results);
}

template void Round::add(const OperationEntry<double>&, const Problem<double>&, const std::string&, bool);
template void Round::add(const OperationEntry<float>&, const Problem<float>&, const std::string&, bool);
template void Round::add(const OperationEntry<std::int32_t>&, const Problem<std::int32_t>&,
                         const std::string&, bool);
template void Round::add(const OperationEntry<std::int64_t>&, const Problem<std::int64_t>&,
                         const std::string&, bool);

}  // namespace foldline::bench
