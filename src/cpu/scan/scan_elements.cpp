// The scan of elements that no window holds: one by one, in integers.
#include <cstring>

#include "cpu/scan/kernels.hpp"

namespace foldline::cpu {

template <class T, class Out>
void scan_elements(const T* x, std::size_t n, Out* results, ScanState& state) {
  for (std::size_t i = 0; i < n; ++i) {
    T element;  // which need not be aligned
    std::memcpy(&element, reinterpret_cast<const char*>(x) + i * sizeof element, sizeof element);
    state.add(static_cast<double>(element));
    results[i] = narrow_exactly<Out>(state.rounded(format_for<Out>));
  }
}

template <class Out>
void scan_integers(const std::uint64_t* x, std::size_t n, bool is_signed, Out* results, ScanState& state) {
  for (std::size_t i = 0; i < n; ++i) {
    state.add_integer(is_signed ? Int128{static_cast<std::int64_t>(x[i])} : Int128{x[i]});
    results[i] = narrow_exactly<Out>(state.rounded(format_for<Out>));
  }
}

template void scan_elements(const float*, std::size_t, half*, ScanState&);
template void scan_elements(const float*, std::size_t, bfloat16*, ScanState&);
template void scan_elements(const float*, std::size_t, float*, ScanState&);
template void scan_elements(const float*, std::size_t, double*, ScanState&);
template void scan_elements(const double*, std::size_t, half*, ScanState&);
template void scan_elements(const double*, std::size_t, bfloat16*, ScanState&);
template void scan_elements(const double*, std::size_t, float*, ScanState&);
template void scan_elements(const double*, std::size_t, double*, ScanState&);
template void scan_integers(const std::uint64_t*, std::size_t, bool, half*, ScanState&);
template void scan_integers(const std::uint64_t*, std::size_t, bool, bfloat16*, ScanState&);
template void scan_integers(const std::uint64_t*, std::size_t, bool, float*, ScanState&);
template void scan_integers(const std::uint64_t*, std::size_t, bool, double*, ScanState&);

}  // namespace foldline::cpu
