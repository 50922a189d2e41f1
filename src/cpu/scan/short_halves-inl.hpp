// Scans of short vectors of halves. Included once per instruction set, after short_floats-inl.hpp.
//
// Finite halves are multiples of 2^-24 below 2^16: a double has room for all sums of 2^13 of them. Infinities
// and NaN are what they are as doubles.

HWY_BEFORE_NAMESPACE();
namespace foldline::HWY_NAMESPACE {

class HalfScans {
  // Longer vectors are as fast by themselves.
  static constexpr std::int64_t step = lanes, most_turned = 32;
  static_assert(ShortScans::most_terms <= 1 << 13);
  using Words = hn::Rebind<std::uint16_t, D>;

 public:
  explicit HalfScans(const ShortScans& scans) : scans_(scans) {}

  /// All results are certain.
  std::int64_t Scan() const {
    std::int64_t i = 0;
    if (scans_.x_across == 1 && scans_.out_across == 1) {
      for (; i + 4 * step <= scans_.vectors; i += 4 * step) ScanLanes<4>(i);
      for (; i + step <= scans_.vectors; i += step) ScanLanes<1>(i);
    } else if (lanes > 1 && scans_.terms <= most_turned) {
      for (; i + step <= scans_.vectors; i += step) ScanTurned(i);
    }
    for (; i < scans_.vectors; ++i) ScanOne(i);
    return 0;
  }

 private:
  static HWY_INLINE V Load(const std::uint16_t* x) {
    if constexpr (converts_halves) {
      const hn::Rebind<hwy::float16_t, D> narrow;
      return hn::PromoteTo(D(), hn::PromoteTo(F(), hn::BitCast(narrow, hn::LoadU(Words(), x))));
    } else {
      double wide[lanes];
      for (std::size_t k = 0; k < lanes; ++k) {
        half element;
        std::memcpy(&element, reinterpret_cast<const std::byte*>(x) + k * sizeof element, sizeof element);
        wide[k] = static_cast<double>(static_cast<float>(element));
      }
      return hn::LoadU(D(), wide);
    }
  }
  /// Rounds once, since sums are rounded to odd first.
  static HWY_INLINE void Store(V sum, std::uint16_t* out) {
    const V nan = hn::Set(D(), std::numeric_limits<double>::quiet_NaN());
    const V odd = OddFloat(hn::IfThenElse(hn::Eq(sum, sum), sum, nan));
    if constexpr (converts_halves) {
      const hn::Rebind<hwy::float16_t, D> narrow;
      hn::StoreU(hn::BitCast(Words(), hn::DemoteTo(narrow, ToFloats(odd))), Words(), out);
    } else {
      double wide[lanes];
      hn::StoreU(odd, D(), wide);
      for (std::size_t k = 0; k < lanes; ++k) {
        const half result(static_cast<float>(wide[k]));
        std::memcpy(reinterpret_cast<std::byte*>(out) + k * sizeof result, &result, sizeof result);
      }
    }
  }

  /// Neighbours, from `index` on.
  template <int vectors>
  HWY_NOINLINE void ScanLanes(std::int64_t index) const {
    const auto* x = reinterpret_cast<const std::uint16_t*>(scans_.x) + index;
    auto* out = reinterpret_cast<std::uint16_t*>(scans_.out) + index;
    V sum[vectors];
    Repeat<vectors>([&](auto v) FOLDLINE_LAMBDA { sum[v] = hn::Set(D(), -0.0); });
    for (std::int64_t k = 0; k < scans_.terms; ++k, x += scans_.x_along, out += scans_.out_along)
      Repeat<vectors>([&](auto v) FOLDLINE_LAMBDA {
        sum[v] = hn::Add(sum[v], Load(x + v * step));
        Store(sum[v], out + v * step);
      });
  }

  /// Vectors at any strides, from `index` on, a lane for each.
  HWY_NOINLINE void ScanTurned(std::int64_t index) const {
    std::uint16_t words[most_turned * lanes];
    const auto for_each = [&](std::int64_t across, std::int64_t along, const auto& visit) FOLDLINE_LAMBDA {
      for (std::int64_t v = 0; v < step; ++v)
        for (std::int64_t k = 0; k < scans_.terms; ++k)
          visit(((index + v) * across + k * along) * std::int64_t{sizeof words[0]}, words + k * step + v);
    };
    for_each(scans_.x_across, scans_.x_along, [&](std::int64_t at, std::uint16_t* word) FOLDLINE_LAMBDA {
      std::memcpy(word, scans_.x + at, sizeof *word);
    });
    V sum = hn::Set(D(), -0.0);
    for (std::int64_t k = 0; k < scans_.terms; ++k) {
      sum = hn::Add(sum, Load(words + k * step));
      Store(sum, words + k * step);
    }
    for_each(scans_.out_across, scans_.out_along, [&](std::int64_t at, std::uint16_t* word) FOLDLINE_LAMBDA {
      std::memcpy(scans_.out + at, word, sizeof *word);
    });
  }

  HWY_NOINLINE void ScanOne(std::int64_t index) const {
    AddInPieces(
        scans_, index, [](const std::uint16_t* x) FOLDLINE_LAMBDA { return Load(x); },
        [](V sums, std::uint16_t* out) FOLDLINE_LAMBDA { Store(sums, out); });
  }

  const ShortScans& scans_;
};

}  // namespace foldline::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
