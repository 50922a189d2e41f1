#include "axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "array_blocks.hpp"
#include "array_output.hpp"
#include "axis_layout.hpp"
#include "axis_plan.hpp"
#include "compute.hpp"
#include "in_turn.hpp"
#include "json_report.hpp"
#include "memory.hpp"
#include "progress.hpp"
#include "result_type.hpp"
#include "results_file.hpp"
#include "source.hpp"
#include "workers.hpp"

namespace foldline::cli {
namespace {

class AxisReduction {
 public:
  AxisReduction(const Options& options, const std::function<void(const std::string&)>& explain)
      : options_(options),
        array_(open_whole_array(options.files[0], options)),
        axis_(checked_axis(array_, *options.axis)),
        layout_(layout_of(array_, axis_)),
        element_(size_of(array_.type())),
        blocks_(array_),
        progress_(*array_.size() * element_) {
    const std::vector<ElementType> types = {array_.type()};
    results_.type = result_type(options.operation, types, options);
    results_.shape = *array_.shape();
    results_.shape.erase(results_.shape.begin() + static_cast<std::ptrdiff_t>(axis_));
    results_.fortran_order = array_.fortran_order();
    check_plan();
    refuse_empty();
    const bool on_gpu = options.context.execution.device.kind != Device::Kind::cpu;
    block_plan_ = plan_axis_blocks(
        {layout_, element_, size_of(results_.type), blocks_.in_any_order(), on_gpu, plan_.threads});
    context_ = on_gpu ? options.context : block_context(plan_, options);
    explain(explanation());
  }

  std::string run() {
    if (options_.output || options_.output_format)
      writer_ = create_results(options_, {results_.type, results_.shape, results_.fortran_order, ""});
    make_room();
    if (layout_.outer > 0 && layout_.inner > 0) block_plan_.whole_vectors ? reduce_vectors() : accumulate();
    if (writer_) writer_->commit();
    if (options_.json) return json();
    return writer_ ? "" : as_text(results_, options_.format);
  }

 private:
  void check_plan() {
    try {
      require_device(options_.context.execution.device);
      plan_ = plan(options_.operation, array_.type(), *array_.size(), options_.context);
    } catch (const InvalidArgument& error) {
      throw UsageError(error.what());
    }
  }

  void refuse_empty() const {
    const bool extremum = options_.operation == Operation::minimum ||
                          options_.operation == Operation::maximum || options_.operation == Operation::range;
    if (extremum && layout_.length == 0 && layout_.outer > 0 && layout_.inner > 0)
      throw DataError(
          fmt::format("{}: has no elements along axis {}, so there is no {}; give one that is not empty",
                      array_.name(), *options_.axis, options_.command));
  }

  /// Some columns, or some rows, of one matrix or several.
  struct Piece {
    std::int64_t matrices;
    BlockPlace place;
    std::int64_t first_result;
  };
  struct Queue {
    std::int64_t pieces;
    std::int64_t next = 0;
    std::mutex mutex = {};
  };

  /// Allocates memory for all results if they are printed. Throws Error if that is too much.
  void make_room() {
    const std::int64_t results = layout_.outer * layout_.inner, memory = memory_for_data();
    if (!blocks_.in_any_order() && layout_.inner > memory / 2 / bytes_of_column())
      throw Error(fmt::format(
          "{}: neither {} bytes nor the sums of {} columns fit half of the memory; give a file instead of a "
          "pipe, or cut the array into pieces",
          array_.name(), layout_.length * layout_.inner * element_, layout_.inner));
    if (writer_) return;
    if (results > memory / size_of(results_.type))
      throw Error(fmt::format("{}: {} results do not fit half of the memory; write them to a file with -o",
                              array_.name(), results));
    results_.bytes.resize(static_cast<std::size_t>(results * size_of(results_.type)));
  }
  /// Memory that a pipe needs for each column.
  std::int64_t bytes_of_column() const {
    if (!block_plan_.whole_vectors) return accumulator_bytes;
    return std::max<std::int64_t>(layout_.length * element_, 1);
  }

  /// Calls work(piece, block) for every piece that this thread gets. Those of a pipe are read in order.
  template <class PieceOf, class Work>
  void drain(Queue& queue, const PieceOf& piece_of, const Work& work) {
    std::vector<std::byte> buffer;
    try {
      for (;;) {
        std::unique_lock lock(queue.mutex);
        if (queue.next == queue.pieces) return;
        const std::int64_t number = queue.next++;
        if (blocks_.in_any_order()) lock.unlock();
        const Piece piece = piece_of(number);
        const BlockInMemory block = blocks_.get(piece.place, buffer);
        if (lock.owns_lock()) lock.unlock();
        work(number, piece, block);
        blocks_.give_back(piece.place);
        progress_.show(done_ += piece.place.rows * piece.place.columns * element_);
      }
    } catch (...) {
      const std::lock_guard lock(queue.mutex);
      queue.next = queue.pieces;  // makes the other threads stop
      throw;
    }
  }

