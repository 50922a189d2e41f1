// The problem for the runner: random matrices, exact entries of their product, and the arrays of a rung.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "matmul/rungs.hpp"
#include "problems.hpp"
#include "runner/device.hpp"
#include "runner/exact.hpp"
#include "runner/random.hpp"

namespace foldline::ladder {
namespace matmul {
namespace {

constexpr std::int64_t longest = std::int64_t{1} << 20, max_elements = std::int64_t{1} << 28;

/// Elements are multiples of 2^-bits in [-1, 1): exact in T, with products that are exact in an ExactSum.
template <class T>
constexpr int bits = sizeof(T) == 4 ? 24 : 48;

struct Shape {
  std::int64_t rows, columns, inner;
};

/// An entry of C that is verified.
struct Entry {
  std::int64_t row, column;
  ExactSum sum;
  double magnitudes;  ///< the sum of its products' magnitudes
};

template <class T>
struct Data {
  Shape shape;
  int block;
  std::vector<T> a, b;
  bool whole_numbers = false;  ///< small ones, whose sums are exact in any order
  std::vector<Entry> entries;
};

template <class T>
class MatmulBench : public Workbench, public Bench<T> {
 public:
  MatmulBench(const Data<T>& data, const Rung& rung) : data_(data), rung_(rung) {}

  Product<T> product() override {
    // One rounding of the product and the additions but the first, in any order.
    depth_ = data_.whole_numbers ? 0 : static_cast<double>(data_.shape.inner);
    return operands();
  }
  Product<T> correctly_rounded_product() override {
    depth_ = 0;
    return operands();
  }
  int block() const override { return data_.block; }
  void counts(std::int64_t operations) override { work_ = operations; }
  void* scratch(std::size_t bytes) override { return scratch_.get(static_cast<std::int64_t>(bytes)); }

  void refresh() override { c_.poison(); }
  void start() override { rung_.run(*this); }
  /// C stays on the device; check() and bits() copy it.
  void finish() override {}
  Check check() const override {
    Check check;
    if (rung_.info.kind == Kind::roof) return check;  // multiplies no matrices
    const std::vector<T> c = c_.on_host();
    check.values = static_cast<std::int64_t>(data_.entries.size());
    for (const Entry& entry : data_.entries) {
      const T found = c[static_cast<std::size_t>(entry.row * data_.shape.columns + entry.column)];
      const Error error = error_of(found, entry.sum, depth_, entry.magnitudes);
      check.correct += error.within;
      check.worst_ulp = std::max(check.worst_ulp, error.ulp);
      if (!error.within && check.first_wrong.empty())
        check.first_wrong = "entry (" + std::to_string(entry.row) + ", " + std::to_string(entry.column) +
                            ") is " + std::to_string(found) + ", not " + std::to_string(entry.sum.value());
    }
    return check;
  }
  std::vector<std::byte> bits() const override {
    if (!c_) return {};
    const std::vector<T> c = c_.on_host();
    std::vector<std::byte> bytes(c.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), c.data(), bytes.size());
    return bytes;
  }
  std::int64_t work() const override { return work_; }

 private:
  Product<T> operands() {
    const auto& [rows, columns, inner] = data_.shape;
    return {a_.get(data_.a),        b_.get(data_.b),           c_.get(rows * columns),
            static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(inner)};
  }

  const Data<T>& data_;
  const Rung& rung_;
  DeviceArray<T> a_, b_, c_;
  DeviceArray<char> scratch_;
  double depth_ = 0;
  std::int64_t work_ = 0;
};

template <class T>
class Matmul : public Instance {
 public:
  Matmul(const Shape& shape, int block, std::uint64_t seed, bool whole_numbers) : random_(seed) {
    data_.whole_numbers = whole_numbers;
    data_.shape = shape;
    data_.block = block;
    data_.a = draw(shape.rows * shape.inner);
    data_.b = draw(shape.inner * shape.columns);
    choose_entries();
  }
  std::string title() const override {
    const auto& [rows, columns, inner] = data_.shape;
    return "product of " + std::to_string(rows) + " x " + std::to_string(inner) + " and " +
           std::to_string(inner) + " x " + std::to_string(columns) +
           (sizeof(T) == 4 ? " floats" : " doubles") + ", blocks of " + std::to_string(data_.block) +
           " where their size is open";
  }
  std::int64_t work() const override {
    return 2 * data_.shape.rows * data_.shape.columns * data_.shape.inner;
  }
  std::unique_ptr<Workbench> set_up(std::size_t rung) const override {
    return std::make_unique<MatmulBench<T>>(data_, rungs()[rung]);
  }

 private:
  static constexpr std::int64_t one = std::int64_t{1} << matmul::bits<T>;

