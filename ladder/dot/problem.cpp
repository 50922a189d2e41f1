// The problem for the runner: random vectors, their exact dot product, and the arrays of a rung.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "dot/rungs.hpp"
#include "problems.hpp"
#include "runner/device.hpp"
#include "runner/exact.hpp"
#include "runner/random.hpp"

namespace foldline::ladder {
namespace dot {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 30;

/// Elements are multiples of 2^-bits in [-1, 1): exact in T, with products that are exact in an ExactSum.
template <class T>
constexpr int bits = sizeof(T) == 4 ? 24 : 48;

enum class Input : std::uint8_t {
  random,
  ones,          ///< as in the text
  whole_numbers  ///< from -4 to 4 without 0: their sums are exact in any order
};

template <class T>
struct Data {
  std::vector<T> x, y;
  ExactSum products, squares;
  long double magnitudes = 0;  ///< sum of |x y|
  int block = 256;
  Input input = Input::random;
};

template <class T>
class DotBench : public Workbench, public Bench<T> {
 public:
  DotBench(const Data<T>& data, const Rung& rung) : data_(data), rung_(rung) {}

  std::int64_t n() const override { return static_cast<std::int64_t>(data_.x.size()); }
  int block() const override { return data_.block; }
  const T* x() override { return x_.get(data_.x); }
  const T* y() override { return y_.get(data_.y); }
  T* partials(std::int64_t count, double depth) override {
    depth_ = depth;
    return partials_.get(count);
  }
  T* result(double depth) override {
    depth_ = depth;
    return kernels_result_.get();
  }
  void took(const char* what, double microseconds) override { own_times_.push_back({what, {microseconds}}); }
  void* scratch(std::size_t bytes) override { return scratch_.get(static_cast<std::int64_t>(bytes)); }

  void refresh() override {
    partials_.poison();
    kernels_result_.poison();
    own_times_.clear();
    result_ = std::numeric_limits<T>::quiet_NaN();
  }
  void start() override { rung_.run(*this); }
  void finish() override {
    if (kernels_result_) result_ = kernels_result_.wait();
    if (!partials_) return;
    double sum = 0;
    for (const T partial : partials_.on_host()) sum += static_cast<double>(partial);
    result_ = static_cast<T>(rung_.is_norm ? std::sqrt(sum) : sum);
  }
  Check check() const override {
    if (rung_.info.kind == Kind::roof) return {};  // reads only
    const Error error =
        rung_.is_norm ? error_of_norm() : error_of(result_, data_.products, depth(), data_.magnitudes);
    if (error.within) return {1, 1, error.ulp, ""};
    const long double exact = rung_.is_norm ? std::sqrt(data_.squares.value()) : data_.products.value();
    return {0, 1, error.ulp, "the result is " + std::to_string(result_) + ", not " + std::to_string(exact)};
  }
  std::vector<std::byte> bits() const override {
    std::vector<std::byte> bytes(sizeof result_);
    std::memcpy(bytes.data(), &result_, sizeof result_);
    return bytes;
  }
  std::int64_t work() const override {
    return rung_.is_norm ? n() * static_cast<std::int64_t>(sizeof(T)) : 0;
  }
  std::vector<Table> tables() const override {
    if (own_times_.empty()) return {};
    return {{rung_.info.name + ": what the last run took", {"us"}, own_times_}};
  }
  std::string printed() const override {
    if (data_.input != Input::ones || rung_.info.kind == Kind::roof) return "";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "Result = %.2f", static_cast<double>(result_));
    return text.data();
  }

 private:
  /// Includes the host's additions in double, which matter little for float, and its last rounding.
  double depth() const {
    if (data_.input == Input::whole_numbers) return 0;
    if (!partials_) return depth_;
    const double hosts = static_cast<double>(partials_.size());
    return depth_ + 1 + (sizeof(T) == 8 ? hosts : hosts * 0x1p-29);
  }
  /// The square root halves a relative error, and all terms are positive.
  Error error_of_norm() const {
    const long double exact = std::sqrt(data_.squares.value()), unit = unit_in_last_place<T>(exact);
    const long double distance = std::abs(static_cast<long double>(result_) - exact);
    const long double roundings = depth() * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    // A long double is rounded itself: a thousandth of a unit for doubles.
    const long double bound = (roundings < 0.5L ? roundings / (1 - roundings) : 1) * exact + 0.501L * unit;
    const bool within = distance <= bound;  // false for NaN
    return {within ? static_cast<double>(distance / unit) : 1e18, within};
  }

