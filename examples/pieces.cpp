// A result from pieces: chunks in any order, on any machine, merged exactly.
#include <foldline/foldline.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  const std::vector<double> morning = {1e100, 1.5}, evening = {-1e100, 2.0};

  foldline::Accumulator first(foldline::Operation::statistics);
  first.add(morning);
  const std::vector<std::byte> bytes = first.serialise();  // below 4 KiB: to a file, a queue, another machine

  foldline::Accumulator second(foldline::Operation::statistics);
  second.add(evening);
  second.merge(foldline::Accumulator::deserialise(bytes));

  const double sum = second.result(foldline::Operation::sum);          // 3.5
  const double mean = second.result(foldline::Operation::mean);        // 0.875
  const std::string digits = second.exact(foldline::Operation::mean);  // "3.5 / 4"
  std::printf("sum %g, mean %g = %s, of %lld numbers; %zu bytes of state\n", sum, mean, digits.c_str(),
              static_cast<long long>(second.count()), bytes.size());
  return sum == 3.5 && mean == 0.875 && digits == "3.5 / 4" && bytes.size() < 4096 ? 0 : 1;
}
