// The scan of one thread over integers, with integer results. Included once per instruction set, after
// cpu/scan_lanes-inl.hpp and cpu/gather-inl.hpp.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

template <class T>
HWY_INLINE void GatherIntegersAs(const VectorView& view, std::int64_t start, std::size_t n,
                                 std::uint64_t* buffer) {
  const std::byte* source = view.at(start);
  const std::int64_t step = view.stride() * static_cast<std::int64_t>(sizeof(T));
  const auto gather = [=](auto distance) FOLDLINE_LAMBDA {
    for (std::size_t i = 0; i < n; ++i) {
      T element;
      std::memcpy(&element, source + static_cast<std::int64_t>(i) * distance, sizeof element);
      buffer[i] = static_cast<std::uint64_t>(element);
    }
  };
  if (step == sizeof(T))
    gather(std::integral_constant<std::int64_t, sizeof(T)>());  // compilers make vectors of it
  else
    gather(step);
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

/// Prefix sums modulo 2^64 of `vectors` vectors, a multiple of unroll, starting from `sum`, which becomes the
/// last. Returns a number at least as large as any |x| - 1; elements are signed if `sign_mask` is -1, not 0.
inline std::uint64_t ScanIntegerVectors(const std::uint64_t* x, std::size_t vectors, std::int64_t sign_mask,
                                        std::uint64_t& sum, std::uint64_t* sums) {
  const DI d;
  const VI signs = hn::Set(d, sign_mask);
  VI before = hn::Set(d, static_cast<std::int64_t>(sum));
  VI magnitudes = hn::Zero(d);
  for (std::size_t v = 0; v < vectors; v += unroll) {
    const auto* from = reinterpret_cast<const std::int64_t*>(x) + v * lanes;
    __builtin_prefetch(from + tile_ahead);
    __builtin_prefetch(from + tile_ahead + group / 2);
    Several<DI> values;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      values[u] = hn::LoadU(d, from + u * lanes);
      const VI sign = hn::And(hn::BroadcastSignBit(values[u]), signs);
      magnitudes = hn::Or(magnitudes, hn::Xor(values[u], sign));
    });
    PrefixSums(d, values, before, AddIntegers());
    auto* to = reinterpret_cast<std::int64_t*>(sums) + v * lanes;
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { hn::StoreU(values[u], d, to + u * lanes); });
  }
  sum = static_cast<std::uint64_t>(hn::GetLane(before));
  std::int64_t magnitude[lanes];
  hn::StoreU(magnitudes, d, magnitude);
  std::uint64_t all = 0;
  for (const std::int64_t each : magnitude) all |= static_cast<std::uint64_t>(each);
  return all;
}

/// Scans integers; results are integers.
class IntegerScanner {
 public:
  IntegerScanner(const Scan& scan, bool stream, ScanState& state)
      : scan_(scan),
        state_(state),
        stream_(stream),
        checked_(scan.overflow == Overflow::error),
        range_(scan.out.type()) {
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
    // The sum before a tile lies before it, for exclusive scans.
    HWY_ALIGN std::uint64_t elements[tile];
    HWY_ALIGN std::uint64_t buffer[lanes + tile];
    std::uint64_t* sums = buffer + lanes;
    std::uint64_t* results = scan_.exclusive ? sums - 1 : sums;
    for (std::int64_t i = first; i < first + count && overflow == no_result;) {
      const std::size_t n = HWY_MIN(static_cast<std::size_t>(first + count - i), tile);
      const std::uint64_t* x = elements;
      if (scan_.x.stride() == 1 && size_of(scan_.x.type()) == 8 && n % group == 0)
        x = reinterpret_cast<const std::uint64_t*>(scan_.x.at(i));
      else {
        GatherIntegers(scan_.x, i, n, elements);
        std::fill_n(elements + n, (group - n % group) % group, 0u);
      }
      sums[-1] = static_cast<std::uint64_t>(sum_);
      const std::size_t good = ScanTile(x, n, sums, results);
      if (good < n) overflow = i + static_cast<std::int64_t>(good);
      Emit(results, i, n);
      i += static_cast<std::int64_t>(n);
    }
    state_.add_integer(static_cast<Int128>(sum_ - before));
    return overflow;
  }

