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
  std::vector<std::uint64_t> words;  // x, as it lies in memory
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
  scan.words = encoded(scan.x, scan.type);
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
std::string check_on(const ScanCase& scan, const Layout& x, Context context) {
  context.execution.threads = scan.threads;
  const auto size = static_cast<std::int64_t>(scan.x.size());
  OutputLayout out(size, scan.result, scan.out_stride, scan.out_misalignment);
  try {
    if (scan.in_place) {
      out.write(scan.words);
      const MutableVectorView there = out.view(context.execution.device);
      call_scan(scan, there, there, context);
    } else {
      call_scan(scan, x.view(context.execution.device), out.view(context.execution.device), context);
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

void OutputLayout::write(std::span<const std::uint64_t> words) {
  with_width(element_size_, [&]<class Word>(Word) {
    std::byte* place = at(0);
    for (const std::uint64_t word : words) {
      const auto element = static_cast<Word>(word);
      std::memcpy(place, &element, sizeof element);
      place += step_;
    }
  });
}

std::vector<std::uint64_t> OutputLayout::results() const {
  std::vector<std::uint64_t> results(static_cast<std::size_t>(size_));
  with_width(element_size_, [&]<class Word>(Word element) {
    const std::byte* place = at(0);
    for (std::uint64_t& result : results) {
      std::memcpy(&element, place, sizeof element);
      result = element;
      place += step_;
    }
  });
  return results;
}

bool OutputLayout::is_untouched(std::int64_t first, std::int64_t last) const {
  const std::byte* bytes = bytes_.data() + first;
  // Each byte is the same as the next one.
  return first == last ||
         (*bytes == poison && std::memcmp(bytes, bytes + 1, static_cast<std::size_t>(last - first - 1)) == 0);
}

bool OutputLayout::padding_is_untouched() const {
  const auto all = static_cast<std::int64_t>(bytes_.size());
  if (size_ == 0) return is_untouched(0, all);
  const std::int64_t step = std::abs(step_), lowest = step_ < 0 ? start_ + (size_ - 1) * step_ : start_;
  const std::int64_t end = lowest + (size_ - 1) * step + element_size_;
  if (!is_untouched(0, lowest) || !is_untouched(end, all)) return false;
  if (step == element_size_) return true;
  for (std::int64_t element = lowest; element + step < end; element += step)
    if (!is_untouched(element + element_size_, element + step)) return false;
  return true;
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
  const Layout x = Layout::of_words(scan.words, scan.type, scan.stride, scan.misalignment);
  for (const Context& processor : processors()) {
    const std::string wrong = check_on(scan, x, processor);
    if (wrong.empty()) continue;
    std::ostringstream text;
    text << (scan.exclusive ? "exclusive" : "inclusive") << " scan of " << scan.x.size() << ' '
         << name_of(scan.type) << " from " << scan.source << " to " << name_of(scan.result) << ", init "
         << scan.init << ", strides " << scan.stride << ' ' << scan.out_stride << ", misaligned by "
         << scan.misalignment << ' ' << scan.out_misalignment << (scan.in_place ? ", in place" : "") << ", "
         << scan.threads << " threads, " << scan.cuts.size() << " blocks, target "
         << name_of(processor.execution.target) << " on " << name_of(processor.execution.device) << ", seed "
         << seed << ": " << wrong;
    failure = text.str();
    return false;
  }
  return true;
}

}  // namespace cases
