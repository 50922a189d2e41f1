// Composite rules: blocks of nodes on all threads, exact sums of the samples, one rounding.
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <span>
#include <string>

#include "foldline/accumulator.hpp"
#include "foldline/detail/parallel.hpp"
#include "foldline/detail/rule.hpp"
#include "foldline/quadrature.hpp"
#include "quadrature/scaled_sum.hpp"

namespace foldline::detail {

namespace {

constexpr std::int64_t block_size = 1024;  // nodes, samples and weights: 24 KiB, in L1
constexpr std::int64_t max_samples = std::int64_t{1} << 50;

[[noreturn]] void refuse_rule(const std::string& problem) { throw InvalidArgument("integrate: " + problem); }

void require_cpu(const Context& context) {
  if (context.execution.device.kind != Device::Kind::cpu)
    refuse_rule("this function runs on the CPU, but was asked for on " + name_of(context.execution.device) +
                "; one that nvcc compiles can run there, by foldline/cuda/quadrature.cuh");
}

/// The nodes of the whole rule: sample s in increasing order.
class Nodes {
 public:
  Nodes(double a, double b, Rule rule, std::int64_t n)
      : a_(a), b_(b), h_((b - a) / static_cast<double>(n)), n_(n), rule_(rule) {
    if (has_weights()) gauss_ = points_of_interval(rule);
  }

  Rule rule() const { return rule_; }
  bool has_weights() const { return detail::has_weights(rule_); }
  bool has_ends() const { return detail::has_ends(rule_); }
  bool has_odd_weights() const { return rule_.kind() == Rule::Kind::simpson; }
  std::int64_t size() const { return sample_count(rule_, n_); }

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
  std::int64_t points() const { return rule_.points(); }

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
  Rule rule_;
  QuadratureNodes gauss_;
};

class Sampler {
 public:
  Sampler(const Integrand& f, const Nodes& nodes, const Context& context) : f_(f), nodes_(nodes) {
    context_ = {.execution = {.threads = 1, .target = context.execution.target}};
  }

  /// Adds the samples [begin, end).
  void add(std::int64_t begin, std::int64_t end, RuleSums& sums) const {
    Block block;
    for (std::int64_t first = begin; first < end; first += block_size)
      add_block(first, std::min(block_size, end - first), block, sums);
  }

 private:
  struct Block {
    std::array<double, block_size> x = {}, y = {}, weights = {};
  };

  void add_block(std::int64_t first, std::int64_t n, Block& block, RuleSums& sums) const {
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

RuleSums sample(const Integrand& f, const Nodes& nodes, const Context& context) {
  const std::int64_t size = nodes.size();
  // An integrand costs as much as reading 64 bytes, or more.
  const int threads = choose_threads("integrate", 64 * size, size, context.execution);
  const std::int64_t part = std::clamp<std::int64_t>(size / (std::int64_t{8} * threads), 1, 64 * block_size);
  const Sampler sampler(f, nodes, context);
  RuleSums total(nodes.rule());
  std::mutex mutex;
  run_parts((size + part - 1) / part, threads, [&](std::int64_t i) {
    RuleSums sums(nodes.rule());
    sampler.add(i * part, std::min(size, (i + 1) * part), sums);
    const std::lock_guard lock(mutex);
    total.merge(sums);
  });
  return total;
}

}  // namespace

void require_rule(double a, double b, Rule rule, std::int64_t n) {
  if (!std::isfinite(a) || !std::isfinite(b))
    refuse_rule("a rule needs finite ends; integrate_to takes infinite ones");
  if (!std::isfinite(b - a)) refuse_rule("b - a is more than a double holds");
  if (n < 1) refuse_rule(std::to_string(n) + " intervals; use 1 or more");
  if (rule.kind() == Rule::Kind::simpson && n % 2 != 0)
    refuse_rule("Simpson's rule takes intervals in pairs; use " + std::to_string(n + 1) + " instead of " +
                std::to_string(n));
  if (rule.points() < 1) refuse_rule(std::to_string(rule.points()) + " points; use 1 or more");
  if (n > max_samples / rule.points()) refuse_rule("more than 2^50 samples; use fewer intervals");
}

Integral integral_of(RuleSums sums, double a, double b, Rule rule, std::int64_t n) {
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
  return {quadrature::scaled(sums.all, a, b, divisor), sample_count(rule, n), sums.non_finite};
}

Integral apply_rule(const Integrand& f, double a, double b, Rule rule, std::int64_t n,
                    const Context& context) {
  require_cpu(context);
  require_rule(a, b, rule, n);
  return integral_of(sample(f, Nodes(a, b, rule, n), context), a, b, rule, n);
}

}  // namespace foldline::detail