  const Data<T>& data_;
  const Rung& rung_;
  DeviceArray<T> x_, y_, partials_;
  HostNumber<T> kernels_result_;
  DeviceArray<char> scratch_;
  double depth_ = 0;
  std::vector<Table::Row> own_times_;
  T result_ = 0;
};

template <class T>
class DotProduct : public Instance {
 public:
  DotProduct(std::int64_t n, int block, std::uint64_t seed, Input input) {
    Random random(seed);
    const auto draw = [&] {
      if (input == Input::ones) return one;
      if (input == Input::whole_numbers) return one * random.whole_number();
      return static_cast<std::int64_t>(random.next() >> (63 - dot::bits<T>)) - one;
    };
    data_.block = block;
    data_.input = input;
    data_.x.reserve(static_cast<std::size_t>(n));
    data_.y.reserve(static_cast<std::size_t>(n));
    double magnitudes = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t x = draw(), y = draw();
      data_.x.push_back(static_cast<T>(x) / static_cast<T>(one));
      data_.y.push_back(static_cast<T>(y) / static_cast<T>(one));
      data_.products.add_product(x, y, -dot::bits<T>);
      data_.squares.add_product(x, x, -dot::bits<T>);
      magnitudes += std::abs(static_cast<double>(data_.x.back()) * static_cast<double>(data_.y.back()));
    }
    data_.magnitudes = magnitudes;
  }
  std::string title() const override {
    return "dot product of " + std::to_string(data_.x.size()) + (sizeof(T) == 4 ? " floats" : " doubles") +
           (data_.input == Input::ones ? ", all 1, blocks of " : ", blocks of ") +
           std::to_string(data_.block);
  }
  std::int64_t work() const override { return static_cast<std::int64_t>(2 * data_.x.size() * sizeof(T)); }
  std::unique_ptr<Workbench> set_up(std::size_t rung) const override {
    return std::make_unique<DotBench<T>>(data_, rungs()[rung]);
  }

 private:
  static constexpr std::int64_t one = std::int64_t{1} << dot::bits<T>;

  Data<T> data_;
};

struct Size {
  std::int64_t n;
  int block = 256;
  Input input = Input::random;
};

/// The texts' 1024 ones in blocks of 64; what fits in constant memory; what fits in CUDA arrays; what fills
/// the GPU.
std::vector<Size> sizes(const Params& params) {
  constexpr std::int64_t large = std::int64_t{1} << 24;
  if (params.textbook) return {{1024, 64, Input::ones}, {4096}, {131072}, {large}};
  const Input input = params.whole_numbers ? Input::whole_numbers : Input::random;
  return {{params.n.value_or(large), 256, input}};
}

}  // namespace
}  // namespace dot

Problem dot_problem() {
  using namespace dot;
  Problem problem{
      "dot",
      "the dot product of two vectors of floats or doubles, 2^24 of them unless --n says otherwise",
      {},
      {"n", "type", "block", "data"},
      {}};
  problem.simulated = {.n = 131072};
  problem.attempt = {
      .declaration = "template <class T> void solve(const T* x, const T* y, int n, T* result)",
      .variants = {{"float", SolveDot<float>::parameters()}, {"double", SolveDot<double>::parameters()}},
      .sizes = {{.n = 0}, {.n = 1}, {.n = 257}, {.n = 4097}, {.n = 8193}}};
  problem.rungs = infos_of(rungs());
  problem.instances = [](const Params& params) {
    std::vector<InstanceMaker> makers;
    for (const Size& size : sizes(params)) {
      if (size.n > max_elements) throw BadParam("dot takes 2^30 elements at most");
      const auto add = [&]<class T>(T) {
        makers.emplace_back([=, block = params.block.value_or(size.block), seed = params.seed] {
          return std::make_unique<DotProduct<T>>(size.n, block, seed, size.input);
        });
      };
      if (params.type != "double") add(float{});
      if (params.type != "float") add(double{});
    }
    return makers;
  };
  return problem;
}

}  // namespace foldline::ladder
