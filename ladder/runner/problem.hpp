// What the runner knows of a problem: its sizes, its rungs, and what each rung does before, during and after
// the time that is taken.
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

/// What the command line asks for; a problem says what it takes, and has a default for what is missing.
struct Wishes {
  std::optional<std::int64_t> n, rows, columns, inner;
  std::optional<int> block;
  std::string type, function;
  bool textbook_shapes = false;
  std::uint64_t seed = 0;
};

/// The wishes make no sense for this problem.
class BadWish : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by a rung that cannot take this size, or lacks what it needs on this machine.
class NotHere : public std::runtime_error {
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

/// One rung at one size, in the process that runs it. One run is refresh, start, finish. The first start of
/// all, which allocates, comes before anything that counts.
class Workbench {
 public:
  virtual ~Workbench() = default;
  /// Makes the input fresh and the outputs poisoned. Not timed.
  virtual void refresh() = 0;
  /// Does the work, or queues it on the default stream.
  virtual void start() = 0;
  /// Waits, brings the result to the host, and does what is left for the host to do.
  virtual void finish() = 0;
  virtual Check check() const = 0;
  /// The result's bytes: whether they are the same every time is reported.
  virtual std::vector<std::byte> bits() const = 0;
  /// What this rung has to do, if that is not the instance's work; else 0.
  virtual std::int64_t work() const { return 0; }
  virtual std::vector<Table> tables() const { return {}; }
};

/// A problem at one size: host data and exact results. Made once, before the processes that run the rungs.
class Instance {
 public:
  virtual ~Instance() = default;
  virtual std::string title() const = 0;
  /// What any solution has to do, in units of its problem.
  virtual std::int64_t work() const = 0;
  virtual std::unique_ptr<Workbench> set_up(std::size_t rung) const = 0;
};

/// How a line of the table is to be read.
enum class Kind : std::uint8_t {
  rung,
  library,    ///< the last rung: foldline's own call
  reference,  ///< somebody else's routine
  roof,       ///< what the memory or the arithmetic of the device allows
  aside,      ///< another result by the same means: no step of the ladder
  experiment  ///< a mistake that is shown: whatever happens is a result
};

struct RungInfo {
  std::string name;
  Kind kind;
  std::string file;    ///< in the problem's folder
  bool on_gpu = true;  ///< false: it runs on the CPU and is timed by the host's clock
};

/// A rung of a problem, and the function that it is.
template <class Bench>
struct RungOf {
  RungInfo info;
  void (*run)(Bench& bench);
};

/// Makes the input of an instance, which may be too large to exist beside others.
using InstanceMaker = std::function<std::unique_ptr<Instance>()>;

/// What work is counted in, so that tables can say how much of it was done in a second.
enum class Unit : std::uint8_t {
  bytes,       ///< that any solution must read or write
  operations,  ///< multiplications and additions of floating-point numbers
  evaluations  ///< of a function
};

struct Problem {
  std::string name;
  std::string about;
  std::vector<RungInfo> rungs;
  /// Options of `run` that this problem takes: "n", "rows", "columns", "inner", "block", "type", "function",
  /// "shapes".
  std::vector<std::string> takes;
  /// The instances asked for. Throws BadWish.
  std::function<std::vector<InstanceMaker>(const Wishes&)> instances;
  bool needs_gpu = true;
  Unit unit = Unit::bytes;
};

}  // namespace foldline::ladder