 private:
  static constexpr std::size_t tile = 1024;

  /// Prefix sums modulo 2^64 of n elements, padded with zeros to a multiple of group; `results` begin at most
  /// one place before. Returns how many of the first results fit.
  std::size_t ScanTile(const std::uint64_t* x, std::size_t n, std::uint64_t* sums,
                       const std::uint64_t* results) {
    // Sums of a tile of elements of at most 2^52 stay within 64 bits if they start within 63.
    constexpr Int128 start_limit = Int128{1} << 62;
    constexpr std::uint64_t element_limit = std::uint64_t{1} << 52;
    const auto start = static_cast<Int128>(sum_);
    auto sum = static_cast<std::uint64_t>(sum_);
    const std::uint64_t largest = ScanIntegerVectors(x, (n + group - 1) / group * unroll,
                                                     is_signed(scan_.x.type()) ? -1 : 0, sum, sums);
    if (largest >= element_limit || start <= -start_limit || start_limit <= start)
      return ScanWide(x, n, sums);
    sum_ = static_cast<Uint128>(Int128{static_cast<std::int64_t>(sum)});
    return checked_ && scan_.out.type() != ElementType::int64 ? CountGood(results, n) : n;
  }

  /// How many of the first results, which are signed, fit.
  std::size_t CountGood(const std::uint64_t* results, std::size_t n) const {
    const auto lowest = static_cast<std::uint64_t>(range_.lowest);
    const auto width = static_cast<std::uint64_t>(HWY_MIN(range_.highest, Int128{INT64_MAX})) - lowest;
    std::uint64_t beyond = 0;
    for (std::size_t i = 0; i < n; ++i) beyond |= results[i] - lowest > width ? 1 : 0;
    std::size_t good = beyond == 0 ? n : 0;
    while (good < n && results[good] - lowest <= width) ++good;
    return good;
  }

  /// ScanTile for sums that 64 bits may not hold.
  std::size_t ScanWide(const std::uint64_t* x, std::size_t n, std::uint64_t* sums) {
    const bool elements_have_signs = is_signed(scan_.x.type());
    std::size_t good = n;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t element;  // which need not be aligned
      std::memcpy(&element, reinterpret_cast<const char*>(x) + i * sizeof element, sizeof element);
      const Uint128 before = sum_;
      sum_ +=
          elements_have_signs ? static_cast<Uint128>(Int128{static_cast<std::int64_t>(element)}) : element;
      const Uint128 result = scan_.exclusive ? before : sum_;
      if (checked_ && good == n && !range_.Holds(static_cast<Int128>(result))) good = i;
      sums[i] = static_cast<std::uint64_t>(sum_);
    }
    return good;
  }

  template <class Out>
  HWY_INLINE void EmitAs(const std::uint64_t* results, std::int64_t first, std::size_t n) const {
    Out narrow[tile];
    const Out* source = narrow;
    if constexpr (sizeof(Out) == 8)
      source = results;
    else
      for (std::size_t i = 0; i < n; ++i) narrow[i] = static_cast<Out>(results[i]);
    std::byte* target = scan_.out.at(first);
    if (scan_.out.stride() == 1) return CopyBytes(source, n * sizeof(Out), target, stream_);
    const std::int64_t step = scan_.out.stride() * static_cast<std::int64_t>(sizeof(Out));
    for (std::size_t i = 0; i < n; ++i, target += step) std::memcpy(target, source + i, sizeof(Out));
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
  const bool stream_;
  const bool checked_;
  bool is_too_large_ = false;
  const IntegerRange range_;
  Uint128 sum_ = 0;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
