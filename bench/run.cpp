#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

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
        for (const OperationEntry<T>& operation : operations<T>()) {
          const Case group = case_of(operation, problem, data);
          if (size <= operation.most && selected(options, group))
            run_group(operation, problem, data, results.from_memory(group), options.method, results);
        }
      }
    }
  }
}

}  // namespace

template <Element T>
void run_group(const OperationEntry<T>& operation, const Problem<T>& problem, const std::string& data,
               bool with_read, const Method& method, Results& results) {
  const Case group = case_of(operation, problem, data);
  show_progress(name_of(group));
  limit_threads(problem.threads);
  const std::vector<Contestant> measured = contestants(operation, problem, with_read);
  const int series = results.new_series();
  std::vector<Row> rows;
  rows.reserve(measured.size());
  for (const Contestant& made : measured) {
    rows.push_back(
        {group, made.name, made.role, {}, made.result(), made.second ? made.second() : Values{}, series});
    if (!agrees(rows.back()))
      show_progress("WRONG: two results differ: " + name_of(group) + ", " + made.name);
  }
  std::vector<Timing> timings = measure(measured, method, problem.threads > 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].timing = std::move(timings[i]);
    results.add(std::move(rows[i]));
  }
}

void run_matrix(const Options& options, Results& results) {
  run_type<double>(options, results);
  run_type<float>(options, results);
  run_type<half>(options, results);
  run_type<bfloat16>(options, results);
}

template void run_group(const OperationEntry<double>&, const Problem<double>&, const std::string&, bool,
                        const Method&, Results&);
template void run_group(const OperationEntry<float>&, const Problem<float>&, const std::string&, bool,
                        const Method&, Results&);
template void run_group(const OperationEntry<std::int32_t>&, const Problem<std::int32_t>&, const std::string&,
                        bool, const Method&, Results&);
template void run_group(const OperationEntry<std::int64_t>&, const Problem<std::int64_t>&, const std::string&,
                        bool, const Method&, Results&);

}  // namespace foldline::bench
