#include "integer_cases.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace integer_cases {

namespace {

/// Calls f with a value of the C++ type that `type` stands for.
template <class F>
auto with_any_type(ElementType type, F f) {
  return foldline::is_floating(type) ? foldline::Scalar::from_floating(0, type).visit(f)
                                     : foldline::Scalar::from_integer(0, type).visit(f);
}

template <class T>
Answer value(T result) {
  Answer answer = {Answer::Kind::value, 0};
  std::memcpy(&answer.bits, &result, sizeof result);  // little-endian
  return answer;
}

bool takes_two(Operation operation) {
  return operation == Operation::dot || operation == Operation::weighted_mean;
}
bool is_extremum(Operation operation) {
  return operation == Operation::minimum || operation == Operation::maximum;
}
/// Whether a result may be an integer.
bool is_whole(Operation operation) {
  return operation == Operation::sum || operation == Operation::abs_sum || operation == Operation::dot ||
         is_extremum(operation) || operation == Operation::range;
}

Answer call_function(const Call& call, const VectorView& x, const VectorView& y) {
  const Context& context = call.context;
  return with_any_type(call.result, [&]<class R>(R) {
    if (call.operation == Operation::sum) return value(foldline::sum<R>(x, context));
    if (call.operation == Operation::abs_sum) return value(foldline::vector_abs_sum<R>(x, context));
    if (call.operation == Operation::dot) return value(foldline::dot<R>(x, y, context));
    if (call.operation == Operation::minimum) return value(foldline::min<R>(x, context));
    if (call.operation == Operation::maximum) return value(foldline::max<R>(x, context));
    if (call.operation == Operation::range) return value(foldline::range<R>(x, context));
    if constexpr (foldline::FloatingElement<R>) {
      if (call.operation == Operation::mean) return value(foldline::mean<R>(x, context));
      if (call.operation == Operation::two_norm) return value(foldline::vector_two_norm<R>(x, context));
      if (call.operation == Operation::variance)
        return value(foldline::variance<R>(x, {.ddof = call.ddof}, context));
      if (call.operation == Operation::standard_deviation)
        return value(foldline::standard_deviation<R>(x, {.ddof = call.ddof}, context));
      if (call.operation == Operation::standard_error)
        return value(foldline::standard_error<R>(x, {.ddof = call.ddof}, context));
      if (call.operation == Operation::root_mean_square)
        return value(foldline::root_mean_square<R>(x, context));
      return value(foldline::weighted_mean<R>(x, y, context));
    }
    throw std::logic_error("this does not compile for an integer result");
  });
}

template <class Statistics>
Answer field(const Statistics& all, Operation operation) {
  switch (operation) {
    case Operation::sum:
      return value(all.sum);
    case Operation::abs_sum:
      return value(all.abs_sum);
    case Operation::two_norm:
      return value(all.two_norm);
    case Operation::mean:
      return value(all.mean);
    case Operation::variance:
      return value(all.variance);
    case Operation::standard_deviation:
      return value(all.standard_deviation);
    case Operation::minimum:
      return value(all.minimum);
    case Operation::maximum:
      return value(all.maximum);
    default:
      throw std::logic_error("statistics have no " + std::string(name_of(operation)));
  }
}

Answer call_statistics(const Call& call, const VectorView& x) {
  return with_any_type(call.result, [&]<class R>(R) -> Answer {
    if constexpr (foldline::FloatingElement<R>)
      return field(foldline::statistics<R>(x, {.ddof = call.ddof}, call.context), call.operation);
    throw std::logic_error("this does not compile for an integer result");
  });
}

void add(foldline::Accumulator& accumulator, const VectorView& x, const VectorView& y,
         const Context& context) {
  if (takes_two(accumulator.operation()))
    accumulator.add(x, y, context);
  else
    accumulator.add(x, context);
}

Answer result_of(const foldline::Accumulator& accumulator, const Call& call) {
  return accumulator.rounded(call.operation, call.result, call.ddof, call.context.overflow)
      .visit([](auto result) { return value(result); });
}

foldline::Accumulator gather_pieces(const Call& call, const VectorView& x, const VectorView& y,
                                    std::uint64_t seed) {
  Random random(seed);
  foldline::Accumulator total(call.operation);
  for (std::int64_t first = 0; first < x.size();) {
    const std::int64_t count = random.between(1, x.size() - first);
    foldline::Accumulator piece(call.operation);
    add(piece, x.part(first, count), takes_two(call.operation) ? y.part(first, count) : y, call.context);
    if (random.coin()) piece = foldline::Accumulator::deserialise(piece.serialise());
    if (random.coin()) std::swap(piece, total);
    total.merge(piece);
    first += count;
  }
  return foldline::Accumulator::deserialise(total.serialise());
}

Answer call_by(const Call& call, const VectorView& x, const VectorView& y, std::uint64_t seed) {
  switch (call.way) {
    case Way::function:
      return call_function(call, x, y);
    case Way::statistics:
      return call_statistics(call, x);
    case Way::accumulator: {
      foldline::Accumulator accumulator(call.operation);
      add(accumulator, x, y, call.context);
      return result_of(accumulator, call);
    }
    case Way::pieces:
      break;
  }
  return result_of(gather_pieces(call, x, y, seed), call);
}

/// Sizes around those of vectors and tiles, now and then.
std::int64_t random_size(Random& random) {
  static const std::vector<std::int64_t> ends = {0,   8,    16,   32,   64,   128,  256,
                                                 512, 1024, 2048, 4096, 8192, 16384};
  if (random.one_in(3)) return std::max<std::int64_t>(0, random.pick(ends) + random.between(-1, 1));
  return random.log_uniform(4096);
}

}  // namespace

