#include <algorithm>

#include "operations.hpp"

namespace foldline::bench {
namespace {

template <FloatingElement T>
double second(const Problem<T>& problem, Operation operation) {
  const Context context = {
      .execution = {.threads = 1,
                    .target = problem.size <= portable_limit ? Target::portable : Target::automatic}};
  Accumulator all(operation);
  std::int64_t end = problem.size;
  while (end > 0) {
    const std::int64_t count = end / 3 + 1;  // uneven, so that no piece begins where a tile does
    end -= count;
    Accumulator piece(operation);
    if (operation == Operation::dot) {
      piece.add(VectorView(problem.x_data + end, count), VectorView(problem.y_data + end, count), context);
    } else {
      piece.add(VectorView(problem.x_data + end, count), context);
    }
    all.merge(piece);
  }
  return all.rounded(operation, element_type_of<T>).floating();
}

}  // namespace

template <FloatingElement T>
Values second_computation(const Problem<T>& problem, const std::vector<Operation>& results) {
  Values values;
  for (const Operation operation : results) values.push_back(second(problem, operation));
  return values;
}

template Values second_computation(const Problem<double>&, const std::vector<Operation>&);
template Values second_computation(const Problem<float>&, const std::vector<Operation>&);
template Values second_computation(const Problem<half>&, const std::vector<Operation>&);
template Values second_computation(const Problem<bfloat16>&, const std::vector<Operation>&);

}  // namespace foldline::bench
