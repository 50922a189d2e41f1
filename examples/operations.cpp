// Every operation once, with a result that can be checked by hand.
#include <foldline/foldline.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace {

int failures = 0;

void check(const char* what, bool holds) {
  std::printf("%-30s %s\n", what, holds ? "as expected" : "WRONG");
  if (!holds) ++failures;
}

void sums() {
  const std::vector<double> x = {1e16, 1.0, -1e16};
  const double total = foldline::sum(x);  // 1; a loop gives 0
  check("sum", total == 1.0);

  const double magnitude = foldline::vector_abs_sum(std::vector<double>{3.0, -4.0});  // 7
  check("vector_abs_sum", magnitude == 7.0);

  const std::vector<float> tenths(10'000'000, 0.1f);
  const float in_float = foldline::sum(tenths);  // 1000000, where a loop in float gives 1087937
  const double in_double =
      foldline::sum<double>(tenths);  // 1000000.0149011612: what the floats really add up to
  check("sum in the type of choice", in_float == 1000000.0f && in_double == 1000000.0149011612);
}

void products() {
  const std::vector<double> x = {1e200, 1.0, 1e200};
  const std::vector<double> y = {1e200, 2.0, -1e200};
  const double product = foldline::dot(x, y);  // 2, although 1e400 is no double
  check("dot", product == 2.0);

  const double norm = foldline::vector_two_norm(std::vector<double>{3e-300, 4e-300});  // 5e-300
  check("vector_two_norm", norm == 5e-300);
  const double rms = foldline::root_mean_square(std::vector<double>{1e200, 7e200});  // 5e+200
  check("root_mean_square", rms == 5e200);
}

void means() {
  const std::vector<double> x = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
  const double mean = foldline::mean(x);                     // 1000000002.5
  const double population = foldline::variance(x);           // 1.25
  const double sample = foldline::variance(x, {.ddof = 1});  // 1.6666666666666667, the divisor is n - 1
  check("mean and variance", mean == 1000000002.5 && population == 1.25 && sample == 5.0 / 3.0);

  const double deviation =
      foldline::standard_deviation(x, {.ddof = 1});  // 1.2909944487358056, the root of 5/3
  const double error = foldline::standard_error(x);  // 0.6454972243679028, the root of 5/3/4
  check("standard deviation and error", deviation == 1.2909944487358056 && error == 0.6454972243679028);

  const std::vector<double> weights = {1.0, 0.0, 0.0, 3.0};
  const double weighted = foldline::weighted_mean(x, weights);  // 1000000003.25
  check("weighted_mean", weighted == 1000000003.25);
}

void extrema() {
  const std::vector<double> x = {2.0, -7.0, 5.0};
  const auto [smallest, largest] = foldline::minmax(x);  // -7 and 5, in one pass
  check("min, max, minmax",
        smallest == -7.0 && largest == 5.0 && foldline::min(x) == -7.0 && foldline::max(x) == 5.0);
  check("range", foldline::range(x) == 12.0);
}

void statistics() {
  const std::vector<double> x = {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
  const foldline::Statistics<double> all = foldline::statistics(x);  // one pass over memory
  // count 8, minimum 2, maximum 9, sum 40, mean 5, variance 4, abs_sum 40, two_norm sqrt(232)
  check("statistics", all.count == 8 && all.sum == 40.0 && all.mean == 5.0 && all.variance == 4.0);
}

void views() {
  const std::vector<double> rows = {1, 2, 3,                        //
                                    4, 5, 6};                       // two rows of three
  const foldline::VectorView second_column(rows.data() + 1, 2, 3);  // size 2, stride 3
  const foldline::VectorView backwards(rows.data() + 5, 6, -1);
  check("a column, a reversed vector",
        foldline::sum(second_column) == 7.0 && foldline::sum(backwards) == 21.0);
  check("part of a vector", foldline::sum(std::span(rows).first(3)) == 6.0);

  const std::vector<foldline::bfloat16> narrow(1000, foldline::bfloat16(0.5f));
  check("bfloat16", foldline::sum<float>(narrow) == 500.0f);
}

void contexts() {
  const std::vector<double> x(100'000, 0.1);
  foldline::Context context;
  context.execution.threads = 2;  // default 0: as many as are worth it
  // Default automatic: the best instruction set, which is the first; the last is plain C++ on x86.
  context.execution.target = foldline::available_targets().back();
  check("threads and target don't show", foldline::sum(x, context) == foldline::sum(x));

  context.accuracy =
      foldline::Accuracy::fast;  // an ordinary vectorised sum; docs/contract.md has its error bound
  check("accuracy::fast", foldline::sum(x, context) - 10000.0 < 1e-9);

  const foldline::Plan plan =
      foldline::plan(foldline::Operation::sum, foldline::ElementType::float64, 100'000);
  std::printf("%s\n",
              explain(plan, foldline::Operation::sum, foldline::ElementType::float64, 100'000).c_str());
}

void errors() {
  std::string message;
  try {
    (void)foldline::dot(std::vector<double>(3), std::vector<double>(4));
  } catch (const foldline::InvalidArgument& error) {
    message = error.what();  // says what is wrong, where, and what to do
  }
  check("sizes that differ", !message.empty());
  std::printf("%s\n", message.c_str());
}

}  // namespace

int main() {
  sums();
  products();
  means();
  extrema();
  statistics();
  views();
  contexts();
  errors();
  return failures == 0 ? 0 : 1;
}
