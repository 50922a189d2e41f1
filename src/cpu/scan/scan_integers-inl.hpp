// The scan of one thread over integers, with integer results. Included once per instruction set, after
// cpu/scan/scan_lanes-inl.hpp and the headers that gather elements.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Elements of `unroll` vectors, which are scanned together.
template <class Lane>
constexpr std::size_t group_of = unroll * hn::MaxLanes(hn::ScalableTag<Lane>());

/// The range of an integer type.
struct IntegerRange {
  Int128 lowest, highest;

  explicit IntegerRange(ElementType type) {
    const int bits = type == ElementType::boolean ? 1 : 8 * static_cast<int>(size_of(type));
    lowest = is_signed(type) ? -(Int128{1} << (bits - 1)) : 0;
    highest = (Int128{1} << (is_signed(type) ? bits - 1 : bits)) - 1;
  }
  bool Holds(Int128 value) const { return lowest <= value && value <= highest; }
};

/// Prefix sums modulo 2^bits of n elements, a multiple of group_of<Lane>, starting from `sum`, which becomes
/// the last. Returns an upper bound of all |x| - 1.
template <bool AreSigned, class Lane>
std::uint64_t ScanIntegerVectors(const Lane* x, std::size_t n, std::int64_t ahead, Lane& sum,
                                 const Output<Lane>& out) {
  const hn::ScalableTag<Lane> d;
  constexpr std::size_t step = hn::MaxLanes(d);
  auto before = hn::Set(d, sum);
  auto magnitudes = hn::Zero(d);
  using Group = LaneSums<hn::ScalableTag<Lane>>;
  const auto begin = [&](std::size_t i, Group& values) FOLDLINE_LAMBDA {
    cpu::fetch_to_second_cache(x + i, group_of<Lane>, ahead);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA {
      values.sums[u] = hn::LoadU(d, x + i + u * step);
      // (The magnitude of the least number is right as an unsigned number.)
      magnitudes = hn::Or(magnitudes, AreSigned ? hn::Abs(values.sums[u]) : values.sums[u]);
    });
    values.Find(d, AddIntegers());
  };
  const auto finish = [&](std::size_t i, Group& values) FOLDLINE_LAMBDA {
    values.AddBefore(before);
    Repeat<unroll>([&](auto u) FOLDLINE_LAMBDA { out.Store(d, values.sums[u], i + u * step); });
  };
  InTwoStages<Group>(n, group_of<Lane>, begin, finish);
  sum = hn::GetLane(before);
  Lane magnitude[step];
  hn::StoreU(magnitudes, d, magnitude);
  std::uint64_t all = 0;
  for (const Lane each : magnitude) all |= static_cast<std::make_unsigned_t<Lane>>(each);
  return all;
}

/// Scans integers; results are integers.
class IntegerScanner {
 public:
  IntegerScanner(const Scan& scan, const cpu::ScanMode& mode, ScanState& state)
      : scan_(scan),
        mode_(mode),
        state_(state),
        checked_(scan.overflow == Overflow::error),
        range_(scan.out.type()),
        x_size_(static_cast<std::size_t>(size_of(scan.x.type()))),
        out_size_(static_cast<std::size_t>(size_of(scan.out.type()))) {
    // Of a sum beyond 126 bits only the low bits matter, for results that wrap: no elements in memory can
    // bring it back into range.
    sum_ = static_cast<Uint128>(static_cast<std::uint64_t>(state.prefix.floor_of_quotient(0)));
    sum_ |= static_cast<Uint128>(static_cast<std::uint64_t>(state.prefix.floor_of_quotient(64))) << 64;
    is_too_large_ = state.prefix.bound() > 126;
  }

