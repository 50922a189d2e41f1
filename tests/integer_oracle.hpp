// What operations on integers must give, by GMP; shares no code with the library.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <span>

#include "foldline/accumulator.hpp"
#include "foldline/context.hpp"
#include "foldline/types.hpp"

namespace oracle {

using foldline::ElementType;
using foldline::Operation;
using foldline::Overflow;

/// What a call comes to.
struct Answer {
  enum class Kind : std::uint8_t { value, overflow, refused };
  Kind kind = Kind::refused;  ///< a result, an OverflowError, or an InvalidArgument
  std::uint64_t bits = 0;     ///< of a result: as it lies in memory

  friend bool operator==(const Answer&, const Answer&) = default;
};

/// Bits of a value: 1 for bool.
int bits_of_type(ElementType type);
/// The smallest and the largest value of an integer type.
const mpz_class& lowest_of(ElementType type);
const mpz_class& highest_of(ElementType type);
/// The number that an element of an integer type is; any byte but 0 is a true bool. The word's bits beyond
/// the element's do not matter.
mpz_class value_of(std::uint64_t word, ElementType type);
/// The same, in a number whose memory is used again.
void set_to_value_of(mpz_class& value, std::uint64_t word, ElementType type);
/// The bits, modulo 2^bits_of_type, of a number in memory.
std::uint64_t word_of(const mpz_class& value, ElementType type);

/// The exact totals of vectors of an integer type. One load, then any number of results.
class Integers {
 public:
  /// Elements as they lie in memory, each in a word; y is empty or as long as x, and then also the weights.
  void load(ElementType type, std::span<const std::uint64_t> x, std::span<const std::uint64_t> y = {});

  /// One operation, not statistics.
  Answer result(Operation operation, ElementType type, std::int64_t ddof, Overflow overflow) const;

  const mpz_class& sum() const { return sum_; }

 private:
  Answer floating_result(Operation operation, ElementType type, std::int64_t ddof) const;

  std::int64_t size_ = 0;
  mpz_class sum_, abs_sum_, squares_, dot_, weights_, minimum_, maximum_;
};

}  // namespace oracle
