// Sums of squares of 64-bit integers that are no doubles, one vector after the other, by integers of 128 and
// 192 bits. Included once per instruction set, after direct_results-inl.hpp.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

/// Sums that are known but for their bounds, for FinishAll.
template <bool values>
struct KnownSums {
  static constexpr bool has_values = values, has_squares = true, has_range = true;
  V sum;
  Approximate values_known, squares_known;

  HWY_INLINE const Approximate& Values(const DirectConstants& /*constants*/) const { return values_known; }
  HWY_INLINE const Approximate& Squares(const DirectConstants& /*constants*/) const { return squares_known; }
  /// Elements were less the first one.
  HWY_INLINE LaneMask AreEqual(const Approximate& /*sum*/, const DirectConstants& /*constants*/) const {
    return hn::Eq(squares_known.hi, hn::Zero(D()));
  }
  HWY_INLINE LaneMask HasSpecial() const { return NoLanes(); }
  HWY_INLINE LaneMask HasNan() const { return NoLanes(); }
};

/// The results of a block that LongSquares are not certain of. Those of variations are sums of differences
/// from a vector's first element, so that little cancels.
template <class T, bool values>
class LongSquaresAlone {
 public:
  LongSquaresAlone(const cpu::DirectBlock& block, std::uint8_t* uncertain)
      : block_(block),
        uncertain_(uncertain),
        constants_(block.x.rows, false),
        wanted_(block.operation, block.x.rows, block.ddof) {}

  /// Returns how many results are still not certain.
  std::int64_t Reduce() {
    std::int64_t left = 0, vector[lanes];
    std::size_t count = 0;
    for (std::int64_t i = 0; i < block_.x.columns; ++i) {
      if (uncertain_[i] != 0) {
        AddVector(i, count);
        vector[count++] = i;
      }
      if (count == lanes || (count != 0 && i == block_.x.columns - 1)) {
        left += Finish(vector, count);
        count = 0;
      }
    }
    return left;
  }

 private:
  /// A number as two doubles, but for `bound`.
  struct DoublesOfLanes {
    double hi[lanes], lo[lanes], bound[lanes];

    /// The sum of halves of words, largest first: each is a double. (The compiler's conversions of 128 bits
    /// take longer than all else.)
    void Set(std::size_t i, const Int192& x) {  // not negative
      const auto upper_half = [](std::uint64_t word) { return static_cast<double>(word >> 32) * 0x1p32; };
      const auto lower_half = [](std::uint64_t word) {
        return static_cast<double>(static_cast<std::uint32_t>(word));
      };
      std::uint64_t first = x.word[0], second = 0;
      double unit = 1;
      bound[i] = 0;
      if ((x.word[1] | x.word[2]) != 0) {
        // The first 128 bits that are not zero; others are below their last place.
        const bool has_third = x.word[2] != 0;
        Uint128 bits = has_third ? Uint128{x.word[2]} << 64 | x.word[1] : low_half(x);
        const int zeros = leading_zeros(static_cast<std::uint64_t>(bits >> 64));
        bits <<= zeros;
        if (has_third && zeros != 0) bits |= x.word[0] >> (64 - zeros);
        first = static_cast<std::uint64_t>(bits >> 64);
        second = static_cast<std::uint64_t>(bits);
        unit = power_of_two((has_third ? 128 : 64) - zeros);
        bound[i] = unit * 0x1p-41;
      }
      const double high = upper_half(first), low = lower_half(first);
      const double sum = high + low, rest = low - (sum - high);
      hi[i] = sum * unit;
      lo[i] = (rest + (upper_half(second) + lower_half(second)) * 0x1p-64) * unit;
    }
    void Set(std::size_t i, Int128 x) {
      Set(i, int192_of(magnitude(x)));
      if (x >= 0) return;
      hi[i] = -hi[i];
      lo[i] = -lo[i];
    }
    HWY_INLINE Approximate Loaded() const {
      const V of_bound = hn::LoadU(D(), bound);
      return {hn::LoadU(D(), hi), hn::LoadU(D(), lo), of_bound, hn::Eq(of_bound, hn::Zero(D()))};
    }
  };

  static T At(const std::byte* x) {
    T element;
    std::memcpy(&element, x, sizeof element);
    return element;
  }
  void AddVector(std::int64_t index, std::size_t lane) {
    const std::byte* x = block_.x.at(0, index);
    const std::int64_t step = block_.x.row_stride * std::int64_t{sizeof(T)};
    const T first = values ? At(x) : T{0};
    Int128 sum = 0;
    Uint128 lower = 0, upper = 0;  // of squares, by words
    for (std::int64_t k = 0; k < block_.x.rows; ++k, x += step) {
      const T element = At(x);
      // |element - first| without a branch, which would be taken or not at random.
      const std::uint64_t sign = element < first ? ~std::uint64_t{0} : 0;
      const std::uint64_t difference =
          static_cast<std::uint64_t>(element) - static_cast<std::uint64_t>(first);
      const std::uint64_t size = (difference ^ sign) - sign;
      if (values) sum += element;
      const Uint128 square = static_cast<Uint128>(size) * size;
      lower += static_cast<std::uint64_t>(square);
      upper += static_cast<std::uint64_t>(square >> 64);
    }
    if (values) sums_.Set(lane, sum - block_.x.rows * static_cast<Int128>(first));
    upper += static_cast<std::uint64_t>(lower >> 64);
    squares_.Set(lane, Int192{{static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(upper),
                               static_cast<std::uint64_t>(upper >> 64)}});
  }
  /// Stores the results of the vectors in lanes; returns how many are not certain.
  HWY_NOINLINE std::int64_t Finish(const std::int64_t* vector, std::size_t count) {
    for (std::size_t i = count; i < lanes; ++i) {
      sums_.Set(i, Int128{1});
      squares_.Set(i, Int128{1});
    }
    // All at once: an implicit constructor would not be compiled for the instruction set.
    const Approximate squares = squares_.Loaded();
    const KnownSums<values> sums = {squares.hi, values ? sums_.Loaded() : squares, squares};
    V result;
    LaneMask certain;
    FinishAll(sums, constants_, wanted_, block_.out_type, result, certain);
    if (count == lanes && vector[lanes - 1] - vector[0] == lanes - 1 && hn::AllTrue(D(), certain)) {
      std::memset(uncertain_ + vector[0], 0, lanes);
      StoreResults(result, block_, vector[0], lanes);
      return 0;
    }
    double results[lanes];
    std::int64_t are_certain[lanes];
    hn::StoreU(result, D(), results);
    hn::StoreU(hn::VecFromMask(DI(), hn::RebindMask(DI(), certain)), DI(), are_certain);
    std::int64_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (are_certain[i] == 0) {
        ++left;
        continue;
      }
      uncertain_[vector[i]] = 0;
      StoreResults(hn::Set(D(), results[i]), block_, vector[i], 1);
    }
    return left;
  }

  const cpu::DirectBlock& block_;
  std::uint8_t* const uncertain_;
  const DirectConstants constants_;
  const DirectResult wanted_;
  DoublesOfLanes sums_, squares_;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
