#include "segment_calls.hpp"

#include <algorithm>

namespace segment_cases {

using foldline::Overflow;
using integer_cases::pick;
using oracle::Answer;

Call random_call(Random& random) {
  Call call;
  call.type = pick(foldline::element_types, random);
  call.context = random.pick(cases::processors());
  call.operation = pick(oracle::one_vector_operations, random);
  if (foldline::is_floating(call.type))
    call.result = random.coin() ? call.type : pick(oracle::all_types, random);
  else
    call.result = integer_cases::random_result(call.operation, random);
  call.ddof = oracle::has_ddof(call.operation) ? random.between(0, 2) : 0;
  call.context.overflow = random.coin() ? Overflow::wrap : Overflow::error;
  call.context.execution.threads = random.one_in(16) ? static_cast<int>(random.between(2, 8)) : 1;
  return call;
}

Answer expected(const Call& call, std::span<const std::uint64_t> words) {
  const bool is_floating = foldline::is_floating(call.result);
  if (words.empty() && oracle::needs_elements(call.operation))
    return is_floating ? Answer{Answer::Kind::value, oracle::canonical_nan(call.result)}
                       : Answer{Answer::Kind::refused, 0};
  if (!foldline::is_floating(call.type)) {
    oracle::Integers integers;
    integers.load(call.type, words);
    return integers.result(call.operation, call.result, call.ddof, call.context.overflow);
  }
  thread_local oracle::BigIntegers big;
  std::vector<double> values(words.size());
  std::ranges::transform(words, values.begin(),
                         [&](std::uint64_t word) { return oracle::decode(word, call.type); });
  big.load(values);
  return {Answer::Kind::value, big.result(call.operation, call.result, call.ddof)};
}

Answer blank_of(ElementType type) {
  return {Answer::Kind::value, UINT64_MAX >> (64 - 8 * foldline::size_of(type))};
}

std::string describe(const Call& call, std::int64_t count, std::int64_t values, std::uint64_t seed,
                     const std::string& wrong) {
  if (wrong.empty()) return {};
  const integer_cases::Call like = {call.operation, call.result, call.ddof, integer_cases::Way::function,
                                    call.context};
  return integer_cases::describe(like) + ", " + std::to_string(count) + " results of " +
         std::to_string(values) + ' ' + std::string(name_of(call.type)) + ", seed " + std::to_string(seed) +
         ": " + wrong;
}

}  // namespace segment_cases
