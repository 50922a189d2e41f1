#include "cuda/reduce/add_to_moments.hpp"

#include "results/rounded_results.hpp"

namespace foldline::cuda {

namespace {

template <class Sum>
void add_sum(const SumWords& from, Sum& to) {
  to.specials.merge({from.special[0], from.special[1], from.special[2]});
  for (int i = 0; i < from.words; ++i) to.add(from.word[i], from.exponent + 32 * i);
}

}  // namespace

void add_to_moments(const KernelResult& result, const Reduction& reduction, std::int64_t count,
                    Moments& moments) {
  const Needs& needs = reduction.needs;
  moments.count += count;
  moments.only_negative_zeros = moments.only_negative_zeros && result.only_negative_zeros != 0;
  if (needs.values) add_sum(result.sum[0], moments.values);
  if (needs.magnitudes) add_sum(result.sum[1], moments.magnitudes);
  if (needs.squares || needs.products) add_sum(result.sum[2], moments.products);
  if (needs.extrema)
    moments.add_extrema(wide_key_of(result.lowest_key, reduction.x.type()),
                        wide_key_of(result.highest_key, reduction.x.type()));
}

}  // namespace foldline::cuda
