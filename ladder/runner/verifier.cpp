#include "runner/verifier.hpp"

#include <algorithm>
#include <utility>

#include "runner/device.hpp"

namespace foldline::ladder {

void Verifier::run(Workbench& bench) {
  bench.refresh();
  launches().clear();
  bench.start();
  bench.finish();
  look(bench);
}

void Verifier::look(const Workbench& bench) {
  const Check found = bench.check();
  if (outcome_.check.first_wrong.empty()) {  // report the first error
    const double worst = std::max(outcome_.check.worst_ulp, found.worst_ulp);
    outcome_.check = found;
    outcome_.check.worst_ulp = worst;
  }
  std::vector<std::byte> bits = bench.bits();
  if (bits_ && *bits_ != bits) outcome_.repeatable = false;
  bits_ = std::move(bits);
}

void conclude(const Workbench& bench, Outcome& outcome) {
  outcome.tables = bench.tables();
  outcome.printed = bench.printed();
  outcome.status = outcome.check.correct == outcome.check.values ? "ok" : "wrong";
  outcome.message = outcome.check.first_wrong;
}

}  // namespace foldline::ladder