  /// Scans elements [first, first + count), which follow those in the state, and adds them to it. Returns the
  /// index of the first result that does not fit, if that is an error, else no_result.
  std::int64_t Run(std::int64_t first, std::int64_t count) {
    if (checked_ && is_too_large_) return first;
    const Uint128 before = sum_;
    std::int64_t overflow = no_result;
    // The sum before a tile precedes its sums, for exclusive scans.
    HWY_ALIGN std::uint64_t buffer[lanes + tile];
    std::uint64_t* sums = buffer + lanes;
    std::uint64_t* results = scan_.exclusive ? sums - 1 : sums;
    for (std::int64_t i = first; i < first + count && overflow == no_result;) {
      std::size_t n = HWY_MIN(static_cast<std::size_t>(first + count - i), tile);
      if (i == first && mode_.stream) n = HWY_MIN(n, ElementsToDirect(i));
      if (n >= group_of<std::int32_t>) n -= n % group_of<std::int32_t>;
      if (!ScanDirectly(i, n)) {
        const std::uint64_t* x = Elements(i, n);
        sums[-1] = static_cast<std::uint64_t>(sum_);
        const std::size_t fitting = ScanTile(x, n, sums, results);
        if (fitting < n) overflow = i + static_cast<std::int64_t>(fitting);
        Emit(results, i, n);
      }
      i += static_cast<std::int64_t>(n);
    }
    state_.add_integer(static_cast<Int128>(sum_ - before));
    return overflow;
  }

 private:
  static constexpr std::size_t tile = 1024;
  /// Tiles that are scanned by way of a buffer after one whose results might not have fitted.
  static constexpr int tiles_after_failure = 16;

  /// Whether vectors can put results in out: elements of a scan in place must still be there if these don't
  /// fit.
  bool CanBeDirect() const {
    return !scan_.exclusive && scan_.out.stride() == 1 && scan_.out.data() != scan_.x.data() &&
           (out_size_ == 8 || (out_size_ == 4 && x_size_ == 4 && scan_.x.stride() == 1));
  }

  /// Length of the first tile, after which results that go past the caches can do so from the registers.
  std::size_t ElementsToDirect(std::int64_t first) const {
    const std::size_t n = ElementsToLine(scan_.out.at(first), out_size_);
    return CanBeDirect() && n != 0 ? n : tile;
  }

  /// Scans a tile straight to out; false if it can't or its results might not fit.
  bool ScanDirectly(std::int64_t i, std::size_t n) {
    std::byte* target = scan_.out.at(i);
    if (!CanBeDirect() || (mode_.stream && !IsAtLine(target)) || n % group_of<std::int32_t> != 0)
      return false;
    if (tiles_to_skip_ > 0) {
      --tiles_to_skip_;
      return false;
    }
    const bool fits = out_size_ == 4 ? ScanTo(reinterpret_cast<const std::int32_t*>(scan_.x.at(i)), n,
                                              reinterpret_cast<std::int32_t*>(target))
                                     : ScanTo(reinterpret_cast<const std::int64_t*>(Elements(i, n)), n,
                                              reinterpret_cast<std::int64_t*>(target));
    if (!fits) tiles_to_skip_ = tiles_after_failure;
    return fits;
  }

  template <class Lane>
  bool ScanTo(const Lane* x, std::size_t n, Lane* target) {
    const bool elements_have_signs = is_signed(scan_.x.type());
    const auto start = static_cast<Int128>(sum_);
    const auto first = static_cast<Lane>(sum_);
    Lane sum = first;
    const Int128 bound =
        (Int128{1} + ScanVectorsOf(x, n, sum, {target, mode_.stream})) * static_cast<Int128>(n);
    if (bound > std::numeric_limits<Lane>::max()) return false;
    if (checked_ && !(range_.Holds(start - (elements_have_signs ? bound : 0)) && range_.Holds(start + bound)))
      return false;
    using Bits = std::make_unsigned_t<Lane>;
    const auto total =
        static_cast<Lane>(static_cast<Bits>(static_cast<Bits>(sum) - static_cast<Bits>(first)));
    sum_ = static_cast<Uint128>(start + total);
    return true;
  }

  template <class Lane>
  std::uint64_t ScanVectorsOf(const Lane* x, std::size_t n, Lane& sum, const Output<Lane>& out) const {
    return is_signed(scan_.x.type()) ? ScanIntegerVectors<true>(x, n, Ahead(x), sum, out)
                                     : ScanIntegerVectors<false>(x, n, Ahead(x), sum, out);
  }

