#include "runner/outcome.hpp"

namespace foldline::ladder {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Times, median, lowest, highest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Check, correct, values, worst_ulp, first_wrong)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Table::Row, label, cells)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Table, title, columns, rows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Requests, requests, lanes, bytes, parts, ideal_parts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counts, launches, blocks, warps, threads, instructions, branches,
                                   divergent_branches, barriers, loads, stores, atomics, shared, constants,
                                   textures, sector_bytes)

Json as_json(const Outcome& o) {
  Json json = {{"status", o.status},   {"message", o.message},
               {"check", o.check},     {"repeatable", o.repeatable},
               {"tables", o.tables},   {"printed", o.printed},
               {"grid", o.grid},       {"block", o.block},
               {"kernels", o.kernels}, {"shared_bytes", o.shared_bytes}};
  if (o.counts) {
    json["counts"] = *o.counts;
    return json;
  }
  json.update({{"cold", o.cold},
               {"warm", o.warm},
               {"total", o.total},
               {"input", o.input},
               {"work", o.work},
               {"registers", o.registers},
               {"occupancy", o.occupancy}});
  return json;
}

Outcome outcome_from(const Json& json) {
  Outcome o;
  o.status = json.at("status");
  o.message = json.at("message");
  o.check = json.at("check");
  o.repeatable = json.at("repeatable");
  o.tables = json.at("tables").get<std::vector<Table>>();
  o.printed = json.value("printed", "");  // records of before 2026-11-27 have none
  o.grid = json.at("grid");
  o.block = json.at("block");
  o.kernels = json.at("kernels");
  o.shared_bytes = json.at("shared_bytes");
  if (json.contains("counts")) {
    o.counts = json.at("counts").get<Counts>();
    return o;
  }
  o.cold = json.at("cold");
  o.warm = json.at("warm");
  o.total = json.at("total");
  o.input = json.at("input");
  o.work = json.at("work");
  o.registers = json.at("registers");
  o.occupancy = json.at("occupancy");
  return o;
}

}  // namespace foldline::ladder
