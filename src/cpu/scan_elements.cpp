// The scan of what no window holds: element by element, by integers.
#include <cstring>

#include "cpu/kernels.hpp"

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

template void scan_elements(const float*, std::size_t, half*, ScanState&);
template void scan_elements(const float*, std::size_t, bfloat16*, ScanState&);
template void scan_elements(const float*, std::size_t, float*, ScanState&);
template void scan_elements(const float*, std::size_t, double*, ScanState&);
template void scan_elements(const double*, std::size_t, half*, ScanState&);
template void scan_elements(const double*, std::size_t, bfloat16*, ScanState&);
template void scan_elements(const double*, std::size_t, float*, ScanState&);
template void scan_elements(const double*, std::size_t, double*, ScanState&);

}  // namespace foldline::cpu