  /// Reduces blocks of whole vectors: some matrices, or some columns of one.
  void reduce_vectors() {
    const std::int64_t of_matrix = (layout_.inner - 1) / block_plan_.columns + 1;
    const std::int64_t groups = (layout_.outer - 1) / block_plan_.matrices + 1;
    const auto piece_of = [&](std::int64_t number) -> Piece {
      const std::int64_t matrix = number / of_matrix * block_plan_.matrices;
      const std::int64_t column = number % of_matrix * block_plan_.columns;
      const std::int64_t matrices = std::min(block_plan_.matrices, layout_.outer - matrix);
      const BlockPlace place = {matrix * layout_.length * layout_.inner + column, matrices * layout_.length,
                                std::min(block_plan_.columns, layout_.inner - column), layout_.inner};
      return {matrices, place, matrix * layout_.inner + column};
    };
    Queue queue{groups * of_matrix};
    InTurn turn;
    run_on_threads(block_plan_.threads, [&] {
      std::vector<std::byte> own;
      try {
        drain(queue, piece_of, [&](std::int64_t number, const Piece& piece, const BlockInMemory& block) {
          const std::int64_t columns = piece.place.columns, count = piece.matrices * columns;
          std::byte* const out = room_for(piece.first_result, count, own);
          const ArrayView a(block.data, array_.type(), {piece.matrices, layout_.length, columns},
                            {layout_.length * block.pitch, block.pitch, 1});
          const MutableArrayView results(out, results_.type, {piece.matrices, columns}, {columns, 1});
          reduce_axis(options_.operation, a, 1, results, {.ddof = options_.ddof}, context_);
          turn.take(number, [&] { deliver(out, count); });
        });
      } catch (...) {
        turn.fail();
        throw;
      }
      return true;
    });
  }

  /// Adds rows in file order to one accumulator for each column; if these take too much memory, some columns
  /// at a time.
  void accumulate() {
    std::vector<std::byte> own;
    for (std::int64_t matrix = 0; matrix < layout_.outer; ++matrix)
      for (std::int64_t column = 0; column < layout_.inner; column += block_plan_.columns) {
        const std::int64_t columns = std::min(block_plan_.columns, layout_.inner - column);
        const std::int64_t first = matrix * layout_.inner + column;
        std::byte* const out = room_for(first, columns, own);
        accumulated(matrix * layout_.length * layout_.inner + column, columns)
            .round(MutableArrayView(out, results_.type, {columns}, {1}), options_.ddof,
                   options_.context.overflow);
        deliver(out, columns);
      }
  }

  /// Sums of `columns` columns over all rows; `first` is the first element of the first column.
  ColumnAccumulator accumulated(std::int64_t first, std::int64_t columns) {
    const auto piece_of = [&](std::int64_t number) -> Piece {
      const std::int64_t row = number * block_plan_.rows,
                         rows = std::min(block_plan_.rows, layout_.length - row);
      return {1, {first + row * layout_.inner, rows, columns, layout_.inner}, 0};
    };
    Queue queue{(layout_.length - 1) / block_plan_.rows + 1};
    std::vector<ColumnAccumulator> parts = run_on_threads(block_plan_.threads, [&] {
      ColumnAccumulator mine(options_.operation, array_.type(), columns, context_);
      drain(queue, piece_of, [&](std::int64_t, const Piece& piece, const BlockInMemory& block) {
        mine.add(
            MatrixView(block.data, array_.type(), piece.place.rows, columns, Layout::row_major, block.pitch));
      });
      return mine;
    });
    for (std::size_t i = 1; i < parts.size(); ++i) parts[0].merge(std::move(parts[i]));
    return std::move(parts[0]);
  }

  /// Where to store results: in the array that is printed, or in the thread's buffer for the output file.
  std::byte* room_for(std::int64_t first, std::int64_t count, std::vector<std::byte>& own) {
    const auto size = static_cast<std::size_t>(size_of(results_.type));
    if (!writer_) return results_.bytes.data() + static_cast<std::size_t>(first) * size;
    own.resize(static_cast<std::size_t>(count) * size);
    return own.data();
  }

  void deliver(const std::byte* results, std::int64_t count) {
    if (writer_) writer_->write({results, static_cast<std::size_t>(count * size_of(results_.type))});
  }

  std::string explanation() const {
    return fmt::format("{} Along axis {} of {}: {} results, {}.",
                       explain(plan_, options_.operation, array_.type(), *array_.size()), *options_.axis,
                       array_.name(), layout_.outer * layout_.inner,
                       block_plan_.whole_vectors ? "in blocks of whole vectors" : "an accumulator for each");
  }

  std::string json() const {
    nlohmann::ordered_json json;
    json["operation"] = options_.command;
    json["axis"] = axis_;
    if (writer_)
      json["output"] = *options_.output;
    else
      json["result"] = as_json(results_);
    json["result_shape"] = results_.shape;
    json["count"] = layout_.length;
    Found found;
    found.shape = array_.shape();
    found.types = {array_.type()};
    found.files = {array_.name()};
    found.plan = plan_;
    found.explanation = explanation();
    add_provenance(json, found, options_);
    return dump(json);
  }

  const Options& options_;
  ArrayReader array_;
  std::size_t axis_;
  AxisLayout layout_;
  std::int64_t element_;
  ArrayBlocks blocks_;
  Plan plan_ = {};
  Context context_ = {};  ///< for the library calls of each thread
  AxisBlocks block_plan_ = {};
  Progress progress_;
  std::atomic<std::int64_t> done_ = 0;  ///< bytes read
  ArrayOfResults results_;
  std::unique_ptr<ResultsFile> writer_;  ///< none if they are printed
};

}  // namespace

std::string reduce_along_axis(const Options& options,
                              const std::function<void(const std::string&)>& explain) {
  return AxisReduction(options, explain).run();
}

}  // namespace foldline::cli
