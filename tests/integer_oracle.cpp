#include "integer_oracle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

#include "oracle.hpp"

namespace oracle {

namespace {

bool has_sign(ElementType type) {
  return type == ElementType::int8 || type == ElementType::int16 || type == ElementType::int32 ||
         type == ElementType::int64;
}

mpz_class power_of_two(int exponent) { return mpz_class(1) << static_cast<mp_bitcnt_t>(exponent); }

using Limits = std::pair<mpz_class, mpz_class>;

Limits make_limits(int bits, bool with_sign) {
  if (!with_sign) return {0, power_of_two(bits) - 1};
  return {-power_of_two(bits - 1), power_of_two(bits - 1) - 1};
}

/// Made once: they are asked for more often than anything is added.
const Limits& limits_of(ElementType type) {
  static const std::array<Limits, 5> without_sign = {make_limits(1, false), make_limits(8, false),
                                                     make_limits(16, false), make_limits(32, false),
                                                     make_limits(64, false)};
  static const std::array<Limits, 5> with_sign = {Limits(), make_limits(8, true), make_limits(16, true),
                                                  make_limits(32, true), make_limits(64, true)};
  const auto i =
      static_cast<std::size_t>(std::max(0, std::countr_zero(static_cast<unsigned>(bits_of_type(type))) - 2));
  return (has_sign(type) ? with_sign : without_sign)[i];
}

}  // namespace

int bits_of_type(ElementType type) {
  switch (type) {
    case ElementType::boolean:
      return 1;
    case ElementType::int8:
    case ElementType::uint8:
      return 8;
    case ElementType::int16:
    case ElementType::uint16:
      return 16;
    case ElementType::int32:
    case ElementType::uint32:
      return 32;
    case ElementType::int64:
    case ElementType::uint64:
      return 64;
    default:
      throw std::logic_error("the oracle of integers was asked about floating-point elements");
  }
}

const mpz_class& lowest_of(ElementType type) { return limits_of(type).first; }
const mpz_class& highest_of(ElementType type) { return limits_of(type).second; }

void set_to_value_of(mpz_class& value, std::uint64_t word, ElementType type) {
  if (type == ElementType::boolean) {
    value = (word & 0xff) != 0 ? 1 : 0;
    return;
  }
  const int unused = 64 - bits_of_type(type);
  const std::uint64_t top = word << unused;
  if (has_sign(type))
    value = static_cast<long>(static_cast<std::int64_t>(top) >> unused);
  else
    value = static_cast<unsigned long>(top >> unused);
}

mpz_class value_of(std::uint64_t word, ElementType type) {
  mpz_class value;
  set_to_value_of(value, word, type);
  return value;
}

std::uint64_t word_of(const mpz_class& value, ElementType type) {
  const std::uint64_t magnitude = value.get_ui();  // its lowest 64 bits
  const std::uint64_t word = sgn(value) < 0 ? 0 - magnitude : magnitude;
  const int bits = bits_of_type(type);
  return bits == 64 ? word : word & ((std::uint64_t{1} << bits) - 1);
}

void Integers::load(ElementType type, std::span<const std::uint64_t> x, std::span<const std::uint64_t> y) {
  size_ = static_cast<std::int64_t>(x.size());
  sum_ = abs_sum_ = squares_ = dot_ = weights_ = minimum_ = maximum_ = 0;
  mpz_class value, weight;  // once, for their memory
  for (std::size_t i = 0; i < x.size(); ++i) {
    set_to_value_of(value, x[i], type);
    sum_ += value;
    if (sgn(value) < 0)
      abs_sum_ -= value;
    else
      abs_sum_ += value;
    mpz_addmul(squares_.get_mpz_t(), value.get_mpz_t(), value.get_mpz_t());
    if (i == 0 || value < minimum_) minimum_ = value;
    if (i == 0 || value > maximum_) maximum_ = value;
    if (y.empty()) continue;
    set_to_value_of(weight, y[i], type);
    mpz_addmul(dot_.get_mpz_t(), value.get_mpz_t(), weight.get_mpz_t());
    weights_ += weight;
  }
}

Answer Integers::result(Operation operation, ElementType type, std::int64_t ddof, Overflow overflow) const {
  const bool extremum =
      operation == Operation::minimum || operation == Operation::maximum || operation == Operation::range;
  if (extremum && size_ == 0) return {};
  if (foldline::is_floating(type)) return floating_result(operation, type, ddof);
  mpz_class value;
  switch (operation) {
    case Operation::sum:
      value = sum_;
      break;
    case Operation::abs_sum:
      value = abs_sum_;
      break;
    case Operation::dot:
      value = dot_;
      break;
    case Operation::minimum:
      value = minimum_;
      break;
    case Operation::maximum:
      value = maximum_;
      break;
    case Operation::range:
      value = maximum_ - minimum_;
      break;
    default:
      return {};  // no whole number in general
  }
  if (overflow == Overflow::error && (value < lowest_of(type) || value > highest_of(type)))
    return {Answer::Kind::overflow, 0};
  return {Answer::Kind::value, word_of(value, type)};
}

Answer Integers::floating_result(Operation operation, ElementType type, std::int64_t ddof) const {
  const auto answer = [](std::uint64_t bits) { return Answer{Answer::Kind::value, bits}; };
  const auto rounded = [&](const mpz_class& value) {
    return answer(round(value < 0, value, 0, false, type));
  };
  const mpz_class n = static_cast<long>(size_);
  switch (operation) {
    case Operation::sum:
      return rounded(sum_);
    case Operation::abs_sum:
      return rounded(abs_sum_);
    case Operation::dot:
      return rounded(dot_);
    case Operation::minimum:
      return rounded(minimum_);
    case Operation::maximum:
      return rounded(maximum_);
    case Operation::range:
      return rounded(maximum_ - minimum_);
    case Operation::two_norm:
      return answer(round_root(squares_, 0, type));
    case Operation::root_mean_square:
      return answer(size_ == 0 ? canonical_nan(type) : round_root_of_quotient(squares_, n, 0, type));
    case Operation::mean:
      return answer(size_ == 0 ? canonical_nan(type) : round_quotient(sum_, n, 0, type));
    case Operation::variance:
    case Operation::standard_deviation:
    case Operation::standard_error: {
      if (size_ <= ddof) return answer(canonical_nan(type));
      const mpz_class numerator = n * squares_ - sum_ * sum_;
      const mpz_class denominator = n * (n - mpz_class(static_cast<long>(ddof)));
      if (operation == Operation::variance) return answer(round_quotient(numerator, denominator, 0, type));
      return answer(round_root_of_quotient(
          numerator, operation == Operation::standard_error ? mpz_class(denominator * n) : denominator, 0,
          type));
    }
    case Operation::weighted_mean:
      return answer(weights_ == 0 ? canonical_nan(type) : round_quotient(dot_, weights_, 0, type));
    case Operation::statistics:
      break;
  }
  throw std::logic_error("the oracle gives one result at a time");
}

}  // namespace oracle
