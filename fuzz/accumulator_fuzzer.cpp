// Any bytes as a serialised accumulator: a DataError, or a state that serialises to the same bytes and can be
// used.
#include <algorithm>

#include "foldline/foldline.hpp"
#include "require.hpp"

using namespace foldline;
using fuzz::require;

namespace {

/// What a program does with an accumulator that it was sent. Questions it cannot answer are refused, no more.
void use(Accumulator accumulator) {
  const double numbers[] = {1.5, -2.25, 1e300};
  const VectorView view(numbers, 3);
  try {
    const bool two =
        accumulator.operation() == Operation::dot || accumulator.operation() == Operation::weighted_mean;
    two ? accumulator.add(view, view) : accumulator.add(view);
    accumulator.merge(Accumulator(accumulator));
  } catch (const InvalidArgument&) {  // a count that would pass 2^63 - 1
  }
  for (const Operation operation : {accumulator.operation(), Operation::sum, Operation::variance}) {
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
    use(accumulator);
  } catch (const DataError&) {
  }
  return 0;
}
