// The problem for the runner: the textbook's matrices, their exact column sums, and the arrays of a rung.
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "column-sums/rungs.hpp"
#include "problems.hpp"
#include "runner/device.hpp"
#include "runner/exact.hpp"
#include "runner/random.hpp"

namespace foldline::ladder {
namespace column_sums {
namespace {

constexpr std::int64_t max_rows = std::int64_t{1} << 30, max_elements = std::int64_t{1} << 33;

/// Elements are 0, 1e-5, ... 9e-5, like the textbook's (rand() % 10) / 100000: doubles whose multiples an
/// ExactSum can hold.
struct Data {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> matrix;
  std::vector<ExactSum> sums;
  bool textbook = false;
};

class ColumnBench : public Workbench, public Bench {
 public:
  ColumnBench(const Data& data, const Rung& rung) : data_(data), rung_(rung) {}

  std::int64_t rows() const override { return data_.rows; }
  std::int64_t columns() const override { return data_.columns; }
  const double* host_matrix() const override { return data_.matrix.data(); }
  const double* matrix() override { return matrix_.get(data_.matrix); }
  double* sums(double depth) override {
    depth_ = depth;
    return sums_.get(columns());
  }
  double* host_sums(double depth) override {
    depth_ = depth;
    return result_.data();
  }
  void* scratch(std::size_t bytes) override { return scratch_.get(static_cast<std::int64_t>(bytes)); }

  void refresh() override {
    sums_.poison();
    result_.assign(static_cast<std::size_t>(columns()), std::nan(""));
  }
  void start() override {
    if (result_.empty()) refresh();
    rung_.run(*this);
  }
  void finish() override {
    if (sums_) result_ = sums_.on_host();
  }
  Check check() const override {
    Check check;
    if (rung_.info.kind == Kind::roof) return check;  // reads only
    check.values = columns();
    for (std::size_t c = 0; c < result_.size(); ++c) {
      const Error error =
          error_of(result_[c], data_.sums[c], depth_, data_.sums[c].value());  // no element is negative
      check.correct += error.within;
      check.worst_ulp = std::max(check.worst_ulp, error.ulp);
      if (!error.within && check.first_wrong.empty())
        check.first_wrong = "the sum of column " + std::to_string(c) + " is " + std::to_string(result_[c]) +
                            ", not " + std::to_string(data_.sums[c].value());
    }
    return check;
  }
  std::vector<std::byte> bits() const override {
    std::vector<std::byte> bytes(result_.size() * sizeof(double));
    std::memcpy(bytes.data(), result_.data(), bytes.size());
    return bytes;
  }
  /// The text's own comparison, which has a tolerance.
  std::string printed() const override {
    if (!data_.textbook || rung_.info.kind == Kind::roof) return "";
    constexpr long double tolerance = 0.001L;
    for (std::size_t c = 0; c < result_.size(); ++c)
      if (!(data_.sums[c].distance(result_[c]) < tolerance)) return "Failed";
    return "Passed";
  }

 private:
  const Data& data_;
  const Rung& rung_;
  DeviceArray<double> matrix_, sums_;
  DeviceArray<char> scratch_;
  double depth_ = 0;
  std::vector<double> result_;
};

class ColumnSums : public Instance {
 public:
  ColumnSums(std::int64_t rows, std::int64_t columns, std::uint64_t seed, bool textbook) {
    data_.rows = rows;
    data_.textbook = textbook;
    data_.columns = columns;
    data_.matrix.resize(static_cast<std::size_t>(rows * columns));
    std::vector<std::array<std::int64_t, 10>> counts(static_cast<std::size_t>(columns));
    Random random(seed);
    TextbookRandom texts(0);
    for (std::size_t i = 0, c = 0; i < data_.matrix.size(); ++i, c = c + 1 == counts.size() ? 0 : c + 1) {
      const std::uint64_t digit = textbook ? texts.next() % 10 : random.below(10);
      data_.matrix[i] = static_cast<double>(digit) / 1e5;
      ++counts[c][digit];
    }
    for (const auto& of_column : counts) data_.sums.push_back(sum_of(of_column));
  }
  std::string title() const override {
    return "column sums of " + std::to_string(data_.rows) + " x " + std::to_string(data_.columns) +
           " doubles" + (data_.textbook ? ", the text's rand() % 10 / 100000" : "");
  }
  std::int64_t work() const override {
    return static_cast<std::int64_t>(data_.matrix.size() * sizeof(double));
  }
  std::unique_ptr<Workbench> set_up(std::size_t rung) const override {
    return std::make_unique<ColumnBench>(data_, rungs()[rung]);
  }

 private:
  /// The sum of value times count. 1e-5 > 2^-17, so the last bit of each value is at least 2^-69.
  static ExactSum sum_of(const std::array<std::int64_t, 10>& counts) {
    ExactSum sum;
    for (std::size_t digit = 0; digit < counts.size(); ++digit)
      sum.add_product(static_cast<std::int64_t>(std::ldexp(static_cast<double>(digit) / 1e5, 70)),
                      counts[digit], -35);
    return sum;
  }

  Data data_;
};

using Shape = std::pair<std::int64_t, std::int64_t>;

std::vector<Shape> shapes(const Params& params) {
  if (params.textbook)
    return {{160000, 8},   {1600000, 8},  {6400000, 8}, {160000, 32},
            {1600000, 32}, {6400000, 32}, {160000, 64}, {1600000, 64}};
  return {{params.rows.value_or(1600000), params.columns.value_or(32)}};
}

}  // namespace
}  // namespace column_sums

Problem column_sums_problem() {
  using namespace column_sums;
  Problem problem{"column-sums",
                  "the sums of the columns of a row-major matrix of doubles, 1600000 x 32 unless --rows and "
                  "--columns say otherwise",
                  {},
                  {"rows", "columns", "data"},
                  {}};
  problem.simulated = {.rows = 20000, .columns = 32};
  problem.attempt = {.declaration = "void solve(const double* matrix, int rows, int columns, double* sums)",
                     .variants = {{"", SolveColumns::parameters()}},
                     .sizes = {{.rows = 0, .columns = 8},
                               {.rows = 1, .columns = 1},
                               {.rows = 8, .columns = 0},
                               {.rows = 7, .columns = 3},
                               {.rows = 1000, .columns = 8},
                               {.rows = 1001, .columns = 65},
                               {.rows = 3, .columns = 200},
                               {.rows = 257, .columns = 70}}};
  problem.rungs = infos_of(rungs());
  problem.instances = [](const Params& params) {
    std::vector<InstanceMaker> makers;
    for (const auto& [rows, columns] : shapes(params)) {
      if (rows > max_rows || columns > max_rows || (columns != 0 && rows > max_elements / columns))
        throw BadParam("column-sums takes 2^30 rows, 2^30 columns and 2^33 elements at most");
      makers.emplace_back([=, m = rows, n = columns, seed = params.seed, textbook = params.textbook] {
        return std::make_unique<ColumnSums>(m, n, seed, textbook);
      });
    }
    return makers;
  };
  return problem;
}

}  // namespace foldline::ladder
