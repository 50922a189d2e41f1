#include "operations.hpp"

#include <algorithm>

#include "plain.hpp"

namespace foldline::bench {

template <Element T>
const std::vector<OperationEntry<T>>& operations() {
  static const std::vector<OperationEntry<T>> entries = [] {
    std::vector<OperationEntry<T>> list;
    if constexpr (FloatingElement<T>) list.push_back({"sum", 1, &sum_contestants<T>});
    if constexpr (FloatingElement<T> && sizeof(T) > 2) {
      list.push_back({"dot", 2, &dot_contestants<T>});
      list.push_back({"two_norm", 1, &two_norm_contestants<T>});
      list.push_back({"abs_sum", 1, &abs_sum_contestants<T>});
      list.push_back({"mean", 1, &mean_contestants<T>});
      list.push_back({"variance", 1, &variance_contestants<T>});
      list.push_back({"minmax", 1, &minmax_contestants<T>});
      list.push_back({"statistics", 1, &statistics_contestants<T>});
      list.push_back({"column_sums", 1, &column_contestants<T>});
      list.push_back({"wide_column_sums", 1, &wide_column_contestants<T>});
      // 2048 x 2048: larger ones take minutes.
      list.push_back({"matrix_product", 3, &matrix_product_contestants<T>, false, std::int64_t{1} << 22});
    }
    if constexpr (sizeof(T) > 2) list.push_back({"inclusive_scan", 2, &scan_contestants<T>, true});
    return list;
  }();
  return entries;
}

template <Element T>
std::vector<Contestant> contestants(const OperationEntry<T>& operation, const Problem<T>& problem,
                                    bool with_read) {
  std::vector<Contestant> list = operation.contestants(problem);
  if constexpr (FloatingElement<T>) {
    // Right after foldline, before the peers, some of which are slow: contestants measured close together
    // meet the machine in the same state.
    auto at = std::ranges::find(list, Role::peer, &Contestant::role);
    const auto add = [&](const char* name, Role role, auto call) {
      at = list.insert(at, contestant(name, role, call)) + 1;
    };
    if (operation.vectors == 1) add("plain sum", Role::plain, [problem] { return plain_sum(problem); });
    if constexpr (sizeof(T) > 2)
      if (operation.vectors == 2 && !operation.writes)
        add("plain dot", Role::plain, [problem] { return plain_dot(problem); });
    if (with_read && !operation.writes && operation.vectors <= 2)
      add("plain read", Role::read,
          [problem, vectors = operation.vectors] { return plain_read(problem, vectors); });
  }
  return list;
}

template const std::vector<OperationEntry<double>>& operations();
template const std::vector<OperationEntry<float>>& operations();
template const std::vector<OperationEntry<half>>& operations();
template const std::vector<OperationEntry<bfloat16>>& operations();
template const std::vector<OperationEntry<std::int32_t>>& operations();
template const std::vector<OperationEntry<std::int64_t>>& operations();
template std::vector<Contestant> contestants(const OperationEntry<double>&, const Problem<double>&, bool);
template std::vector<Contestant> contestants(const OperationEntry<float>&, const Problem<float>&, bool);
template std::vector<Contestant> contestants(const OperationEntry<half>&, const Problem<half>&, bool);
template std::vector<Contestant> contestants(const OperationEntry<bfloat16>&, const Problem<bfloat16>&, bool);
template std::vector<Contestant> contestants(const OperationEntry<std::int32_t>&,
                                             const Problem<std::int32_t>&, bool);
template std::vector<Contestant> contestants(const OperationEntry<std::int64_t>&,
                                             const Problem<std::int64_t>&, bool);

}  // namespace foldline::bench
