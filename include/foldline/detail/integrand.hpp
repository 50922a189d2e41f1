/// @file
/// A function of one variable as the compiled part of the quadrature sees it: called for blocks of nodes, so
/// that the user's code is inlined into a loop.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace foldline {

/// A function that is asked for many values at once: f(x, y) sets y[i] for each x[i], in any order.
template <class F>
concept BlockIntegrand = requires(const F& f, std::span<const double> x, std::span<double> y) { f(x, y); };

/// What can be integrated: called with a double, it gives a number; or a BlockIntegrand.
template <class F>
concept IntegrandFunction = BlockIntegrand<F> || requires(const F& f, double x) {
  { f(x) } -> std::convertible_to<double>;
};

namespace detail {

/// y[i] = f(x[i]) for i in [0, n).
struct Integrand {
  const void* function;
  void (*evaluate)(const void* function, const double* x, double* y, std::int64_t n);

  void operator()(const double* x, double* y, std::int64_t n) const { evaluate(function, x, y, n); }
};

/// Refers to f, which must outlive it.
template <IntegrandFunction F>
Integrand integrand_of(const F& f) {
  const auto evaluate = [](const void* function, const double* x, double* y, std::int64_t n) {
    const F& inlined = *static_cast<const F*>(function);
    if constexpr (BlockIntegrand<F>)
      inlined(std::span(x, static_cast<std::size_t>(n)), std::span(y, static_cast<std::size_t>(n)));
    else
      for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<double>(inlined(x[i]));
  };
  return {&f, evaluate};
}

}  // namespace detail
}  // namespace foldline
