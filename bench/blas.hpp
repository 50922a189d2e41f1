// CBLAS for float and double under one name each.
#pragma once

#include <cblas.h>

#include <cstdint>
#include <limits>
#include <span>

namespace foldline::bench::blas {

/// The packaged OpenBLAS has 32-bit sizes.
inline bool takes(std::int64_t size) { return size <= std::numeric_limits<blasint>::max(); }

template <class T>
constexpr const char* name(const char* of_double, const char* of_float) {
  return sizeof(T) == 8 ? of_double : of_float;
}

template <class T>
blasint size(std::span<const T> x) {
  return static_cast<blasint>(x.size());
}

inline double sum(std::span<const double> x) { return cblas_dsum(size(x), x.data(), 1); }
inline float sum(std::span<const float> x) { return cblas_ssum(size(x), x.data(), 1); }
inline double abs_sum(std::span<const double> x) { return cblas_dasum(size(x), x.data(), 1); }
inline float abs_sum(std::span<const float> x) { return cblas_sasum(size(x), x.data(), 1); }
inline double two_norm(std::span<const double> x) { return cblas_dnrm2(size(x), x.data(), 1); }
inline float two_norm(std::span<const float> x) { return cblas_snrm2(size(x), x.data(), 1); }
inline double dot(std::span<const double> x, std::span<const double> y) {
  return cblas_ddot(size(x), x.data(), 1, y.data(), 1);
}
inline float dot(std::span<const float> x, std::span<const float> y) {
  return cblas_sdot(size(x), x.data(), 1, y.data(), 1);
}

}  // namespace foldline::bench::blas
