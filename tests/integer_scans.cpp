// Random scans of integers, element by element against GMP.
#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <sstream>

#include "integer_cases.hpp"
#include "scan_cases.hpp"

namespace integer_cases {

namespace {

using foldline::MutableVectorView;
using foldline::RunningScan;
using foldline::Scalar;
using foldline::ScanKind;

/// One random scan: everything about it but the target.
struct ScanCase {
  ElementType type, result;
  Words x;
  ScanKind kind;
  std::int64_t quarters;  // init, times 4
  std::int64_t stride, out_stride, misalignment, out_misalignment;
  std::int64_t cut;  // where a second block begins; 0 for one call
  bool in_place;
  Context context;
  Words expected;
  std::optional<std::size_t> overflow;  // the first result that its type does not hold

  Scalar init() const {
    if (quarters % 4 == 0) return Scalar(quarters / 4);
    return Scalar(static_cast<double>(quarters) / 4);
  }
};

/// Fills in what the results must be.
void ask_oracle(ScanCase& scan) {
  const bool floating = is_floating(scan.result);
  const mpz_class* const lowest = floating ? nullptr : &oracle::lowest_of(scan.result);
  const mpz_class* const highest = floating ? nullptr : &oracle::highest_of(scan.result);
  mpz_class sum = scan.quarters;   // in quarters, as init is
  mpz_class before, value, whole;  // once, for their memory
  scan.expected.reserve(scan.x.size());
  for (std::size_t i = 0; i < scan.x.size(); ++i) {
    before = sum;
    oracle::set_to_value_of(value, scan.x[i], scan.type);
    mpz_addmul_ui(sum.get_mpz_t(), value.get_mpz_t(), 4);
    const mpz_class& result = scan.kind == ScanKind::exclusive ? before : sum;
    if (floating) {
      scan.expected.push_back(oracle::round(result < 0, result, -2, false, scan.result));
      continue;
    }
    mpz_tdiv_q_2exp(whole.get_mpz_t(), result.get_mpz_t(), 2);
    const bool fits = *lowest <= whole && whole <= *highest;
    if (!fits && !scan.overflow) scan.overflow = i;
    scan.expected.push_back(oracle::word_of(whole, scan.result));
  }
}

ScanCase make_scan_case(std::uint64_t seed) {
  Random random(seed);
  ScanCase scan = {};
  scan.type = pick(all_types, random);
  scan.result = random.one_in(4) ? scan.type : pick(all_results, random);
  scan.x = generate(pick(all_generators, random), scan.type, random.log_uniform(4000), random);
  scan.kind = random.coin() ? ScanKind::exclusive : ScanKind::inclusive;
  if (scan.kind == ScanKind::exclusive && random.coin()) {
    scan.quarters = random.between(-1, 1) * random.log_uniform(std::int64_t{1} << random.between(1, 50));
    if (!is_floating(scan.result)) scan.quarters *= 4;
  }
  scan.stride = random.one_in(4) ? random.between(-3, 3) : 1;
  if (scan.stride == 0 && !scan.x.empty()) std::ranges::fill(scan.x, scan.x.front());
  scan.out_stride = random.one_in(4) ? random.between(1, 3) * (random.coin() ? 1 : -1) : 1;
  scan.misalignment = random.one_in(4) ? random.between(0, 7) : 0;
  scan.out_misalignment = random.one_in(4) ? random.between(0, 63) : 0;
  if (scan.x.size() > 1 && random.one_in(4))
    scan.cut = random.between(1, static_cast<std::int64_t>(scan.x.size()) - 1);
  scan.in_place = scan.type == scan.result && random.coin();
  scan.context.execution.threads = random.one_in(8) ? static_cast<int>(random.between(2, 8)) : 1;
  scan.context.overflow = random.coin() ? Overflow::wrap : Overflow::error;
  ask_oracle(scan);
  return scan;
}

void call_scan(const ScanCase& scan, const VectorView& x, const MutableVectorView& out,
               const Context& context) {
  if (scan.cut > 0) {
    RunningScan running(scan.kind, scan.init());
    running.next(x.part(0, scan.cut), out.part(0, scan.cut), context);
    running.next(x.part(scan.cut, x.size() - scan.cut), out.part(scan.cut, x.size() - scan.cut), context);
  } else if (scan.kind == ScanKind::exclusive) {
    exclusive_scan(x, out, scan.init(), context);
  } else {
    inclusive_scan(x, out, context);
  }
}

/// What is wrong; empty if nothing.
std::string check_on(const ScanCase& scan, const cases::Layout& x, const Context& context) {
  const auto size = static_cast<std::int64_t>(scan.x.size());
  cases::OutputLayout out(size, scan.result, scan.out_stride, scan.out_misalignment);
  std::optional<std::string> overflow;
  try {
    if (scan.in_place) {
      out.write(scan.x);
      const MutableVectorView there = out.view(context.execution.device);
      call_scan(scan, there, there, context);
    } else {
      call_scan(scan, x.view(context.execution.device), out.view(context.execution.device), context);
    }
  } catch (const foldline::OverflowError& error) {
    overflow = error.what();
  } catch (const std::exception& error) {
    return std::string("threw ") + error.what();
  }
  out.fetch();
  if (!out.padding_is_untouched()) return "wrote where it must not";
  if (!scan.overflow || context.overflow == Overflow::wrap)
    return overflow ? "threw " + *overflow : cases::difference(out.results(), scan.expected);
  const auto first = static_cast<std::int64_t>(*scan.overflow);
  const std::int64_t in_block = scan.cut > 0 && first >= scan.cut ? first - scan.cut : first;
  const std::string hint = "result " + std::to_string(in_block) + " does not fit";
  if (!overflow) return "threw no OverflowError for result " + std::to_string(first);
  return overflow->find(hint) == std::string::npos ? "threw " + *overflow + ", not \"" + hint + '"' : "";
}

}  // namespace

std::string check_random_scan(std::uint64_t seed) {
  const ScanCase scan = make_scan_case(seed);
  const auto x = cases::Layout::of_words(scan.x, scan.type, scan.stride, scan.misalignment);
  for (const Context& processor : cases::processors()) {
    Context context = scan.context;
    context.execution.target = processor.execution.target;
    context.execution.device = processor.execution.device;
    const std::string wrong = check_on(scan, x, context);
    if (wrong.empty()) continue;
    std::ostringstream text;
    text << (scan.kind == ScanKind::exclusive ? "exclusive" : "inclusive") << " scan of " << scan.x.size()
         << ' ' << name_of(scan.type) << " to " << name_of(scan.result) << ", init "
         << static_cast<double>(scan.quarters) / 4 << ", strides " << scan.stride << ' ' << scan.out_stride
         << ", misaligned by " << scan.misalignment << ' ' << scan.out_misalignment
         << (scan.in_place ? ", in place" : "") << ", " << context.execution.threads << " threads, cut at "
         << scan.cut << (context.overflow == Overflow::wrap ? ", wrapping" : "") << ", target "
         << name_of(context.execution.target) << " on " << name_of(context.execution.device) << ", seed "
         << seed << ": " << wrong;
    return text.str();
  }
  return {};
}

}  // namespace integer_cases