  std::int64_t Ahead(const void* x) const { return x == elements_ ? 0 : mode_.ahead; }

  /// n elements as 64-bit integers, followed by zeros to a multiple of group: in place if possible, else in
  /// elements_.
  const std::uint64_t* Elements(std::int64_t start, std::size_t n) {
    if (scan_.x.stride() == 1 && x_size_ == 8 && n % group == 0)
      return reinterpret_cast<const std::uint64_t*>(scan_.x.at(start));
    GatherIntegers(scan_.x, start, n, elements_);
    std::fill_n(elements_ + n, (group - n % group) % group, 0u);
    return elements_;
  }

  /// Prefix sums modulo 2^64 of n elements, padded with zeros to a multiple of group; `results` is `sums`, or
  /// one before it. Returns how many of the first results fit.
  std::size_t ScanTile(const std::uint64_t* x, std::size_t n, std::uint64_t* sums,
                       const std::uint64_t* results) {
    // Sums of a tile of elements of at most 2^52 stay within 64 bits if they start within 63.
    constexpr Int128 start_limit = Int128{1} << 62;
    constexpr std::uint64_t element_limit = std::uint64_t{1} << 52;
    const auto start = static_cast<Int128>(sum_);
    auto sum = static_cast<std::int64_t>(sum_);
    const std::uint64_t largest =
        ScanVectorsOf(reinterpret_cast<const std::int64_t*>(x), (n + group - 1) / group * group, sum,
                      {reinterpret_cast<std::int64_t*>(sums), false});
    if (largest >= element_limit || start <= -start_limit || start_limit <= start)
      return ScanWide(x, n, sums);
    sum_ = static_cast<Uint128>(Int128{sum});
    return checked_ && scan_.out.type() != ElementType::int64 ? CountFitting(results, n) : n;
  }

  /// How many of the first results, which are signed, fit.
  std::size_t CountFitting(const std::uint64_t* results, std::size_t n) const {
    const auto lowest = static_cast<std::uint64_t>(range_.lowest);
    const auto width = static_cast<std::uint64_t>(HWY_MIN(range_.highest, Int128{INT64_MAX})) - lowest;
    std::uint64_t beyond = 0;
    for (std::size_t i = 0; i < n; ++i) beyond |= results[i] - lowest > width ? 1 : 0;
    std::size_t fitting = beyond == 0 ? n : 0;
    while (fitting < n && results[fitting] - lowest <= width) ++fitting;
    return fitting;
  }

  /// ScanTile for sums that may exceed 64 bits.
  std::size_t ScanWide(const std::uint64_t* x, std::size_t n, std::uint64_t* sums) {
    const bool elements_have_signs = is_signed(scan_.x.type());
    std::size_t fitting = n;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t element;  // which need not be aligned
      std::memcpy(&element, reinterpret_cast<const char*>(x) + i * sizeof element, sizeof element);
      const Uint128 before = sum_;
      sum_ +=
          elements_have_signs ? static_cast<Uint128>(Int128{static_cast<std::int64_t>(element)}) : element;
      const Uint128 result = scan_.exclusive ? before : sum_;
      if (checked_ && fitting == n && !range_.Holds(static_cast<Int128>(result))) fitting = i;
      sums[i] = static_cast<std::uint64_t>(sum_);
    }
    return fitting;
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
    if (scan_.out.stride() == 1) return CopyBytes(source, n * sizeof(Out), target, mode_.stream);
    const std::int64_t step = scan_.out.stride() * static_cast<std::int64_t>(sizeof(Out));
    for (std::size_t i = 0; i < n; ++i, target += step) std::memcpy(target, source + i, sizeof(Out));
  }

  /// Stores the results of elements [first, first + n) in `out`, modulo the size of their type.
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
  const cpu::ScanMode mode_;
  ScanState& state_;
  const bool checked_;
  bool is_too_large_ = false;
  const IntegerRange range_;
  const std::size_t x_size_, out_size_;
  int tiles_to_skip_ = 0;
  Uint128 sum_ = 0;
  HWY_ALIGN std::uint64_t elements_[tile];
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
