// Random reductions of integers along an axis.
#include <algorithm>
#include <exception>

#include "axes_cases.hpp"
#include "integer_cases.hpp"

namespace integer_cases {

namespace {

using axes_cases::Extents;
using axes_cases::Memory;

Extents random_shape(Random& random) {
  Extents shape(static_cast<std::size_t>(random.one_in(4) ? random.between(1, 4) : 2));
  std::int64_t room = random.log_uniform(2048);
  for (std::int64_t& extent : shape) {
    extent =
        std::max<std::int64_t>(random.one_in(32) ? 0 : 1, random.log_uniform(room) - random.between(0, 1));
    room = std::max<std::int64_t>(1, room / std::max<std::int64_t>(extent, 1));
  }
  random.shuffle(shape);
  return shape;
}

/// Compares the results of a call that succeeded, and blanks them.
std::string compare(const Memory& array, std::size_t axis, const Call& call, Memory& results,
                    bool overflowed) {
  bool overflow_expected = false;
  oracle::Integers oracle;
  Words words;
  const Extents shape = results.view().shape().to_vector();
  Extents index(shape.size(), 0);
  do {
    array.get_line(axis, index, words);
    oracle.load(array.view().type(), words);
    const Answer expected = oracle.result(call.operation, call.result, call.ddof, call.context.overflow);
    overflow_expected = overflow_expected || expected.kind == Answer::Kind::overflow;
    if (overflowed) continue;
    const Answer actual = {Answer::Kind::value, results.bits(index)};
    if (actual != expected) return "a result is " + describe(actual) + ", must be " + describe(expected);
    results.set_bits(index, UINT64_MAX);
  } while (axes_cases::advance(index, shape));
  if (overflowed) return overflow_expected ? "" : "there was an OverflowError";
  return results.is_blank() ? "" : "something was written around the results";
}

}  // namespace

std::string check_random_axis(std::uint64_t seed) {
  Random random(seed);
  const ElementType type = pick(all_types, random);
  const Extents shape = random_shape(random);
  const auto axis = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.size()) - 1));
  Extents rest = shape;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
  Memory array(axes_cases::random_placement(shape, false, random), type);
  const Generator generator = pick(all_generators, random);
  if (array.view().size() > 0) {
    Extents index(rest.size(), 0);
    do {
      Words words =
          generate(random.one_in(8) ? pick(all_generators, random) : generator, type, shape[axis], random);
      words.resize(static_cast<std::size_t>(shape[axis]));
      array.set_line(axis, index, words);
    } while (axes_cases::advance(index, rest));
  }
  Call call;
  call.context = random.pick(cases::processors());
  call.operation = shape[axis] == 0 ? Operation::sum : pick(oracle::one_vector_operations, random);
  call.result = random_result(call.operation, random);
  call.ddof = oracle::has_ddof(call.operation) ? random.between(0, 2) : 0;
  call.context.execution.threads = random.one_in(16) ? static_cast<int>(random.between(2, 8)) : 1;
  call.context.overflow = random.coin() ? Overflow::wrap : Overflow::error;
  Memory results(axes_cases::random_placement(rest, true, random), call.result);
  std::string wrong;
  bool overflowed = false;
  try {
    array.reduce(call.operation, static_cast<std::int64_t>(axis), results, call.ddof, call.context);
  } catch (const foldline::OverflowError&) {
    overflowed = true;
  } catch (const std::exception& error) {
    wrong = std::string("exception: ") + error.what();
  }
  if (wrong.empty() && results.view().size() > 0) wrong = compare(array, axis, call, results, overflowed);
  if (wrong.empty()) return {};
  return describe(call) + ", of " + std::string(name_of(type)) + " along axis " + std::to_string(axis) +
         ", seed " + std::to_string(seed) + ": " + wrong;
}

}  // namespace integer_cases