  std::vector<T> draw(std::int64_t count) {
    std::vector<T> elements(static_cast<std::size_t>(count));
    for (T& element : elements) {
      const std::int64_t units =
          data_.whole_numbers ? one * random_.whole_number()
                              : static_cast<std::int64_t>(random_.next() >> (63 - matmul::bits<T>)) - one;
      element = static_cast<T>(units) / static_cast<T>(one);
    }
    return elements;
  }

  /// All entries, or as many as take about a second: random rows of random columns, and the corners.
  void choose_entries() {
    const auto& [rows, columns, inner] = data_.shape;
    const std::int64_t affordable = std::clamp((std::int64_t{1} << 28) / std::max<std::int64_t>(inner, 1),
                                               std::int64_t{256}, std::int64_t{1} << 18);
    const bool all = rows * columns <= affordable;
    const std::int64_t across = all ? columns : std::min<std::int64_t>(columns, 512);
    const std::int64_t down = all ? rows : std::max<std::int64_t>(affordable / across, 2);
    const auto choose = [&](std::int64_t k, std::int64_t count) {
      if (all) return k;
      return k < 2 ? k * (count - 1)
                   : static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(count)));
    };
    for (std::int64_t k = 0; k < across; ++k) {
      const std::int64_t column = choose(k, columns);
      const std::vector<T> of_b = column_of_b(column);
      for (std::int64_t l = 0; l < down; ++l) data_.entries.push_back(entry(choose(l, rows), column, of_b));
    }
  }
  std::vector<T> column_of_b(std::int64_t column) const {
    std::vector<T> elements;
    for (std::int64_t i = 0; i < data_.shape.inner; ++i)
      elements.push_back(data_.b[static_cast<std::size_t>(i * data_.shape.columns + column)]);
    return elements;
  }
  Entry entry(std::int64_t row, std::int64_t column, const std::vector<T>& of_b) const {
    const auto as_integer = [](T element) {
      return static_cast<std::int64_t>(element * static_cast<T>(one));
    };
    const T* const of_a = data_.a.data() + row * data_.shape.inner;
    Entry entry{row, column, {}, 0};
    for (std::size_t i = 0; i < of_b.size(); ++i) {
      entry.sum.add_product(as_integer(of_a[i]), as_integer(of_b[i]), -matmul::bits<T>);
      entry.magnitudes += std::abs(static_cast<double>(of_a[i]) * static_cast<double>(of_b[i]));
    }
    return entry;
  }

  Random random_;
  Data<T> data_;
};

Shape shape(const Params& params) {
  const std::int64_t n = params.n.value_or(2048);
  const Shape shape{params.rows.value_or(n), params.columns.value_or(n), params.inner.value_or(n)};
  const auto& [rows, columns, inner] = shape;
  if (std::max({rows, columns, inner}) > longest ||
      std::max({rows * columns, rows * inner, inner * columns}) > max_elements)
    throw BadParam("matmul takes 2^20 rows and columns, and 2^28 elements of each matrix, at most");
  return shape;
}

int block(const Params& params) {
  const int block = params.block.value_or(1024);
  if (block != 64 && block != 256 && block != 1024)
    throw BadParam("matmul takes --block 64, 256 or 1024: tiles of 8 x 8, 16 x 16 or 32 x 32 at run time");
  return block;
}

}  // namespace
}  // namespace matmul

Problem matmul_problem() {
  using namespace matmul;
  Problem problem{"matmul",
                  "the product of two matrices of floats or doubles, 2048 x 2048 each unless --n or --rows, "
                  "--inner and --columns say otherwise",
                  {},
                  {"n", "rows", "columns", "inner", "type", "block"},
                  {}};
  problem.unit = Unit::operations;
  problem.simulated = {.n = 256};
  problem.attempt = {
      .declaration =
          "template <class T> void solve(const T* a, const T* b, T* c, int rows, int inner, int columns)",
      .variants = {{"float", SolveProduct<float>::parameters()},
                   {"double", SolveProduct<double>::parameters()}},
      .sizes = {{.rows = 0, .columns = 4, .inner = 3},
                {.rows = 3, .columns = 0, .inner = 4},
                {.rows = 5, .columns = 7, .inner = 0},
                {.rows = 1, .columns = 1, .inner = 1},
                {.rows = 37, .columns = 150, .inner = 45},
                {.rows = 128, .columns = 128, .inner = 16}}};
  problem.rungs = infos_of(rungs());
  problem.instances = [](const Params& params) {
    std::vector<InstanceMaker> makers;
    const Shape wanted = shape(params);
    const int threads = block(params);
    const std::uint64_t seed = params.seed;
    const bool whole_numbers = params.whole_numbers;
    if (params.type != "double")
      makers.emplace_back(
          [=] { return std::make_unique<Matmul<float>>(wanted, threads, seed, whole_numbers); });
    if (params.type != "float")
      makers.emplace_back(
          [=] { return std::make_unique<Matmul<double>>(wanted, threads, seed, whole_numbers); });
    return makers;
  };
  return problem;
}

}  // namespace foldline::ladder
