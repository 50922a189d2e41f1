// Products of square matrices: as many elements of the vectors as make one.
#include <cmath>
#include <memory>

#include <foldline/matrix_product.hpp>

#include "blas.hpp"
#include "digest.hpp"
#include "operations.hpp"

namespace foldline::bench {
namespace {

inline void multiply(blasint side, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 1, a, side, b, side, 0, c, side);
}
inline void multiply(blasint side, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 1, a, side, b, side, 0, c, side);
}

}  // namespace

template <FloatingElement T>
std::vector<Contestant> matrix_product_contestants(const Problem<T>& problem) {
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(problem.size)));
  const MatrixView a(problem.x_data, side, side);
  const MatrixView b(problem.y_data, side, side);
  const auto product = std::make_shared<std::vector<T>>(static_cast<std::size_t>(side * side));
  const auto with = [=](const Context& context) {
    return [=] { matrix_product(a, b, MutableArrayView(product->data(), {side, side}), {}, context); };
  };
  std::vector<Contestant> list;
  list.push_back(filling<T>("foldline exact", Role::foldline, product, with(problem.context())));
  // The same from the other side, one thread: C' = B' A', by other tiles.
  list.back().second = [=] {
    matrix_product(b.transposed(), a.transposed(), MutableArrayView(product->data(), {side, side}, {1, side}),
                   {}, {.execution = {.threads = 1}});
    return digest_of<T>(*product);
  };
  const auto fast =
      filling<T>("foldline fast", Role::foldline, product, with(problem.context(Accuracy::fast)));
  list.push_back(fast);
  list.back().second = fast.result;
  list.push_back(filling<T>(blas::name<T>("cblas_dgemm", "cblas_sgemm"), Role::peer, product, [=] {
    multiply(static_cast<blasint>(side), problem.x_data, problem.y_data, product->data());
  }));
  return list;
}

template std::vector<Contestant> matrix_product_contestants(const Problem<double>&);
template std::vector<Contestant> matrix_product_contestants(const Problem<float>&);

}  // namespace foldline::bench
