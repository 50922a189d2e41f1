#include "cases.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace cases {

using generators::Random;

std::vector<std::uint64_t> encoded(std::span<const double> values, ElementType type) {
  std::vector<std::uint64_t> words;
  words.reserve(values.size());
  for (const double value : values) words.push_back(oracle::encode(value, type));
  return words;
}

Layout::Layout(std::span<const double> values, ElementType type, std::int64_t stride,
               std::int64_t misalignment) {
  place(encoded(values, type), type, stride, misalignment);
}

Layout Layout::of_words(std::span<const std::uint64_t> words, ElementType type, std::int64_t stride,
                        std::int64_t misalignment) {
  Layout layout;
  layout.place(words, type, stride, misalignment);
  return layout;
}

void Layout::place(std::span<const std::uint64_t> words, ElementType type, std::int64_t stride,
                   std::int64_t misalignment) {
  constexpr std::int64_t guard = 1024;  // bytes; more than any vector or tile row reads ahead
  const std::int64_t width = foldline::size_of(type), count = static_cast<std::int64_t>(words.size());
  const std::int64_t span = count == 0 ? 0 : ((count - 1) * std::abs(stride) + 1) * width;
  bytes_.assign(static_cast<std::size_t>(2 * guard + span + 64), std::byte{0xff});
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  const auto aligned = static_cast<std::int64_t>((64 - address % 64) % 64);
  std::byte* low = bytes_.data() + guard - 64 + aligned + misalignment;
  std::byte* first = stride < 0 ? low + (count - 1) * -stride * width : low;
  with_width(width, [&]<class Word>(Word) {
    std::byte* place = first;
    for (const std::uint64_t word : words) {
      const auto element = static_cast<Word>(word);
      std::memcpy(place, &element, sizeof element);
      place += stride * width;
    }
  });
  view_ = VectorView(first, type, count, stride);
}

VectorView Layout::view(foldline::Device device) const {
  if (device.kind == foldline::Device::Kind::cpu) return view_;
  if (!copy_) copy_.emplace(bytes_, device);
  return {copy_->at(static_cast<const std::byte*>(view_.data())), view_.type(), view_.size(), view_.stride()};
}

namespace {
std::vector<Context> contexts_of_targets() {
  std::vector<Context> result = {{}};  // nothing chosen: few elements have a way of their own
  for (const Target target : foldline::available_targets())
    result.push_back({.execution = {.target = target}});
  return result;
}

/// Made once: a virtual machine may take longer to say what its processor can do than a case takes.
std::vector<Context>& chosen_processors() {
  static std::vector<Context> chosen = contexts_of_targets();
  return chosen;
}
}  // namespace

void run_on(foldline::Device device) {
  Context context;
  context.execution.device = device;
  const bool cpu = device.kind == foldline::Device::Kind::cpu;
  chosen_processors() = cpu ? contexts_of_targets() : std::vector<Context>{context};
}

const std::vector<Context>& processors() { return chosen_processors(); }

std::uint64_t call(Operation operation, const VectorView& x, const VectorView& y, ElementType result,
                   std::int64_t ddof, const Context& context) {
  return with_type(result, [&]<class R>(R) -> std::uint64_t {
    switch (operation) {
      case Operation::sum:
        return bits_of(foldline::sum<R>(x, context));
      case Operation::abs_sum:
        return bits_of(foldline::vector_abs_sum<R>(x, context));
      case Operation::two_norm:
        return bits_of(foldline::vector_two_norm<R>(x, context));
      case Operation::root_mean_square:
        return bits_of(foldline::root_mean_square<R>(x, context));
      case Operation::mean:
        return bits_of(foldline::mean<R>(x, context));
      case Operation::variance:
        return bits_of(foldline::variance<R>(x, {.ddof = ddof}, context));
      case Operation::standard_deviation:
        return bits_of(foldline::standard_deviation<R>(x, {.ddof = ddof}, context));
      case Operation::standard_error:
        return bits_of(foldline::standard_error<R>(x, {.ddof = ddof}, context));
      case Operation::range:
        return bits_of(foldline::range<R>(x, context));
      case Operation::dot:
        return bits_of(foldline::dot<R>(x, y, context));
      case Operation::weighted_mean:
        return bits_of(foldline::weighted_mean<R>(x, y, context));
      case Operation::minimum:
        return bits_of(foldline::minmax(x, context).minimum);
      case Operation::maximum:
        return bits_of(foldline::minmax(x, context).maximum);
      case Operation::statistics:
        break;
    }
    throw std::logic_error("statistics has many results");
  });
}

std::vector<std::uint64_t> call_statistics(const VectorView& x, ElementType result, std::int64_t ddof,
                                           const Context& context) {
  return with_type(result, [&]<class R>(R) -> std::vector<std::uint64_t> {
    const foldline::Statistics<R> all = foldline::statistics<R>(x, {.ddof = ddof}, context);
    if (all.count != x.size()) throw std::runtime_error("statistics: wrong count");
    return {bits_of(all.sum),     bits_of(all.abs_sum),           bits_of(all.two_norm),
            bits_of(all.mean),    bits_of(all.variance),          bits_of(all.minimum),
            bits_of(all.maximum), bits_of(all.standard_deviation)};
  });
}

