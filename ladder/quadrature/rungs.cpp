// The rungs in order. A new rung needs a file, a declaration and a line here.
#include "quadrature/rungs.hpp"

namespace foldline::ladder::quadrature {

template <class T>
void running_sum_on_the_host(Bench<T>&);
template <class T>
void samples_on_device(Bench<T>&);
template <class T>
void midpoint(Bench<T>&);
template <class T>
void trapezoid(Bench<T>&);
template <class T>
void simpson(Bench<T>&);
template <class T>
void simpson_with_residuals(Bench<T>&);
template <class T>
void library(Bench<T>&);
template <class T>
void bare_evaluations(Bench<T>&);
template <class T>
void midpoint_from_linear_texture(Bench<T>&);
template <class T>
void texture_table(Bench<T>&);
template <class T>
void library_on_the_host(Bench<T>&);
template <class T>
void rules_compared(Bench<T>&);
template <class T>
void attempt(Bench<T>&);

const std::vector<Rung>& rungs() {
  static const std::vector<Rung> list = {
      {{"running-sum-on-the-host", Kind::rung, "running_sum_on_the_host.cpp", false},
       running_sum_on_the_host,
       running_sum_on_the_host},
      {{"samples-on-device", Kind::rung, "samples_on_device.cu"}, samples_on_device, samples_on_device},
      {{"midpoint", Kind::rung, "midpoint.cu"}, midpoint, midpoint},
      {{"trapezoid", Kind::rung, "trapezoid.cu"}, trapezoid, trapezoid},
      {{"simpson", Kind::rung, "simpson.cu"}, simpson, simpson},
      {{"simpson-with-residuals", Kind::rung, "simpson_with_residuals.cu"},
       simpson_with_residuals,
       simpson_with_residuals},
      {{"foldline-integrate", Kind::library, "library.cu"}, library, library},
      {{"bare-evaluations", Kind::roof, "bare_evaluations.cu"}, bare_evaluations, bare_evaluations},
      {{"midpoint-from-linear-texture", Kind::aside, "midpoint_from_linear_texture.cu"},
       midpoint_from_linear_texture,
       midpoint_from_linear_texture},
      {{"texture-table", Kind::aside, "texture_table.cu"}, texture_table, texture_table},
      {{"foldline-integrate-on-the-host", Kind::aside, "library_on_the_host.cpp", false},
       library_on_the_host,
       library_on_the_host},
      {{"rules-compared", Kind::aside, "rules_compared.cpp", false}, rules_compared, rules_compared, true},
      {{"attempt", Kind::attempt, "attempt.cpp"}, attempt, attempt},
  };
  return list;
}

}  // namespace foldline::ladder::quadrature