ElementType random_result(Operation operation, Random& random) {
  return is_whole(operation) ? pick(all_results, random) : pick(oracle::all_types, random);
}

Answer call(const Call& call, const VectorView& x, const VectorView& y, std::uint64_t seed) {
  try {
    return call_by(call, x, y, seed);
  } catch (const foldline::OverflowError&) {
    return {Answer::Kind::overflow, 0};
  } catch (const foldline::InvalidArgument&) {
    return {Answer::Kind::refused, 0};
  }
}

std::string describe(const Answer& answer) {
  if (answer.kind == Answer::Kind::overflow) return "an OverflowError";
  return answer.kind == Answer::Kind::refused ? "an InvalidArgument" : cases::hex(answer.bits);
}

std::string describe(const Call& call) {
  static constexpr std::array ways = {"function", "statistics", "accumulator", "pieces"};
  std::ostringstream text;
  text << name_of(call.operation) << " as " << name_of(call.result) << " by "
       << ways[static_cast<std::size_t>(call.way)] << ", ddof " << call.ddof
       << (call.context.overflow == Overflow::wrap ? ", wrapped" : "") << ", target "
       << name_of(call.context.execution.target) << ", on " << name_of(call.context.execution.device)
       << ", threads " << call.context.execution.threads;
  return text.str();
}

Problem::Problem(std::uint64_t seed, ElementType type) : random_(seed), seed_(seed), type_(type) {
  generator_ = pick(all_generators, random_);
  const std::int64_t size = random_size(random_);
  stride_x_ = random_.one_in(4) ? random_.between(-3, 3) : 1;
  stride_y_ = random_.one_in(4) ? random_.between(-3, 3) : 1;
  misalignment_ = random_.one_in(4) ? random_.between(0, 7) : 0;
  x_ = generate(generator_, type, size, random_);
  y_ = generate(random_.coin() ? generator_ : pick(all_generators, random_), type, size, random_);
  x_.resize(std::max(x_.size(), y_.size()));  // zeros
  y_.resize(x_.size());
  if (stride_x_ == 0 && !x_.empty()) std::fill(x_.begin(), x_.end(), x_.front());
  if (stride_y_ == 0 && !y_.empty()) std::fill(y_.begin(), y_.end(), y_.front());
  // One call in 32 has several threads. They come together, with one number of them, since the runtime starts
  // new threads wherever the number changes.
  threads_ = random_.one_in(8) ? static_cast<int>(random_.between(2, 8)) : 1;
  oracle_.load(type, x_, y_);
  layouts_.push_back(cases::Layout::of_words(x_, type, stride_x_, misalignment_));
  layouts_.push_back(cases::Layout::of_words(y_, type, stride_y_, random_.coin() ? misalignment_ : 0));
}

std::vector<Call> Problem::calls() {
  std::vector<Call> result;
  for (const Context& processor : cases::processors())
    for (const Operation operation : oracle::all_operations) {
      Call call;
      call.operation = operation;
      call.result = random_result(operation, random_);
      call.ddof = oracle::has_ddof(operation) ? random_.between(0, 2) : 0;
      call.way = static_cast<Way>(random_.between(0, 3));
      // What does not compile, and what has answers of its own for an empty vector.
      if (call.way == Way::statistics &&
          (takes_two(operation) || operation == Operation::standard_error || operation == Operation::range ||
           operation == Operation::root_mean_square || !foldline::is_floating(call.result) || x_.empty()))
        call.way = Way::function;
      call.context = processor;
      call.context.execution.threads = threads_ > 1 && random_.one_in(4) ? threads_ : 1;
      call.context.overflow = random_.one_in(3) ? Overflow::wrap : Overflow::error;
      result.push_back(call);
    }
  return result;
}

std::string Problem::check(const Call& one) const {
  std::string wrong;
  try {
    const foldline::Device device = seed_ % 8 == 0 ? foldline::Device{} : one.context.execution.device;
    const Answer actual = call(one, layouts_[0].view(device), layouts_[1].view(device), seed_);
    const Answer expected = oracle_.result(one.operation, one.result, one.ddof, one.context.overflow);
    if (actual == expected) return {};
    wrong = "is " + describe(actual) + ", must be " + describe(expected);
  } catch (const std::exception& error) {
    wrong = std::string("exception: ") + error.what();
  }
  return describe(one) + ", of " + description() + ": " + wrong;
}

std::string Problem::description() const {
  std::ostringstream text;
  text << x_.size() << ' ' << name_of(type_) << " from generator " << static_cast<int>(generator_)
       << ", strides " << stride_x_ << ' ' << stride_y_ << ", misaligned by " << misalignment_ << ", seed "
       << seed_;
  return text.str();
}

}  // namespace integer_cases
