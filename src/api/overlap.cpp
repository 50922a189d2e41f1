#include "api/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "api/validate.hpp"

namespace foldline {

namespace {

/// An axis of an array: its elements are `step` bytes apart, `last` is the offset of the last one.
struct Axis {
  std::int64_t step, last;
};

/// An array's bytes: runs of `size` bytes at all sums of one multiple of each axis' step.
struct Runs {
  std::uintptr_t first;
  std::int64_t size;
  std::vector<Axis> axes;  // the widest step first
  bool are_nested = true;  // each step reaches beyond all that the later axes span

  explicit Runs(const ArrayView& array) : first(address_range(array).first), size(size_of(array.type())) {
    for (std::size_t i = 0; i < array.shape().size(); ++i) {
      if (array.shape()[i] == 1 || array.strides()[i] == 0) continue;
      const std::int64_t step = std::abs(array.strides()[i]) * size;
      axes.push_back({step, step * (array.shape()[i] - 1)});
    }
    std::ranges::sort(axes, std::ranges::greater(), &Axis::step);
    for (; !axes.empty() && axes.back().step == size; axes.pop_back()) size += axes.back().last;
    std::int64_t span = size;
    for (std::size_t i = axes.size(); i-- > 0; span += axes[i].last)
      are_nested = are_nested && axes[i].step >= span;
  }

  [[nodiscard]] std::int64_t count() const {
    std::int64_t runs = 1;
    for (const Axis& axis : axes) runs *= axis.last / axis.step + 1;
    return runs;
  }

  /// Whether a run of an array whose axes are nested has a byte in [from, from + bytes), counted from
  /// `first`.
  [[nodiscard]] bool meet(std::int64_t from, std::int64_t bytes) const {
    // The first run that does not end before: of each axis the most steps that do not go beyond it.
    std::int64_t left = from - size + 1;
    std::int64_t span = size;
    for (const Axis& axis : axes) span += axis.last;
    if (left > span - size) return false;
    std::int64_t offset = 0;
    for (const Axis& axis : axes) {
      if (left <= 0) break;
      span -= axis.last;
      std::int64_t steps = left / axis.step;
      if (left - steps * axis.step > span - size) ++steps;  // between two steps: the next one
      offset += steps * axis.step;
      left -= steps * axis.step;
    }
    return offset < from + bytes;
  }
};

/// Whether any run of `each`, whose first begins `origin` bytes behind that of `nested`, meets one of that.
bool any_meets(const Runs& each, const Runs& nested, std::int64_t origin) {
  std::vector<std::int64_t> at(each.axes.size(), 0);
  for (std::int64_t offset = origin;;) {
    if (nested.meet(offset, each.size)) return true;
    std::size_t axis = each.axes.size();
    for (; axis-- > 0;) {
      const Axis& steps = each.axes[axis];
      if (at[axis] < steps.last) {
        at[axis] += steps.step;
        offset += steps.step;
        break;
      }
      offset -= at[axis];
      at[axis] = 0;
    }
    if (axis > each.axes.size()) return false;  // all were tried
  }
}

/// The same of two arrays whose axes are nested. Along axes of one step only neighbours can meet.
bool meet(const Runs& x, const Runs& y, std::int64_t origin) {
  if (x.axes.empty() || y.axes.empty() || x.axes[0].step != y.axes[0].step)
    return y.count() <= x.count() ? any_meets(y, x, origin) : any_meets(x, y, -origin);
  const std::int64_t step = x.axes[0].step;
  Runs of_x = x, of_y = y;
  of_x.axes.erase(of_x.axes.begin());
  of_y.axes.erase(of_y.axes.begin());
  const std::int64_t before = origin / step - (origin % step < 0 ? 1 : 0);
  return std::ranges::any_of(std::array{before, before + 1}, [&](std::int64_t steps) {
    return -y.axes[0].last <= steps * step && steps * step <= x.axes[0].last &&
           meet(of_x, of_y, origin - steps * step);
  });
}

}  // namespace

bool have_common_memory(const ArrayView& x, const ArrayView& y) {
  if (x.size() == 0 || y.size() == 0) return false;
  const auto [x_first, x_end] = address_range(x);
  const auto [y_first, y_end] = address_range(y);
  if (x_first >= y_end || y_first >= x_end) return false;
  const Runs a(x), b(y);
  const auto origin = static_cast<std::int64_t>(b.first - a.first);
  if (a.are_nested && b.are_nested) return meet(a, b, origin);
  if (a.are_nested) return any_meets(b, a, origin);
  return !b.are_nested || any_meets(a, b, -origin);
}

bool have_common_memory(const VectorView& x, const VectorView& y) {
  const auto as_array = [](const VectorView& v) {
    return ArrayView(v.data(), v.type(), {v.size()}, {v.stride()});
  };
  return have_common_memory(as_array(x), as_array(y));
}

}  // namespace foldline
