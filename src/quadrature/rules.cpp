// Composite rules: blocks of nodes on all threads, exact sums of the samples, one rounding.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <span>
#include <string>

#include "foldline/accumulator.hpp"
#include "foldline/detail/parallel.hpp"
#include "foldline/quadrature.hpp"
#include "quadrature/scaled_sum.hpp"

namespace foldline::detail {

namespace {

constexpr std::int64_t block_size = 1024;  // nodes, samples and weights: 24 KiB, in L1
constexpr std::int64_t max_samples = std::int64_t{1} << 50;

[[noreturn]] void refuse(const std::string& problem) { throw InvalidArgument("integrate: " + problem); }

void validate_rule(double a, double b, Rule rule, std::int64_t n) {
  if (!std::isfinite(a) || !std::isfinite(b))
    refuse("a rule needs finite ends; integrate_to takes infinite ones");
  if (!std::isfinite(b - a)) refuse("b - a is more than a double holds");
  if (n < 1) refuse(std::to_string(n) + " intervals; use 1 or more");
  if (rule.kind() == Rule::Kind::simpson && n % 2 != 0)
    refuse("Simpson's rule takes intervals in pairs; use " + std::to_string(n + 1) + " instead of " +
           std::to_string(n));
  if (rule.points() < 1) refuse(std::to_string(rule.points()) + " points; use 1 or more");
  if (n > max_samples / rule.points()) refuse("more than 2^50 samples; use fewer intervals");
}

/// Where the samples are: sample s of the whole rule, in increasing order.
class Nodes {
 public:
  Nodes(double a, double b, Rule rule, std::int64_t n)
      : a_(a), b_(b), h_((b - a) / static_cast<double>(n)), n_(n), kind_(rule.kind()) {
    if (!has_weights()) return;
    gauss_ = gauss_legendre_nodes(rule.points());
    for (double& node : gauss_.nodes) node = (1 + node) / 2;
  }

  bool has_weights() const { return kind_ == Rule::Kind::gauss_legendre; }
  /// Ends of intervals, which neighbours share.
  bool has_ends() const { return kind_ == Rule::Kind::trapezoid || kind_ == Rule::Kind::simpson; }
  bool has_odd_weights() const { return kind_ == Rule::Kind::simpson; }
  std::int64_t size() const { return has_weights() ? n_ * points() : n_ + (has_ends() ? 1 : 0); }

  /// Nodes [first, first + x.size()), and their weights if the rule has any.
  void fill(std::int64_t first, std::span<double> x, std::span<double> weights) const {
    if (has_weights()) return fill_weighted(first, x, weights);
    const double offset = has_ends() ? 0 : 0.5;
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::fma(static_cast<double>(first + static_cast<std::int64_t>(i)) + offset, h_, a_);
    const bool has_last = first + static_cast<std::int64_t>(x.size()) == size();
    if (has_ends() && has_last) x.back() = b_;
  }

 private:
  std::int64_t points() const { return static_cast<std::int64_t>(gauss_.nodes.size()); }

  void fill_weighted(std::int64_t first, std::span<double> x, std::span<double> weights) const {
    std::int64_t interval = first / points();
    auto point = static_cast<std::size_t>(first % points());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = std::fma(gauss_.nodes[point], h_, std::fma(static_cast<double>(interval), h_, a_));
      weights[i] = gauss_.weights[point];
      if (++point < gauss_.nodes.size()) continue;
      point = 0;
      ++interval;
    }
  }

  double a_, b_, h_;
  std::int64_t n_;
  Rule::Kind kind_;
  QuadratureNodes gauss_;
};

/// Exact sums of samples. Adding up those of any parts gives the same.
struct Sums {
  explicit Sums(const Nodes& nodes) : all(nodes.has_weights() ? Operation::dot : Operation::sum) {}

  Accumulator all;
  Accumulator odd{Operation::sum};   // of samples 1, 3, 5, ...
  Accumulator ends{Operation::sum};  // minus the first and the last sample
  std::int64_t non_finite = 0;

