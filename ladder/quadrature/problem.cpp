// The problem for the runner: the function, the arrays of a rung, and its allowed error.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "problems.hpp"
#include "quadrature/known.hpp"
#include "quadrature/rungs.hpp"
#include "runner/device.hpp"
#include "runner/exact.hpp"

namespace foldline::ladder {
namespace quadrature {
namespace {

constexpr std::int64_t max_intervals = std::int64_t{1} << 30;

struct Data {
  Integrand integrand;
  std::int64_t n;
  int block;
};

/// An integral that a rung has computed, and how.
struct Found {
  double value;
  Rule rule;
  std::int64_t n;
};

template <class T>
class QuadratureBench : public Workbench, public Bench<T> {
 public:
  QuadratureBench(const Data& data, const Rung& rung) : data_(data), rung_(rung) {}

  Integrand integrand() const override { return data_.integrand; }
  std::int64_t n() const override { return data_.n; }
  int block() const override { return data_.block; }
  T* partials(std::int64_t count, Rule rule, double depth) override {
    rule_ = rule;
    depth_ = depth;
    return partials_.get(count);
  }
  T* samples() override {
    depth_ = static_cast<double>(n());
    return samples_.get(n());
  }
  void set_result(T value, Rule rule, double depth) override {
    depth_ = depth;
    found_ = {{static_cast<double>(value), rule, n()}};
  }
  void add_result(T value, Rule rule, std::int64_t intervals) override {
    found_.push_back({static_cast<double>(value), rule, intervals});
  }
  void interpolates(int intervals) override { table_ = intervals; }
  void* scratch(std::size_t bytes) override { return scratch_.get(static_cast<std::int64_t>(bytes)); }

  void refresh() override {
    partials_.poison();
    samples_.poison();
    found_.clear();
  }
  void start() override { rung_.run(*this); }
  void finish() override {
    if (partials_) found_ = {{integral_from_partials(), rule_, n()}};
    if (samples_) found_ = {{integral_from_samples(), Rule::midpoint, n()}};
  }
  Check check() const override {
    Check check;
    if (rung_.info.kind == Kind::roof) return check;  // evaluates only
    check.values = std::max<std::int64_t>(static_cast<std::int64_t>(found_.size()), 1);
    for (const Found& found : found_) {
      const long double off = distance(found);
      const bool within = off <= allowed(found);  // false for NaN
      check.correct += within;
      const double ulp = static_cast<double>(off / unit_in_last_place<T>(exact()));
      check.worst_ulp = std::max(check.worst_ulp, within ? ulp : 1e18);
      if (!within && check.first_wrong.empty())
        check.first_wrong = "the integral with n = " + std::to_string(found.n) + " is " +
                            std::to_string(found.value) + ", not " + std::to_string(exact());
    }
    return check;
  }
  std::vector<std::byte> bits() const override {
    std::vector<std::byte> bytes;
    for (const Found& found : found_) {
      const auto* const begin = reinterpret_cast<const std::byte*>(&found.value);
      bytes.insert(bytes.end(), begin, begin + sizeof found.value);
    }
    return bytes;
  }
  std::vector<Table> tables() const override {
    if (!rung_.compares_rules) return {};
    Table table{
        "error of the integral, by the number of intervals", {"midpoint", "trapezoid", "simpson"}, {}};
    for (const Found& found : found_) {
      if (found.rule == Rule::midpoint) table.rows.push_back({std::to_string(found.n), {}});
      table.rows.back().cells.push_back(static_cast<double>(distance(found)));
    }
    return {table};
  }

 private:
  long double exact() const { return integral_of(data_.integrand); }
  long double distance(const Found& found) const {
    return std::abs(static_cast<long double>(found.value) - exact());
  }
  /// The error of the rule and of the table; roundings of the additions, and 16 for positions, function and
  /// last steps. No sample is negative, so all are relative to the integral.
  long double allowed(const Found& found) const {
    const long double roundings = (depth_ + 16) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    const long double relative = roundings < 0.5L ? roundings / (1 - roundings) : 1;
    return error_of_rule(data_.integrand, found.rule, found.n) +
           (table_ == 0 ? 0 : error_of_table(data_.integrand, table_)) + relative * exact();
  }
  double integral_from_partials() const {
    long double sum = 0;
    for (const T partial : partials_.on_host()) sum += static_cast<long double>(partial);
    const auto intervals = static_cast<long double>(n());
    return static_cast<double>(static_cast<T>(sum / (rule_ == Rule::simpson ? 3 * intervals : intervals)));
  }
  double integral_from_samples() const {
    T sum = 0;
    for (const T sample : samples_.on_host()) sum += sample;
    return static_cast<double>(sum / static_cast<T>(n()));
  }

  const Data& data_;
  const Rung& rung_;
  DeviceArray<T> partials_, samples_;
  DeviceArray<char> scratch_;
  Rule rule_ = Rule::midpoint;
  double depth_ = 0;
  int table_ = 0;  ///< intervals of the table that samples come from; 0 if there is none
  std::vector<Found> found_;
};

template <class T>
class Quadrature : public Instance {
 public:
  explicit Quadrature(const Data& data) : data_(data) {}
  std::string title() const override {
    return std::string("integral of ") + formula_of(data_.integrand) + " from 0 to 1, " +
           std::to_string(data_.n) + " intervals, " + (sizeof(T) == 4 ? "floats" : "doubles") +
           ", blocks of " + std::to_string(data_.block);
  }
  std::int64_t work() const override { return data_.n; }
  std::unique_ptr<Workbench> set_up(std::size_t rung) const override {
    return std::make_unique<QuadratureBench<T>>(data_, rungs()[rung]);
  }

 private:
  Data data_;
};

}  // namespace
}  // namespace quadrature

Problem quadrature_problem() {
  using namespace quadrature;
  Problem problem{"quadrature",
                  "integrals from 0 to 1 of three functions by three rules, in float and double, 2^24 "
                  "intervals unless --n says otherwise",
                  {},
                  {"n", "type", "block", "function"},
                  {}};
  problem.unit = Unit::evaluations;
  problem.simulated = {.n = std::int64_t{1} << 16};
  // The first of the functions: one is enough to learn from.
  const std::string function = name_of(Integrand::reciprocal);
  problem.attempt = {.declaration = "template <class T> void solve(int n, T* sum)",
                     .variants = {{"float", SolveIntegral<float>::parameters()},
                                  {"double", SolveIntegral<double>::parameters()}},
                     .sizes = {{.n = 1, .function = function},
                               {.n = 2, .function = function},
                               {.n = 31, .function = function},
                               {.n = 4098, .function = function}}};
  problem.rungs = infos_of(rungs());
  problem.instances = [](const Params& params) {
    const std::int64_t n = params.n.value_or(std::int64_t{1} << 24);
    if (n < 1 || n > max_intervals) throw BadParam("quadrature takes 1 to 2^30 intervals");
    std::vector<InstanceMaker> makers;
    for (const Integrand integrand : {Integrand::reciprocal, Integrand::root, Integrand::damped}) {
      if (!params.function.empty() && params.function != name_of(integrand)) continue;
      const Data data{integrand, n, params.block.value_or(256)};
      if (params.type != "double")
        makers.emplace_back([=] { return std::make_unique<Quadrature<float>>(data); });
      if (params.type != "float")
        makers.emplace_back([=] { return std::make_unique<Quadrature<double>>(data); });
    }
    return makers;
  };
  return problem;
}

}  // namespace foldline::ladder
