#include "scan_axis_cases.hpp"

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "integer_cases.hpp"
#include "oracle_scan.hpp"

namespace axes_cases {

namespace {

using generators::Random;

/// Few or many vectors, short or long.
Extents random_shape_of_scan(Random& random) {
  Extents shape(static_cast<std::size_t>(random.one_in(20) ? 16 : random.between(1, 5)));
  std::int64_t room = random.one_in(8) ? 60'000 : 600;
  for (std::int64_t& extent : shape) {
    extent = random.log_uniform(room);
    room = std::max<std::int64_t>(1, room / extent);
  }
  random.shuffle(shape);
  if (random.one_in(60)) shape.front() = 0;
  return shape;
}

/// As random_placement, but without gaps if there are many axes, each of which would multiply the memory.
Placement placement_of(const Extents& shape, bool distinct, Random& random) {
  if (shape.size() < 16) return random_placement(shape, distinct, random);
  Placement placement = dense(shape);
  std::vector<std::size_t> order(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  std::int64_t stride = 1;
  for (const std::size_t axis : order) {
    placement.strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return placement;
}

void fill_for_scan(Memory& a, std::size_t axis, ElementType type, const Extents& shape, Random& random) {
  if (a.view().size() == 0) return;
  if (is_floating(type)) return fill(a, static_cast<std::int64_t>(axis), type, random);
  auto words = integer_cases::generate(integer_cases::pick(integer_cases::all_generators, random), type,
                                       a.view().size(), random);
  words.resize(static_cast<std::size_t>(a.view().size()));
  Extents index(shape.size(), 0);
  std::size_t i = 0;
  do a.set_bits(index, words[i++]);
  while (advance(index, shape));
}

/// Writes what is right to `expected`; false if it does not fit.
bool expect(const Memory& a, ElementType type, Memory& expected, ElementType result,
            const AxisScanCall& call) {
  if (!is_floating(type))
    return scan_axis(a.view(), expected.mutable_view(), call, {.execution = {.threads = 1}});
  Extents rest = a.view().shape().to_vector();
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(call.axis));
  Extents index(rest.size(), 0);
  std::vector<std::uint64_t> words(static_cast<std::size_t>(a.view().shape()[call.axis]));
  if (a.view().size() > 0) do {
      a.get_line(call.axis, index, words);
      std::vector<double> x;
      for (const std::uint64_t word : words) x.push_back(oracle::decode(word, type));
      expected.set_line(call.axis, index,
                        call.exclusive
                            ? oracle::exclusive_scan(x,
                                                     is_floating(call.init.type())
                                                         ? call.init.floating()
                                                         : static_cast<double>(call.init.signed_integer()),
                                                     result)
                            : oracle::inclusive_scan(x, result));
    } while (advance(index, rest));
  return true;
}

}  // namespace

bool scan_axis(const ArrayView& a, const MutableArrayView& out, const AxisScanCall& call,
               const Context& context) {
  Context with = context;
  with.overflow = call.overflow;
  try {
    if (call.exclusive)
      foldline::exclusive_scan_axis(a, static_cast<std::int64_t>(call.axis), out, call.init, with);
    else
      foldline::inclusive_scan_axis(a, static_cast<std::int64_t>(call.axis), out, with);
  } catch (const foldline::OverflowError&) {
    return false;
  }
  return true;
}

std::string check_random_axis_scan(std::uint64_t seed, foldline::Device device, const AxisScanner& scanner) {
  Random random(seed);
  const bool floating = random.one_in(3) ? random.coin() : true;
  const auto any_float = [&] { return integer_cases::pick(oracle::all_types, random); };
  const auto any_integer = [&] { return integer_cases::pick(integer_cases::all_types, random); };
  const ElementType type = floating ? any_float() : any_integer();
  const ElementType result = random.coin()                  ? type
                             : floating || random.one_in(3) ? any_float()
                                                            : any_integer();
  const Extents shape = random_shape_of_scan(random);
  AxisScanCall call{static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.size()) - 1)),
                    random.coin(), foldline::Scalar(0.0),
                    random.coin() ? foldline::Overflow::error : foldline::Overflow::wrap};
  const bool in_place = type == result && random.coin();
  if (random.coin()) call.init = foldline::Scalar(random.between(-50, 50));
  if (is_floating(result) && random.one_in(4))
    call.init = foldline::Scalar(random.one_in(4) ? INFINITY : 1e-300);
  Memory a(placement_of(shape, in_place, random), type), other(placement_of(shape, true, random), result);
  Memory expected(dense(shape), result);
  fill_for_scan(a, call.axis, type, shape, random);
  const bool fits = expect(a, type, expected, result, call);
  Memory& out = in_place ? a : other;
  bool did_fit = false;
  a.call_on(device, out, [&](const ArrayView& x, const MutableArrayView& results) {
    did_fit = scanner(x, results, call);
  });

  std::ostringstream wrong;
  if (did_fit != fits)
    wrong << (fits ? "says that a result does not fit" : "does not say that a result does not fit");
  Extents index(shape.size(), 0);
  if (fits && a.view().size() > 0) do {
      if (out.bits(index) != expected.bits(index) && wrong.str().empty())
        wrong << "is " << cases::hex(out.bits(index)) << ", must be " << cases::hex(expected.bits(index));
      out.set_bits(index, UINT64_MAX);
    } while (advance(index, shape));
  if (fits && wrong.str().empty() && !out.is_blank()) wrong << "something was written around the results";
  if (wrong.str().empty()) return {};
  wrong << "; seed " << seed << ": " << name_of(type) << " to " << name_of(result) << ", shape";
  for (const std::int64_t extent : shape) wrong << ' ' << extent;
  wrong << ", axis " << call.axis << (call.exclusive ? ", exclusive" : "") << (in_place ? ", in place" : "");
  return wrong.str();
}

std::string check_random_axis_scans(
    std::uint64_t scans, const std::function<bool(const ArrayView&, const MutableArrayView&,
                                                  const AxisScanCall&, generators::Random&)>& scanner) {
  const char* count = std::getenv("FOLDLINE_TEST_CASES");
  if (count != nullptr) scans = std::strtoull(count, nullptr, 10) / 4;
  std::string wrong;
  for (std::uint64_t seed = 1; wrong.empty() && seed <= scans; ++seed) {
    Random random(seed);
    wrong = check_random_axis_scan(seed, {}, [&](const auto& a, const auto& out, const auto& call) {
      return scanner(a, out, call, random);
    });
  }
  return wrong;
}

}  // namespace axes_cases
