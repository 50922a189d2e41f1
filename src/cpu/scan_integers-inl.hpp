// The scan of one thread over integers, with integer results. Included once per instruction set, after
// cpu/tiles-inl.hpp.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

template <class T>
HWY_INLINE void GatherIntegersAs(const VectorView& view, std::int64_t start, std::size_t n,
                                 std::uint64_t* buffer) {
  const std::byte* source = view.at(start);
  const std::int64_t step = view.stride() * static_cast<std::int64_t>(sizeof(T));
  for (std::size_t i = 0; i < n; ++i, source += step) {
    T element;
    std::memcpy(&element, source, sizeof element);
    buffer[i] = static_cast<std::uint64_t>(element);
  }
}

/// Elements start .. start + n of a view of integers, extended to 64 bits.
inline void GatherIntegers(const VectorView& view, std::int64_t start, std::size_t n, std::uint64_t* buffer) {
  switch (view.type()) {
    case ElementType::int8:
      return GatherIntegersAs<std::int8_t>(view, start, n, buffer);
    case ElementType::int16:
      return GatherIntegersAs<std::int16_t>(view, start, n, buffer);
    case ElementType::int32:
      return GatherIntegersAs<std::int32_t>(view, start, n, buffer);
    case ElementType::uint8:
      return GatherIntegersAs<std::uint8_t>(view, start, n, buffer);
    case ElementType::uint16:
      return GatherIntegersAs<std::uint16_t>(view, start, n, buffer);
    case ElementType::uint32:
      return GatherIntegersAs<std::uint32_t>(view, start, n, buffer);
    case ElementType::boolean:
      GatherIntegersAs<std::uint8_t>(view, start, n, buffer);
      for (std::size_t i = 0; i < n; ++i) buffer[i] = buffer[i] != 0 ? 1 : 0;
      return;
    default:
      return GatherIntegersAs<std::uint64_t>(view, start, n, buffer);
  }
}

/// Integers as doubles, followed by zeros up to a multiple of group; false if one of them is no double.
inline bool ToDoubles(const std::uint64_t* x, std::size_t n, bool is_signed, double* doubles) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 53;
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t above_lowest = x[i] + (is_signed ? limit : 0);
    beyond |= above_lowest > (is_signed ? 2 * limit : limit) ? 1 : 0;
    doubles[i] = static_cast<double>(static_cast<std::int64_t>(x[i]));
  }
  for (; n % group != 0; ++n) doubles[n] = 0;
  return beyond == 0;
}

/// The numbers that an integer type holds.
struct IntegerRange {
  Int128 lowest, highest;

  explicit IntegerRange(ElementType type) {
    const int bits = type == ElementType::boolean ? 1 : 8 * static_cast<int>(size_of(type));
    lowest = is_signed(type) ? -(Int128{1} << (bits - 1)) : 0;
    highest = (Int128{1} << (is_signed(type) ? bits - 1 : bits)) - 1;
  }
  bool Holds(Int128 value) const { return lowest <= value && value <= highest; }
};

/// Scans integers; results are integers.
class IntegerScanner {
 public:
  IntegerScanner(const Scan& scan, ScanState& state)
      : scan_(scan), state_(state), checked_(scan.overflow == Overflow::error), range_(scan.out.type()) {
    // Of a sum that 126 bits do not hold, only what wraps matters: what memory holds does not bring it back.
    sum_ = static_cast<Uint128>(static_cast<std::uint64_t>(state.prefix.floor_of_quotient(0)));
    sum_ |= static_cast<Uint128>(static_cast<std::uint64_t>(state.prefix.floor_of_quotient(64))) << 64;
    is_too_large_ = state.prefix.bound() > 126;
  }

  /// Scans elements [first, first + count), which come after those in the state, and adds them to it. Returns
  /// the first result that does not fit, if that is an error, else no_result.
  std::int64_t Run(std::int64_t first, std::int64_t count) {
    if (checked_ && is_too_large_) return first;
    const Uint128 before = sum_;
    std::int64_t overflow = no_result;
    std::uint64_t buffer[tile];
    for (std::int64_t i = first; i < first + count && overflow == no_result;) {
      const std::size_t n = HWY_MIN(static_cast<std::size_t>(first + count - i), tile);
      GatherIntegers(scan_.x, i, n, buffer);
      const std::size_t good = ScanTile(buffer, n);
      if (good < n) overflow = i + static_cast<std::int64_t>(good);
      Emit(buffer, i, n);
      i += static_cast<std::int64_t>(n);
    }
    state_.add_integer(static_cast<Int128>(sum_ - before));
    return overflow;
  }

 private:
  static constexpr std::size_t tile = 1024;

  /// Puts prefix sums modulo 2^64 in the place of n elements; returns how many of the first ones fit.
  std::size_t ScanTile(std::uint64_t* x, std::size_t n) {
    const bool elements_have_signs = is_signed(scan_.x.type());
    std::size_t good = n;
    for (std::size_t i = 0; i < n; ++i) {
      const Uint128 before = sum_;
      sum_ += elements_have_signs ? static_cast<Uint128>(Int128{static_cast<std::int64_t>(x[i])}) : x[i];
      const Uint128 result = scan_.exclusive ? before : sum_;
      if (checked_ && good == n && !range_.Holds(static_cast<Int128>(result))) good = i;
      x[i] = static_cast<std::uint64_t>(result);
    }
    return good;
  }

  template <class Out>
  HWY_INLINE void EmitAs(const std::uint64_t* results, std::int64_t first, std::size_t n) const {
    std::byte* target = scan_.out.at(first);
    const std::int64_t step = scan_.out.stride() * static_cast<std::int64_t>(sizeof(Out));
    for (std::size_t i = 0; i < n; ++i, target += step) {
      const auto result = static_cast<Out>(results[i]);
      std::memcpy(target, &result, sizeof result);
    }
  }

  /// Writes the results of elements [first, first + n) where they belong, modulo the size of their type.
  void Emit(std::uint64_t* results, std::int64_t first, std::size_t n) const {
    if (scan_.out.type() == ElementType::boolean)
      for (std::size_t i = 0; i < n; ++i) results[i] &= 1;
    switch (size_of(scan_.out.type())) {
      case 1:
        return EmitAs<std::uint8_t>(results, first, n);
      case 2:
        return EmitAs<std::uint16_t>(results, first, n);
      case 4:
        return EmitAs<std::uint32_t>(results, first, n);
      default:
        return EmitAs<std::uint64_t>(results, first, n);
    }
  }

  const Scan& scan_;
  ScanState& state_;
  const bool checked_;
  bool is_too_large_ = false;
  const IntegerRange range_;
  Uint128 sum_ = 0;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
