#include "planning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace foldline::cli {

Plan make_plan(const Options& options, const Source& source) {
  // A file of unknown length is taken for a long one.
  const std::int64_t size = source.size().value_or(std::numeric_limits<std::int64_t>::max());
  Context context = options.context;
  if (context.execution.threads == 0) context.execution.threads = source.busy_threads().value_or(0);
  try {
    require_device(context.execution.device);
    Plan chosen = plan(options.operation, source.type(), size, context);
    if (options.all_gpus) chosen.threads = static_cast<int>(gpus().size());  // one for each
    return chosen;
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what());
  }
}

std::string explanation(const Options& options, const Source& source, const Plan& plan) {
  const std::string files = fmt::format("{}", fmt::join(source.files(), " and "));
  const std::string blocks =
      options.all_gpus
          ? fmt::format("read in blocks; a thread for each of {} GPUs takes turns to read one", plan.threads)
          : "read in blocks; threads take turns to read one and add it";
  if (source.size())
    return fmt::format("{} {} is {}.", explain(plan, options.operation, source.type(), *source.size()), files,
                       blocks);
  return fmt::format("{} of {} until the end of {} on {}, {} threads, {}.", name_of(options.operation),
                     name_of(source.type()), files, name_of(plan.target), plan.threads, blocks);
}

}  // namespace foldline::cli