Problem::Problem(std::uint64_t seed, ElementType type) : random_(seed), seed_(seed), type_(type) {
  generator_ = generators::all_generators[static_cast<std::size_t>(
      random_.between(0, static_cast<std::int64_t>(generators::all_generators.size()) - 1))];
  const std::int64_t size = random_.log_uniform(4096);
  stride_x_ = random_.one_in(4) ? random_.between(-3, 3) : 1;
  stride_y_ = random_.one_in(4) ? random_.between(-3, 3) : 1;
  misalignment_ = random_.one_in(4) ? random_.between(0, 7) : 0;
  data_ = generators::generate(generator_, type, size, random_);
  if (stride_x_ == 0) std::fill(data_.x.begin(), data_.x.end(), data_.x.front());
  if (stride_y_ == 0) std::fill(data_.y.begin(), data_.y.end(), data_.y.front());
  // One call in 32 has several threads. They come together, with one number of them, since the runtime starts
  // new threads wherever the number changes.
  static const std::vector<int> thread_counts = {2, 3, 8};
  threads_ = random_.one_in(8) ? random_.pick(thread_counts) : 1;
  oracle_.load(data_.x, data_.y);
  layouts_.emplace_back(data_.x, type, stride_x_, misalignment_);
  layouts_.emplace_back(data_.y, type, stride_y_, random_.coin() ? misalignment_ : 0);
}

std::vector<Problem::Case> Problem::cases() {
  static constexpr auto operations =
      oracle::joined(oracle::all_operations, std::array{Operation::statistics});
  std::vector<Case> result;
  for (Context context : processors())
    for (const Operation operation : operations) {
      // The type of the input, double and float are what people ask for; the others are allowed.
      const std::vector<ElementType> results = {
          type_,
          type_,
          ElementType::float64,
          ElementType::float64,
          ElementType::float32,
          ElementType::float32,
          oracle::all_types[static_cast<std::size_t>(random_.between(0, 3))]};
      context.execution.threads = threads_ > 1 && random_.one_in(4) ? threads_ : 1;
      const bool extreme = operation == Operation::minimum || operation == Operation::maximum;
      const ElementType type = extreme ? ElementType::float64 : random_.pick(results);
      const bool has_ddof = oracle::has_ddof(operation) || operation == Operation::statistics;
      const std::int64_t ddof = has_ddof ? random_.between(0, 1) : 0;
      result.push_back({operation, type, ddof, context});
      if (operation == Operation::variance) result.push_back({operation, type, 1 - ddof, context});
    }
  return result;
}

std::string Problem::check(const Case& one) const {
  std::ostringstream wrong;
  const auto compare = [&](Operation operation, std::uint64_t actual) {
    const std::uint64_t expected = oracle_.result(operation, one.result, one.ddof);
    if (actual != expected)
      wrong << ' ' << name_of(operation) << " is " << hex(actual) << ", must be " << hex(expected) << ';';
  };
  try {
    // A device works on what is in its memory, and on what is not.
    const foldline::Device device = seed_ % 8 == 0 ? foldline::Device{} : one.context.execution.device;
    const VectorView x = layouts_[0].view(device), y = layouts_[1].view(device);
    if (one.operation == Operation::statistics) {
      const auto results = call_statistics(x, one.result, one.ddof, one.context);
      for (std::size_t i = 0; i < results.size(); ++i) compare(oracle::one_vector_operations[i], results[i]);
    } else {
      compare(one.operation, call(one.operation, x, y, one.result, one.ddof, one.context));
    }
  } catch (const std::exception& error) {
    wrong << " exception: " << error.what();
  }
  if (wrong.str().empty()) return {};
  std::ostringstream message;
  message << name_of(one.operation) << " as " << name_of(one.result) << ", ddof " << one.ddof << ", target "
          << name_of(one.context.execution.target) << ", on " << name_of(one.context.execution.device)
          << ", threads " << one.context.execution.threads << ", of " << description() << ':' << wrong.str();
  return message.str();
}

std::string Problem::check_oracles() const {
  for (const ElementType result : oracle::all_types)
    for (const Operation operation :
         {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::mean, Operation::variance,
          Operation::dot, Operation::weighted_mean, Operation::standard_deviation, Operation::standard_error,
          Operation::range, Operation::root_mean_square})
      for (std::int64_t ddof = 0; ddof <= (oracle::has_ddof(operation) ? 1 : 0); ++ddof) {
        const std::uint64_t mpfr = oracle::round_with_mpfr(operation, data_.x, data_.y, result, ddof);
        const std::uint64_t big = oracle_.result(operation, result, ddof);
        if (mpfr != big)
          return "the oracles differ: " + std::string(name_of(operation)) + " of " + description() + " is " +
                 hex(mpfr) + " by MPFR, " + hex(big) + " by integers";
      }
  return {};
}

std::string Problem::description() const {
  std::ostringstream text;
  text << data_.x.size() << ' ' << name_of(type_) << " from " << name_of(generator_) << ", strides "
       << stride_x_ << ' ' << stride_y_ << ", misaligned by " << misalignment_ << ", seed " << seed_;
  return text.str();
}

std::string Problem::data_in_hex() const {
  std::ostringstream text;
  for (const auto& [name, vector] : {std::pair("x", &data_.x), std::pair("y", &data_.y)}) {
    text << name << " =";
    for (const double value : *vector) text << ' ' << hex(oracle::encode(value, type_));
    text << '\n';
  }
  return text.str();
}

std::string hex(std::uint64_t bits) {
  std::ostringstream text;
  text << "0x" << std::hex << bits;
  return text.str();
}

}  // namespace cases
