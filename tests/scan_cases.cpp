#include "scan_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "oracle_scan.hpp"

namespace cases {

namespace {

using foldline::MutableVectorView;
using foldline::RunningScan;
using foldline::ScanKind;
using generators::Random;

constexpr std::byte poison{0xff};  // a NaN in every type

ElementType any_type(Random& random) {
  return oracle::all_types[static_cast<std::size_t>(random.between(0, oracle::all_types.size() - 1))];
}

/// One random scan: everything about it but the target.
struct ScanCase {
  ElementType type, result;
  std::vector<double> x;
  std::string source;
  bool exclusive;
  double init;
  std::int64_t stride, out_stride, misalignment, out_misalignment;
  bool in_place;
  int threads;
  std::vector<std::int64_t> cuts;  // sizes of blocks; empty for one call
  std::vector<std::uint64_t> expected;
};

std::vector<double> make_elements(ScanCase& scan, std::int64_t size, Random& random) {
  if (random.one_in(6)) {
    scan.source = "ties_everywhere";
    return ties_everywhere(scan.type, scan.result, size, random);
  }
  const auto last = static_cast<std::int64_t>(generators::all_generators.size()) - 1;
  const auto generator = generators::all_generators[static_cast<std::size_t>(random.between(0, last))];
  scan.source = name_of(generator);
  return generators::generate(generator, scan.type, size, random).x;
}

std::vector<std::int64_t> random_cuts(std::int64_t size, Random& random) {
  std::vector<std::int64_t> cuts;
  for (std::int64_t left = size; left > 0; left -= cuts.back())
    cuts.push_back(std::min(left, random.log_uniform(size) - (random.one_in(8) ? 1 : 0)));
  return cuts;
}

ScanCase make_scan_case(std::uint64_t seed) {
  Random random(seed);
  ScanCase scan;
  scan.type = any_type(random);
  scan.result = random.coin() ? scan.type : any_type(random);
  scan.x = make_elements(scan, random.one_in(50) ? 0 : random.log_uniform(random.one_in(8) ? 20'000 : 3000),
                         random);
  scan.exclusive = random.coin();
  scan.init = !scan.exclusive || random.coin()
                  ? 0.0
                  : generators::Values(ElementType::float64, random).in_binade(random.between(-80, 80));
  if (random.one_in(16)) scan.init = random.coin() ? -0.0 : INFINITY;
  if (!scan.exclusive) scan.init = 0;
  scan.stride = random.one_in(4) ? random.between(-3, 3) : 1;
  if (scan.stride == 0 && !scan.x.empty()) std::ranges::fill(scan.x, scan.x.front());
  scan.out_stride = random.one_in(4) ? random.between(1, 3) * (random.coin() ? 1 : -1) : 1;
  scan.misalignment = random.one_in(4) ? random.between(0, 7) : 0;
  scan.out_misalignment = random.one_in(4) ? random.between(0, 63) : 0;
  scan.in_place = scan.type == scan.result && random.one_in(4);
  scan.threads = random.one_in(8) ? static_cast<int>(random.between(2, 8)) : 1;
  if (random.one_in(4)) scan.cuts = random_cuts(static_cast<std::int64_t>(scan.x.size()), random);
  scan.expected = scan.exclusive ? oracle::exclusive_scan(scan.x, scan.init, scan.result)
                                 : oracle::inclusive_scan(scan.x, scan.result);
  return scan;
}

void call_scan(const ScanCase& scan, const VectorView& x, const MutableVectorView& out,
               const Context& context) {
  if (!scan.cuts.empty()) {
    RunningScan running(scan.exclusive ? ScanKind::exclusive : ScanKind::inclusive, scan.init);
    std::int64_t first = 0;
    for (const std::int64_t count : scan.cuts) {
      running.next(x.part(first, count), out.part(first, count), context);
      first += count;
    }
  } else if (scan.exclusive) {
    exclusive_scan(x, out, scan.init, context);
  } else {
    inclusive_scan(x, out, context);
  }
}

/// What is wrong; empty if nothing.
std::string check_on(const ScanCase& scan, Context context) {
  context.threads = scan.threads;
  const auto size = static_cast<std::int64_t>(scan.x.size());
  OutputLayout out(size, scan.result, scan.out_stride, scan.out_misalignment);
  try {
    if (scan.in_place) {
      const MutableVectorView view = out.view();
      for (std::int64_t i = 0; i < size; ++i) {
        const std::uint64_t bits = oracle::encode(scan.x[static_cast<std::size_t>(i)], scan.type);
        std::memcpy(view.at(i), &bits, static_cast<std::size_t>(size_of(scan.type)));
      }
      const MutableVectorView there = out.view(context.device);
      call_scan(scan, there, there, context);
    } else {
      const Layout x(scan.x, scan.type, scan.stride, scan.misalignment);
      call_scan(scan, x.view(context.device), out.view(context.device), context);
    }
    out.fetch();
  } catch (const std::exception& error) {
    return std::string("threw ") + error.what();
  }
  if (!out.padding_is_untouched()) return "wrote where it must not";
  return difference(out.results(), scan.expected);
}

}  // namespace

OutputLayout::OutputLayout(std::int64_t size, ElementType type, std::int64_t stride,
                           std::int64_t misalignment)
    : size_(size), stride_(stride), element_size_(size_of(type)), step_(stride * element_size_), type_(type) {
  constexpr std::int64_t border = 64;  // a vector's store that goes too far is seen
  const std::int64_t span = std::max<std::int64_t>(size - 1, 0) * std::abs(step_);
  start_ = border + misalignment + (step_ < 0 ? span : 0);
  bytes_.assign(static_cast<std::size_t>(span + element_size_ + misalignment + 2 * border), poison);
}

foldline::MutableVectorView OutputLayout::view() { return {at(0), type_, size_, stride_}; }

foldline::MutableVectorView OutputLayout::view(foldline::Device device) {
  if (device.kind == foldline::Device::Kind::cpu) return view();
  copy_.emplace(bytes_, device);
  return {copy_->at(at(0)), type_, size_, stride_};
}

void OutputLayout::fetch() {
  if (copy_) copy_->fetch(bytes_);
}

std::vector<std::uint64_t> OutputLayout::results() const {
  std::vector<std::uint64_t> results(static_cast<std::size_t>(size_));
  for (std::int64_t i = 0; i < size_; ++i)
    std::memcpy(&results[static_cast<std::size_t>(i)], at(i), static_cast<std::size_t>(element_size_));
  return results;
}

bool OutputLayout::padding_is_untouched() const {
  std::vector<std::byte> rest = bytes_;
  for (std::int64_t i = 0; i < size_; ++i)
    std::fill_n(rest.begin() + start_ + i * step_, element_size_, poison);
  return std::ranges::all_of(rest, [](std::byte b) { return b == poison; });
}

std::string difference(std::span<const std::uint64_t> actual, std::span<const std::uint64_t> expected) {
  if (actual.size() != expected.size()) return "has the wrong size";
  const auto [a, e] = std::mismatch(actual.begin(), actual.end(), expected.begin());
  if (a == actual.end()) return {};
  return "element " + std::to_string(a - actual.begin()) + " is " + hex(*a) + ", must be " + hex(*e);
}

std::vector<double> ties_everywhere(ElementType type, ElementType result, std::int64_t size, Random& random) {
  const generators::Values values(type, random);
  // The sums stay in one binade of `result`, or in a few if there are many elements.
  const std::int64_t lowest = values.format().min_place() + 2;
  const std::int64_t top = random.between(std::max<std::int64_t>(lowest, -60),
                                          std::min<std::int64_t>(values.format().max_exponent - 2, 60));
  const std::int64_t half = std::max<std::int64_t>(top - oracle::format_of(result).precision, lowest - 1);
  const std::int64_t finest = std::max(random.coin() ? lowest - 2 : top - 110, lowest - 2);
  const double half_place = values.power(half);
  const double tiny = values.power(random.between(finest, half - 1));
  std::vector<double> x;
  while (static_cast<std::int64_t>(x.size()) < size) {
    const double sign = random.coin() ? 1 : -1;
    if (x.empty())
      x.push_back(values.power(top));
    else if (random.one_in(3))
      x.push_back(sign * tiny);
    else
      x.push_back(sign * half_place * static_cast<double>(random.one_in(4) ? 2 : 1));
  }
  if (random.coin() && size > 1) std::swap(x[0], x[1]);
  return x;
}

std::vector<double> scanned(const std::vector<double>& x, const Context& context) {
  std::vector<double> out(x.size(), NAN);
  foldline::inclusive_scan(x, out, context);
  return out;
}

bool check_random_scan_case(std::uint64_t seed, std::string& failure) {
  const ScanCase scan = make_scan_case(seed);
  for (const Context& processor : processors()) {
    const std::string wrong = check_on(scan, processor);
    if (wrong.empty()) continue;
    std::ostringstream text;
    text << (scan.exclusive ? "exclusive" : "inclusive") << " scan of " << scan.x.size() << ' '
         << name_of(scan.type) << " from " << scan.source << " to " << name_of(scan.result) << ", init "
         << scan.init << ", strides " << scan.stride << ' ' << scan.out_stride << ", misaligned by "
         << scan.misalignment << ' ' << scan.out_misalignment << (scan.in_place ? ", in place" : "") << ", "
         << scan.threads << " threads, " << scan.cuts.size() << " blocks, target "
         << name_of(processor.target) << " on " << name_of(processor.device) << ", seed " << seed << ": "
         << wrong;
    failure = text.str();
    return false;
  }
  return true;
}

}  // namespace cases
