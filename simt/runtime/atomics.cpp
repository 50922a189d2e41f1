#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/access.hpp"
#include "runtime/atomics.hpp"

#define SIMT_SITE reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace simt {
namespace {

template <class Word>
Word add(int operation, Word old, Word a) {
  if (operation == atomic_add) return old + a;
  if constexpr (sizeof(Word) == 4)
    return std::bit_cast<Word>(std::bit_cast<float>(old) + std::bit_cast<float>(a));
  else
    return std::bit_cast<Word>(std::bit_cast<double>(old) + std::bit_cast<double>(a));
}

template <class Word>
Word result(int operation, Word old, Word a, Word b) {
  using Signed = std::make_signed_t<Word>;
  const auto is_less = [](Word x, Word y) { return static_cast<Signed>(x) < static_cast<Signed>(y); };
  switch (operation) {
    case atomic_exchange:
      return a;
    case atomic_min_signed:
      return is_less(a, old) ? a : old;
    case atomic_min_unsigned:
      return std::min(a, old);
    case atomic_max_signed:
      return is_less(old, a) ? a : old;
    case atomic_max_unsigned:
      return std::max(a, old);
    case atomic_and:
      return old & a;
    case atomic_or:
      return old | a;
    case atomic_xor:
      return old ^ a;
    case atomic_increment:
      return old >= a ? 0 : old + 1;
    case atomic_decrement:
      return old == 0 || old > a ? a : old - 1;
    case atomic_compare_and_swap:
      return old == a ? b : old;
    default:
      return add(operation, old, a);
  }
}

template <class Word>
Word operate(int operation, void* place, Word a, Word b, std::uintptr_t site) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  Lane* const lane = current_lane;
  if (operation == atomic_add_double && lane != nullptr) need(*lane, Feature::double_atomic_add, site);
  check_and_trace(address, sizeof(Word), Access::atomic, Manner::atomic, site);
  Word old;
  std::memcpy(&old, place, sizeof old);
  const Word now = result(operation, old, a, b);
  if (lane != nullptr) {
    checks().ordering.read_flag(*lane, address);
    // An exchange that fails tells the others nothing.
    if (operation != atomic_compare_and_swap || now != old || a == b)
      checks().ordering.write_flag(*lane, address);
    lane->polled = true;
    lane->spin_site = site;
    lane->spin_address = address;
    if (now != old) ++machine().progress;
  }
  std::memcpy(place, &now, sizeof now);
  return old;
}

}  // namespace
}  // namespace simt

extern "C" {

unsigned int simt_atomic_32(int operation, void* address, unsigned int a, unsigned int b) {
  return simt::operate<std::uint32_t>(operation, address, a, b, SIMT_SITE);
}

unsigned long long simt_atomic_64(int operation, void* address, unsigned long long a, unsigned long long b) {
  return simt::operate<std::uint64_t>(operation, address, a, b, SIMT_SITE);
}

}  // extern "C"
