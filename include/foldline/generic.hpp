/// @file
/// Reductions and scans with the user's own element type and operator, on several threads. Names and
/// arguments are those of `<numeric>`; unlike there, results do not depend on the number of threads, operands
/// keep their order, and exceptions reach the caller.
///
///     using foldline::generic::reduce;
///     const std::string all = reduce(words, std::string(), std::plus<>());
///
/// op is associative: (a op b) op c is a op (b op c). It need not be commutative. Where that holds only up to
/// rounding, as for sums of doubles, the result is the same one for any number of threads all the same: the
/// order of combinations depends on the number of elements only (detail/blocks.hpp shows it). For exact sums
/// use foldline::sum.
///
/// T is the type of init or, for scans, of out's elements; elements of other types are converted to it. op is
/// called as op(a, b), where a and b are T&& or const T&, and returns something that converts to T. op and f
/// are called by several threads at the same time. Of the Execution only `threads` is for them; 0 threads
/// means as many as are worth it if op and f take nanoseconds: give a number if they take longer.
///
/// If f or op throws, the call throws the same: of several exceptions the one from the foremost block. An
/// output is then unspecified. A negative size, sizes that differ and a number of threads that makes no sense
/// throw InvalidArgument, before any work begins.
///
/// O(n) calls of op; reduce: n calls. Scans: 2n calls, because a block begins before the total before it is
/// known. Memory: reduce, two T for each block, of which there are at most 2^16; scans, some 20 T for each
/// thread.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "foldline/context.hpp"
#include "foldline/detail/block_scan.hpp"
#include "foldline/detail/blocks.hpp"
#include "foldline/detail/parallel.hpp"
#include "foldline/error.hpp"

namespace foldline::detail {

inline void require_size(std::string_view caller, std::int64_t n) {
  if (n < 0)
    throw InvalidArgument(std::string(caller) + ": " + std::to_string(n) + " elements; use 0 or more");
}

inline void require_same_size(std::string_view caller, std::size_t x, std::size_t out) {
  if (x != out)
    throw InvalidArgument(std::string(caller) + ": " + std::to_string(x) + " elements in, " +
                          std::to_string(out) + " out; give the output the size of the input");
}

template <class T>
int threads_for(std::string_view caller, std::int64_t n, const Execution& execution) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  return choose_threads(caller, std::min(n, std::numeric_limits<std::int64_t>::max() / size) * size, n,
                        execution);
}

/// Element i of a range as f(i).
template <class Range>
auto element_of(Range& x) {
  return [begin = std::ranges::begin(x)](std::int64_t i) -> decltype(auto) {
    return begin[static_cast<std::ranges::range_difference_t<Range>>(i)];
  };
}

template <ScanKind kind, class T, class Op, class F>
void scan(std::string_view caller, std::span<T> out, std::optional<T> init, Op& op, F& f,
          const Execution& execution) {
  const int threads = threads_for<T>(caller, static_cast<std::int64_t>(out.size()), execution);
  scan_blocks<kind>(out, std::move(init), op, f, threads);
}

}  // namespace foldline::detail

namespace foldline::generic {

/// What can be a range of elements: element i is at begin + i, and the size is known.
template <class Range, class T>
concept ElementsOf = std::ranges::random_access_range<Range> && std::ranges::sized_range<Range> &&
                     std::convertible_to<std::ranges::range_reference_t<Range>, T>;

/// f(i) is element i.
template <class F, class T>
concept GeneratorOf =
    std::invocable<F&, std::int64_t> && std::convertible_to<std::invoke_result_t<F&, std::int64_t>, T>;

/// op(a, b) combines two neighbours.
template <class Op, class T>
concept OperatorOn = std::invocable<Op&, T, T> && std::convertible_to<std::invoke_result_t<Op&, T, T>, T>;

/// Memory that scans write to.
template <class Range>
concept Output = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
                 std::copyable<std::ranges::range_value_t<Range>> &&
                 std::indirectly_writable<std::ranges::iterator_t<Range>, std::ranges::range_value_t<Range>>;

/// init op f(0) op f(1) op ... op f(n - 1); init if n is 0. T may be movable only, and need not be
/// default-constructible.
template <std::movable T, OperatorOn<T> Op, GeneratorOf<T> F>
[[nodiscard]] T transform_reduce(std::int64_t n, T init, Op op, F f, const Execution& execution = {}) {
  detail::require_size("transform_reduce", n);
  const int threads = detail::threads_for<T>("transform_reduce", n, execution);
  return detail::reduce_blocks<T>(n, std::move(init), op, f, threads);
}

/// init op x[0] op x[1] op ... ; init if x is empty.
template <class Range, std::movable T, OperatorOn<T> Op>
  requires ElementsOf<Range, T>
[[nodiscard]] T reduce(Range&& x, T init, Op op, const Execution& execution = {}) {
  const auto n = static_cast<std::int64_t>(std::ranges::size(x));
  auto f = detail::element_of(x);
  return detail::reduce_blocks<T>(n, std::move(init), op, f, detail::threads_for<T>("reduce", n, execution));
}

/// out[i] = f(0) op ... op f(i). f is called once for each element. The last element is what transform_reduce
/// gives if init is op's identity, bit for bit.
template <Output Out, OperatorOn<std::ranges::range_value_t<Out>> Op,
          GeneratorOf<std::ranges::range_value_t<Out>> F>
void transform_inclusive_scan(Out&& out, Op op, F f, const Execution& execution = {}) {
  detail::scan<detail::ScanKind::inclusive>("transform_inclusive_scan", std::span(out), {}, op, f, execution);
}

/// out[i] = init op f(0) op ... op f(i - 1), and out[0] = init.
template <Output Out, OperatorOn<std::ranges::range_value_t<Out>> Op,
          GeneratorOf<std::ranges::range_value_t<Out>> F>
void transform_exclusive_scan(Out&& out, std::ranges::range_value_t<Out> init, Op op, F f,
                              const Execution& execution = {}) {
  detail::scan<detail::ScanKind::exclusive>("transform_exclusive_scan", std::span(out),
                                            std::optional(std::move(init)), op, f, execution);
}

/// out[i] = x[0] op ... op x[i]. out has the size of x and may be x itself, but not overlap it otherwise.
template <class Range, Output Out, OperatorOn<std::ranges::range_value_t<Out>> Op>
  requires ElementsOf<Range, std::ranges::range_value_t<Out>>
void inclusive_scan(Range&& x, Out&& out, Op op, const Execution& execution = {}) {
  detail::require_same_size("inclusive_scan", std::ranges::size(x), std::ranges::size(out));
  auto f = detail::element_of(x);
  detail::scan<detail::ScanKind::inclusive>("inclusive_scan", std::span(out), {}, op, f, execution);
}

/// out[i] = init op x[0] op ... op x[i - 1], and out[0] = init. out has the size of x and may be x itself,
/// but not overlap it otherwise.
template <class Range, Output Out, OperatorOn<std::ranges::range_value_t<Out>> Op>
  requires ElementsOf<Range, std::ranges::range_value_t<Out>>
void exclusive_scan(Range&& x, Out&& out, std::ranges::range_value_t<Out> init, Op op,
                    const Execution& execution = {}) {
  detail::require_same_size("exclusive_scan", std::ranges::size(x), std::ranges::size(out));
  auto f = detail::element_of(x);
  detail::scan<detail::ScanKind::exclusive>("exclusive_scan", std::span(out), std::optional(std::move(init)),
                                            op, f, execution);
}

}  // namespace foldline::generic
