#include "small_sum.hpp"

namespace foldline::cli {
namespace {

constexpr std::int64_t most_pending = 64;

void add_to(Accumulator& accumulator, const std::vector<VectorView>& vectors, const Context& context) {
  vectors.size() == 2 ? accumulator.add(vectors[0], vectors[1], context)
                      : accumulator.add(vectors[0], context);
}

}  // namespace

void SmallSum::add(Operation operation, const std::vector<VectorView>& vectors, const Context& context) {
  const std::int64_t size = vectors[0].size();
  type_ = vectors[0].type();
  const std::int64_t pending = static_cast<std::int64_t>(pending_[0].size()) / size_of(type_);
  if (pending + size <= most_pending) {
    for (std::size_t i = 0; i < vectors.size(); ++i)
      pending_[i].insert(pending_[i].end(), vectors[i].at(0), vectors[i].at(size));
    return;
  }
  if (!accumulator_) accumulator_.emplace(operation);
  add_pending(*accumulator_, context);
  for (auto& bytes : pending_) bytes.clear();
  add_to(*accumulator_, vectors, context);
}

void SmallSum::add_pending(Accumulator& accumulator, const Context& context) const {
  std::vector<VectorView> vectors;
  for (const auto& bytes : pending_)
    if (!bytes.empty())
      vectors.emplace_back(bytes.data(), type_, static_cast<std::int64_t>(bytes.size()) / size_of(type_));
  if (!vectors.empty()) add_to(accumulator, vectors, context);
}

void SmallSum::merge(Operation operation, const SmallSum& other, const Context& context) {
  if (!accumulator_) accumulator_.emplace(operation);
  if (other.accumulator_) accumulator_->merge(*other.accumulator_);
  other.add_pending(*accumulator_, context);
}

Accumulator SmallSum::total(Operation operation, const Context& context) const {
  Accumulator result = accumulator_ ? *accumulator_ : Accumulator(operation);
  add_pending(result, context);
  return result;
}

}  // namespace foldline::cli
