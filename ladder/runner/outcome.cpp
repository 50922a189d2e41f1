#include "runner/outcome.hpp"

namespace foldline::ladder {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Times, median, lowest, highest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Check, correct, values, worst_ulp, first_wrong)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Table::Row, label, cells)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Table, title, columns, rows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, status, message, check, repeatable, cold, warm, total, input,
                                   work, grid, block, kernels, registers, shared_bytes, occupancy, tables)

Json as_json(const Outcome& outcome) { return outcome; }
Outcome outcome_from(const Json& json) { return json.get<Outcome>(); }

}  // namespace foldline::ladder
