#include "results/integer_results.hpp"

#include <string>

#include "foldline/error.hpp"
#include "results/integer_conversion.hpp"
#include "results/range.hpp"
#include "results/results.hpp"
#include "results/rounded_results.hpp"

namespace foldline {

namespace {

/// Room for the longest sum, of products, in units of 1.
using Number = Natural<160>;

template <class Sum>
TruncatedInteger integer_of_sum(const Sum& sum) {
  if (sum.is_compact()) {  // the usual form of a sum of integers
    Uint128 compact = 0;
    const auto [negative, exponent] = sum.compact_magnitude(compact);
    if (exponent == 0) return {negative, static_cast<std::uint64_t>(compact), compact >> 64 != 0, true};
  }
  Number magnitude;
  const auto [negative, exponent] = sum.magnitude(magnitude);
  return foldline::integer_of(negative, magnitude, exponent);
}

[[noreturn]] void refuse_result(const Moments& moments, Operation operation, ElementType type, bool finite,
                                bool is_integer) {
  const std::string what = std::string(name_of(operation)) + ": the result " +
                           exact_result(moments, operation, 0) + " does not fit " +
                           std::string(name_of(type));
  const std::string remedy = "ask for a floating-point type";
  if (finite && !is_integer) throw InvalidArgument(what + ": it is not a whole number; " + remedy);
  if (!finite) throw OverflowError(what, remedy, false);
  throw OverflowError(what,
                      remedy + (size_of(type) < 8 ? " or a wider one" : "") +
                          ", or with Overflow::wrap for the result modulo 2^" +
                          std::to_string(integer_format_of(type).bits),
                      true);
}

/// `finite`: whether the operation's sum or extremum is a number.
TruncatedInteger integer_of(const Moments& moments, Operation operation, bool& finite) {
  const auto of_sum = [&](const auto& sum) {
    finite = !sum.specials.any();
    return finite ? integer_of_sum(sum) : TruncatedInteger{};
  };
  switch (operation) {
    case Operation::sum:
      return of_sum(moments.values);
    case Operation::abs_sum:
      return of_sum(moments.magnitudes);
    case Operation::dot:
      return of_sum(moments.products);
    default: {
      TruncatedInteger value{};
      finite = integer_extremum(operation, {moments.min_key, moments.max_key, false}, value);
      return value;
    }
  }
}

}  // namespace

Scalar integer_result(const Moments& moments, Operation operation, ElementType type, Overflow overflow) {
  if (moments.count == 0 && needs_of(operation).extrema)
    throw InvalidArgument(std::string(name_of(operation)) + ": there is none of an empty vector, and " +
                          std::string(name_of(type)) + " has no NaN; ask for a floating-point type");
  bool finite = true;
  const TruncatedInteger value = integer_of(moments, operation, finite);
  const IntegerFormat format = integer_format_of(type);
  if (finite && value.is_integer && (overflow == Overflow::wrap || fits(value, format)))
    return Scalar::from_integer(wrapped(value, format), type);
  refuse_result(moments, operation, type, finite, value.is_integer);
}

}  // namespace foldline
