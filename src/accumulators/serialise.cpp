// The stored form of an accumulator. All integers little-endian:
//
//     bytes 0-3   "FLDA"
//           4-5   version, 2
//           6     operation (the numbers below, not those of the enum)
//           7     1 if every element so far was -0, else 0
//           8-15  count of elements
//     then, for each of values, magnitudes, products that the operation needs, in that order:
//           3 x 8 counts of NaN, +inf and -inf terms
//           70 x 8 (values, magnitudes) or 136 x 8 (products) words, carried: all in [0, 2^32) but the last,
//           in [-2^31, 2^31)
//     then, if it needs extrema: 2 x 16 wide keys (order_key.hpp) of the smallest and the largest element
//
// One value has one form: nothing is padded, nothing optional. So equal states are equal bytes.
#include <algorithm>
#include <array>
#include <string>

#include "accumulators/accumulator_state.hpp"
#include "arithmetic/rounding.hpp"
#include "foldline/error.hpp"

namespace foldline {

namespace {

constexpr std::array<unsigned char, 4> magic = {'F', 'L', 'D', 'A'};
constexpr std::uint64_t version = 2;

class Writer {
 public:
  void put(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void put(std::int64_t value) { put(static_cast<std::uint64_t>(value), 8); }
  void put_key(WideKey key) {
    put(static_cast<std::uint64_t>(key), 8);
    put(static_cast<std::uint64_t>(key >> 64), 8);
  }
  template <class Sum>
  void put(Sum sum) {  // a copy, since propagating carries changes the words
    put(sum.specials.nan);
    put(sum.specials.positive_infinity);
    put(sum.specials.negative_infinity);
    auto& limbs = sum.limbs();
    limbs.normalise();
    for (int i = 0; i < Sum::Limbs::count; ++i) put(limbs.words()[i]);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

[[noreturn]] void refuse_bytes(const std::string& why) {
  throw DataError("serialised accumulator: " + why + "; it is damaged, or was not made by foldline");
}

/// Whether the key is that of a double or a 64-bit integer: whether converting it gives the key back.
bool is_key(WideKey key) {
  const WideKey magnitude = key < 0 ? ~key : key;
  if (magnitude == 0 || magnitude == wide_infinity || magnitude == wide_infinity + 1) return true;
  if (magnitude > wide_infinity) return false;
  const auto [negative, significand, exponent] = from_wide_key(key);
  if (significand == 0) return false;
  if (wide_key(round(negative, {significand, exponent, false}, format_of_double)) == key) return true;
  if (exponent < -63 || exponent > 0) return false;
  const std::uint64_t integer = significand >> -exponent;
  return (negative ? wide_key(static_cast<std::int64_t>(~integer + 1)) : wide_key(integer)) == key;
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::uint64_t get(std::size_t bytes) {
    if (rest_.size() < bytes) refuse_bytes("it ends too early");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(rest_[i]) << (8 * i);
    rest_ = rest_.subspan(bytes);
    return value;
  }
  std::int64_t get() { return static_cast<std::int64_t>(get(8)); }
  WideKey get_key() {
    const std::uint64_t low = get(8);
    return static_cast<WideKey>(static_cast<Uint128>(get(8)) << 64 | low);
  }
  std::int64_t get_count(std::int64_t limit) {
    const std::int64_t value = get();
    if (value < 0 || value > limit) refuse_bytes("a counter is out of range");
    return value;
  }
  /// `signed_terms`: a sum of magnitudes or squares can't be negative.
  template <class Sum>
  void get(Sum& sum, std::int64_t count, bool signed_terms, bool only_zeros) {
    std::int64_t limit = count;
    for (std::int64_t* counter :
         {&sum.specials.nan, &sum.specials.positive_infinity, &sum.specials.negative_infinity})
      limit -= * counter = get_count(limit);
    if (!signed_terms && sum.specials.negative_infinity != 0)
      refuse_bytes("a sum without negative terms counts a -inf");
    auto& limbs = sum.limbs();
    bool zero = true;
    for (int i = 0; i < Sum::Limbs::count; ++i) {
      limbs.words()[i] = get();
      zero = zero && limbs.words()[i] == 0;
    }
    if (!limbs.is_normalised()) refuse_bytes("a word is out of range");
    if (!signed_terms && limbs.words()[Sum::Limbs::count - 1] < 0)
      refuse_bytes("a sum of magnitudes is negative");
    if (only_zeros && (!zero || sum.specials.any()))
      refuse_bytes("a sum of zeros, or of nothing, is not zero");
  }
  bool done() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace

std::vector<std::byte> Accumulator::serialise() const {
  const Moments& moments = state_->moments;
  const Needs needs = needs_of(operation());
  Writer writer;
  for (const unsigned char c : magic) writer.put(c, 1);
  writer.put(version, 2);
  writer.put(static_cast<std::uint64_t>(operation()), 1);
  writer.put(moments.only_negative_zeros ? 1 : 0, 1);
  writer.put(moments.count);
  if (needs.values) writer.put(moments.values);
  if (needs.magnitudes) writer.put(moments.magnitudes);
  if (needs.squares || needs.products) writer.put(moments.products);
  if (needs.extrema) {
    writer.put_key(moments.min_key);
    writer.put_key(moments.max_key);
  }
  return writer.take();
}

Accumulator Accumulator::deserialise(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  for (const unsigned char c : magic)
    if (reader.get(1) != c) refuse_bytes("it does not begin with 'FLDA'");
  if (const std::uint64_t found = reader.get(2); found != version)
    throw DataError("serialised accumulator: version " + std::to_string(found) +
                    " is unknown; this foldline reads version " + std::to_string(version));
  const std::uint64_t stored = reader.get(1);
  if (stored >= operation_table.size()) refuse_bytes("operation " + std::to_string(stored) + " is unknown");
  auto state = std::make_unique<State>(State{static_cast<Operation>(stored), {}});
  Moments& moments = state->moments;
  const Needs needs = needs_of(state->operation);
  const std::uint64_t flag = reader.get(1);
  if (flag > 1) refuse_bytes("a flag is neither 0 nor 1");
  moments.only_negative_zeros = flag == 1;
  moments.count = reader.get_count(INT64_MAX);
  if (moments.count == 0 && flag == 0) refuse_bytes("it says of no elements that one was not -0");
  // The flag is about x: weights, and products with them, may be anything.
  const bool only_zeros = moments.count == 0 || (flag == 1 && !takes_two_vectors(state->operation));
  if (needs.values) reader.get(moments.values, moments.count, true, only_zeros);
  if (needs.magnitudes) reader.get(moments.magnitudes, moments.count, false, only_zeros);
  if (needs.squares || needs.products)
    reader.get(moments.products, moments.count, needs.products, only_zeros);
  if (needs.extrema) {
    moments.min_key = reader.get_key();
    moments.max_key = reader.get_key();
    const bool none = moments.min_key == above_all && moments.max_key == below_all;
    if (moments.count == 0 ? !none : moments.min_key > moments.max_key)
      refuse_bytes("its extrema contradict its count");
    if (moments.count != 0 && !(is_key(moments.min_key) && is_key(moments.max_key)))
      refuse_bytes("an extremum is no number");
  }
  if (!reader.done()) refuse_bytes("there are bytes after its end");
  return Accumulator(std::move(state));
}

}  // namespace foldline
