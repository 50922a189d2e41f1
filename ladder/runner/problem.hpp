// The runner's view of a problem: its sizes, its rungs, and what each rung does before, during and after the
// measured time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace foldline::ladder {

/// Parameters of the command line; a problem takes some of them and has defaults for the others.
struct Params {
  std::optional<std::int64_t> n = {}, rows = {}, columns = {}, inner = {};
  std::optional<int> block = {};
  std::string type = {}, function = {};
  bool textbook = false;       ///< the texts' own inputs, sizes and blocks
  bool whole_numbers = false;  ///< small ones, whose sums are exact in any order: for `try`
  std::uint64_t seed = 0;
};

/// The parameters are invalid for this problem.
class BadParam : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by a rung that does not support this size, or lacks something on this machine.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Results compared with the exact ones.
struct Check {
  std::int64_t correct = 0;
  std::int64_t values = 0;
  double worst_ulp = 0;     ///< 0 for integers that are right
  std::string first_wrong;  ///< which value, what it is, what it should be; empty if all are right
};

/// What a rung measured beside its time.
struct Table {
  std::string title;
  std::vector<std::string> columns;
  struct Row {
    std::string label;
    std::vector<double> cells;
  };
  std::vector<Row> rows;
};

/// One rung at one size, in the process that runs it. One run is refresh, start, finish. The very first
/// start, which allocates, is not measured.
class Workbench {
 public:
  virtual ~Workbench() = default;
  /// Restores the input and poisons the outputs. Not timed.
  virtual void refresh() = 0;
  /// Does the work, or queues it on the default stream.
  virtual void start() = 0;
  /// Waits, copies the result to the host, and does the host's part of the work.
  virtual void finish() = 0;
  virtual Check check() const = 0;
  /// The result's bytes, to report whether they are reproducible.
  virtual std::vector<std::byte> bits() const = 0;
  /// This rung's work, if it differs from the instance's; else 0.
  virtual std::int64_t work() const { return 0; }
  virtual std::vector<Table> tables() const { return {}; }
  /// The line that the text's own program ends with; empty if there is none.
  virtual std::string printed() const { return {}; }
};

/// A problem at one size: host data and exact results. Created once, before the processes that run the rungs.
class Instance {
 public:
  virtual ~Instance() = default;
  virtual std::string title() const = 0;
  /// The work of any solution, in the problem's unit.
  virtual std::int64_t work() const = 0;
  virtual std::unique_ptr<Workbench> set_up(std::size_t rung) const = 0;
};

/// The role of a line of the table.
enum class Kind : std::uint8_t {
  rung,
  library,     ///< the last rung: foldline's own call
  reference,   ///< another library's routine
  roof,        ///< an upper bound: memory bandwidth or arithmetic rate of the device
  aside,       ///< another result by the same means: no step of the ladder
  experiment,  ///< a mistake on display: any outcome is a valid result
  attempt      ///< a learner's own, which `try` runs
};

struct RungInfo {
  std::string name;
  Kind kind;
  std::string file;            ///< in the problem's folder
  bool on_gpu = true;          ///< false: it runs on the CPU and is timed by the host's clock
  double most_seconds = 3600;  ///< on a GPU, for an experiment that is meant to hang: a shorter limit
};

/// A rung of a problem, with its function.
template <class Bench>
struct RungOf {
  RungInfo info;
  void (*run)(Bench& bench);
};

/// Creates an instance's input, which may be too large to exist beside others.
using InstanceMaker = std::function<std::unique_ptr<Instance>()>;

/// The unit of work, for rates in tables.
enum class Unit : std::uint8_t {
  bytes,       ///< that any solution must read or write
  operations,  ///< floating-point multiplications and additions
  evaluations  ///< of a function
};

/// What a learner's file defines for `try`: solve(), for one type or for some.
struct Attempt {
  struct Variant {
    std::string type;        ///< Params::type; empty if the problem has only one
    std::string parameters;  ///< "int*, int, int*"
  };
  std::string declaration;  ///< as messages name it
  std::vector<Variant> variants;
  std::vector<Params> sizes;  ///< awkward ones, which it must all solve
  std::optional<std::int64_t> most_n = {};
};

struct Problem {
  std::string name;
  std::string about;
  std::vector<RungInfo> rungs;
  /// Options of `run` that this problem takes: "n", "rows", "columns", "inner", "block", "type", "function",
  /// "data".
  std::vector<std::string> takes;
  /// The requested instances. Throws BadParam.
  std::function<std::vector<InstanceMaker>(const Params&)> instances;
  bool needs_gpu = true;
  Unit unit = Unit::bytes;
  /// Sizes where the command line leaves them open and kernels are simulated, a thousand times as slowly.
  Params simulated = {};
  /// Its place in the problem's own list is behind the rungs, so that it can be appended to them.
  std::optional<Attempt> attempt = {};
};

/// A problem's list of rungs, without the learner's.
template <class Rungs>
std::vector<RungInfo> infos_of(const Rungs& rungs) {
  std::vector<RungInfo> infos;
  for (const auto& rung : rungs)
    if (rung.info.kind != Kind::attempt) infos.push_back(rung.info);
  return infos;
}

}  // namespace foldline::ladder
