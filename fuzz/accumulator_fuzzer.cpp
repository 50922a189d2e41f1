// Any bytes as a serialised accumulator: a DataError, or a state that serialises to the same bytes and can be
// used.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "foldline/foldline.hpp"
#include "require.hpp"

using namespace foldline;
using fuzz::require;

namespace {

bool takes_two(Operation operation) {
  return operation == Operation::dot || operation == Operation::weighted_mean;
}

/// Integer results of what it is, refused if they are not whole or do not fit; modulo 2^bits if they are
/// whole.
void ask_for_integers(const Accumulator& accumulator) {
  const Operation own = accumulator.operation();
  const Operation asked = own == Operation::statistics ? Operation::maximum : own;
  for (const ElementType type :
       {ElementType::int8, ElementType::int64, ElementType::uint64, ElementType::boolean}) {
    std::optional<Scalar> exact;
    try {
      exact = accumulator.rounded(asked, type);
    } catch (const OverflowError&) {
    } catch (const InvalidArgument&) {
      continue;
    }
    try {
      const Scalar wrapped = accumulator.rounded(asked, type, 0, Overflow::wrap);
      require(!exact || wrapped == *exact, "a result that fits does not wrap");
    } catch (const OverflowError&) {
      require(!exact, "a result that fits is finite");
    }
  }
}

/// What a program does with an accumulator that it was sent. Questions it cannot answer are refused, no more.
void use(Accumulator accumulator) {
  const double numbers[] = {1.5, -2.25, 1e300};
  const std::uint64_t integers[] = {UINT64_MAX, 1};
  try {
    for (const VectorView& view : {VectorView(numbers, 3), VectorView(integers, 2)})
      takes_two(accumulator.operation()) ? accumulator.add(view, view) : accumulator.add(view);
    accumulator.merge(Accumulator(accumulator));
  } catch (const InvalidArgument&) {  // a count that would pass 2^63 - 1
  }
  for (const Operation operation : {accumulator.operation(), Operation::sum, Operation::variance,
                                    Operation::standard_error, Operation::range}) {
    try {
      (void)accumulator.result<double>(operation);
      (void)accumulator.result<float>(operation, 1);
      (void)accumulator.exact(operation);
    } catch (const InvalidArgument&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const Accumulator accumulator = Accumulator::deserialise(bytes);
    require(std::ranges::equal(accumulator.serialise(), bytes), "the same bytes again");
    ask_for_integers(accumulator);
    use(accumulator);
  } catch (const DataError&) {
  }
  return 0;
}