  void merge(const Sums& other) {
    all.merge(other.all);
    odd.merge(other.odd);
    ends.merge(other.ends);
    non_finite += other.non_finite;
  }
};

class Sampler {
 public:
  Sampler(const Integrand& f, const Nodes& nodes, const Context& context) : f_(f), nodes_(nodes) {
    context_ = {.threads = 1, .target = context.target};
  }

  /// Adds the samples [begin, end).
  void add(std::int64_t begin, std::int64_t end, Sums& sums) const {
    Block block;
    for (std::int64_t first = begin; first < end; first += block_size)
      add_block(first, std::min(block_size, end - first), block, sums);
  }

 private:
  struct Block {
    std::array<double, block_size> x = {}, y = {}, weights = {};
  };

  void add_block(std::int64_t first, std::int64_t n, Block& block, Sums& sums) const {
    auto& [x, y, weights] = block;
    const auto size = static_cast<std::size_t>(n);
    nodes_.fill(first, std::span(x).first(size), std::span(weights).first(size));
    f_(x.data(), y.data(), n);
    for (std::size_t i = 0; i < size; ++i) sums.non_finite += std::isfinite(y[i]) ? 0 : 1;

    const VectorView samples(y.data(), n);
    if (nodes_.has_weights())
      sums.all.add(samples, VectorView(weights.data(), n), context_);
    else
      sums.all.add(samples, context_);
    if (nodes_.has_odd_weights()) {
      const std::int64_t odd = first % 2 == 0 ? 1 : 0;
      if (odd < n) sums.odd.add(VectorView(y.data() + odd, (n - odd + 1) / 2, 2), context_);
    }
    if (nodes_.has_ends()) {
      if (first == 0) sums.ends.add(std::array{-y[0]}, context_);
      if (first + n == nodes_.size()) sums.ends.add(std::array{-y[size - 1]}, context_);
    }
  }

  Integrand f_;
  const Nodes& nodes_;
  Context context_;
};

Sums sample(const Integrand& f, const Nodes& nodes, const Context& context) {
  const std::int64_t size = nodes.size();
  // An integrand costs as much as reading 64 bytes, or more.
  const int threads = choose_threads("integrate", 64 * size, size, context);
  const std::int64_t part = std::clamp<std::int64_t>(size / (std::int64_t{8} * threads), 1, 64 * block_size);
  const Sampler sampler(f, nodes, context);
  Sums total(nodes);
  std::mutex mutex;
  run_parts((size + part - 1) / part, threads, [&](std::int64_t i) {
    Sums sums(nodes);
    sampler.add(i * part, std::min(size, (i + 1) * part), sums);
    const std::lock_guard lock(mutex);
    total.merge(sums);
  });
  return total;
}

}  // namespace

Integral apply_rule(const Integrand& f, double a, double b, Rule rule, std::int64_t n,
                    const Context& context) {
  validate_rule(a, b, rule, n);
  const Nodes nodes(a, b, rule, n);
  Sums sums = sample(f, nodes, context);
  std::int64_t divisor = n;
  switch (rule.kind()) {
    case Rule::Kind::midpoint:
      break;
    case Rule::Kind::trapezoid:  // 1 2 2 ... 2 1
      sums.all.merge(sums.all);
      sums.all.merge(sums.ends);
      divisor = 2 * n;
      break;
    case Rule::Kind::simpson:  // 1 4 2 4 ... 2 4 1
      sums.all.merge(sums.odd);
      sums.all.merge(sums.all);
      sums.all.merge(sums.ends);
      divisor = 3 * n;
      break;
    case Rule::Kind::gauss_legendre:  // its weights are those of an interval of length 2
      divisor = 2 * n;
      break;
  }
  return {quadrature::scaled(sums.all, a, b, divisor), nodes.size(), sums.non_finite};
}

}  // namespace foldline::detail
