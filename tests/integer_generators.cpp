#include <algorithm>

#include "integer_cases.hpp"

namespace integer_cases {

namespace {

using oracle::highest_of;
using oracle::lowest_of;
using oracle::word_of;

/// Any bits. A bool's byte is 0 half of the time, and else any.
std::uint64_t any_word(ElementType type, Random& random) {
  const std::uint64_t word = random.bits();
  return type == ElementType::boolean && random.coin() ? 0 : word;
}

/// Appends elements, as few as there can be, that add up to `rest`, or come as close as the type can.
void append_sum(mpz_class rest, ElementType type, Words& words) {
  const mpz_class& low = lowest_of(type);
  const mpz_class& high = highest_of(type);
  while (rest != 0) {
    const mpz_class value = rest < low ? low : rest > high ? high : rest;
    if (value == 0) return;  // an unsigned type cannot go down
    words.push_back(word_of(value, type));
    rest -= value;
  }
}

/// Random elements, followed by what makes their sum `wanted`, in random order.
Words with_sum(const mpz_class& wanted, ElementType type, std::int64_t size, Random& random) {
  Words words;
  words.reserve(static_cast<std::size_t>(size));
  mpz_class sum = 0;
  mpz_class value;  // here for its memory
  for (std::int64_t i = 0; i < size; ++i) {
    const std::uint64_t word = any_word(type, random);
    oracle::set_to_value_of(value, word, type);
    sum += value;
    if (!foldline::is_signed(type) && sum > wanted)
      sum -= value;  // not further away than the type can go back
    else
      words.push_back(word);
  }
  append_sum(wanted - sum, type, words);
  random.shuffle(words);
  return words;
}

/// The end of some integer type's range that `size` elements or so can reach, or next to it.
mpz_class near_a_limit(ElementType type, std::int64_t size, Random& random) {
  static const mpz_class zero = 0;
  const mpz_class least = lowest_of(type) * static_cast<long>(size);
  const mpz_class most = highest_of(type) * static_cast<long>(size);
  std::vector<const mpz_class*> limits = {&zero};
  for (const ElementType other : all_types)
    for (const mpz_class* limit : {&lowest_of(other), &highest_of(other)})
      if (*limit >= least && *limit <= most) limits.push_back(limit);
  return *random.pick(limits) + static_cast<long>(random.between(-2, 2));
}

/// Halfway between two numbers of some floating-point type, or next to it.
mpz_class near_a_tie(ElementType type, std::int64_t size, Random& random) {
  const mpz_class most = highest_of(type) * static_cast<long>(size);
  std::vector<mpz_class> ties = {1};
  for (const unsigned long precision : {8UL, 11UL, 24UL, 53UL}) {
    const mpz_class leading = (mpz_class(1) << precision) + static_cast<long>(random.between(0, 200)) * 2 + 1;
    const mpz_class tie = leading << static_cast<unsigned long>(random.between(0, 9));
    if (tie <= most) ties.push_back(tie);
  }
  const mpz_class tie = random.pick(ties) + static_cast<long>(random.one_in(3) ? random.between(-1, 1) : 0);
  return foldline::is_signed(type) && random.coin() ? mpz_class(-tie) : tie;
}

}  // namespace

Words generate(Generator generator, ElementType type, std::int64_t size, Random& random) {
  const mpz_class& low = lowest_of(type);
  const mpz_class& high = highest_of(type);
  Words words;
  const std::uint64_t low_word = word_of(low, type);
  const std::uint64_t high_word = word_of(high, type);
  const auto fill = [&](auto next) {
    words.reserve(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) words.push_back(next(i));
  };
  switch (generator) {
    case Generator::random_bits:
      fill([&](std::int64_t) { return any_word(type, random); });
      return words;
    case Generator::small: {
      const std::int64_t limit = random.between(1, 7);
      fill([&](std::int64_t) {
        const std::int64_t value = random.between(foldline::is_signed(type) ? -limit : 0, limit);
        return static_cast<std::uint64_t>(type == ElementType::boolean ? value % 2 : value);
      });
      return words;
    }
    case Generator::extremes: {
      Words values;
      for (const mpz_class& value : std::vector<mpz_class>{low, low, low + 1, high, high, high - 1, 0, -1, 1})
        values.push_back(word_of(value, type));
      fill([&](std::int64_t) { return random.pick(values); });
      return words;
    }
    case Generator::all_lowest:
      fill([&](std::int64_t) { return low_word; });
      return words;
    case Generator::all_highest:
      fill([&](std::int64_t) { return high_word; });
      return words;
    case Generator::alternating:
      fill([&](std::int64_t i) { return i % 2 == 0 ? low_word : high_word; });
      return words;
    case Generator::outlier:
      words.assign(static_cast<std::size_t>(size), 0);
      if (size > 0)
        words[static_cast<std::size_t>(random.between(0, size - 1))] = random.coin() ? low_word : high_word;
      return words;
    case Generator::cancelling:
      return with_sum(static_cast<long>(random.one_in(3) ? random.between(-1, 1) : 0), type, size, random);
    case Generator::near_a_limit:
      return with_sum(near_a_limit(type, size, random), type, size, random);
    case Generator::near_a_tie:
      return with_sum(near_a_tie(type, size, random), type, random.coin() ? size : 0, random);
  }
  return words;
}

}  // namespace integer_cases
