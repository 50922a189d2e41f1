// Element-wise all-reduce and reduce-scatter by NCCL's messages: each rank gets its slice of all arrays, adds
// up, and sends the sums to all, chunk by chunk.
#include <algorithm>

#include "cuda/runtime/check.hpp"
#include "nccl/communicator_state.hpp"
#include "nccl/launch.hpp"
#include "nccl/library.hpp"

namespace foldline::nccl {

namespace {

using cuda::check;

/// Part of the arrays, and the slices of it that ranks add up; in elements.
struct Chunk {
  std::int64_t first, count, slice;
  std::int64_t slice_of(int rank) const { return std::min(count, slice * rank); }
  std::int64_t size_of_slice(int rank) const {
    return std::min(count, slice * rank + slice) - slice_of(rank);
  }
};

/// Whether `out` is written before all of the arrays were sent does not matter: a chunk's sums are written
/// after its parts were sent, by the order of the stream.
class Pipeline {
 public:
  Pipeline(Communicator::State& state, const ElementWise& what) : state_(state), what_(what) {
    bytes_ = size_of(what.type);
    const std::int64_t of_vector = 16 / bytes_, arrays = static_cast<std::int64_t>(what.arrays.size());
    // A buffer holds a slice of each array of each rank.
    slice_ =
        std::max(of_vector, state.options.chunk_bytes / bytes_ / arrays / state.size / of_vector * of_vector);
    const std::int64_t of_chunk = what.scatters ? slice_ : slice_ * state.size;
    chunks_ = (what.count - 1) / of_chunk + 1;
  }

  void run() {
    const cudaStream_t messages = state_.messages, sums = state_.sums;
    check(cudaEventRecord(state_.begin, what_.stream), "beginning an all-reduce");
    check(cudaStreamWaitEvent(messages, state_.begin), "beginning an all-reduce");
    check(cudaStreamWaitEvent(sums, state_.begin), "beginning an all-reduce");
    // Step i sends parts of chunk i and results of chunk i - 2, while chunk i - 1 is added up.
    const std::int64_t last = chunks_ + (what_.scatters ? 0 : 2);
    for (std::int64_t i = 0; i < last; ++i) {
      // Sums of chunk i - 2 are sent, and the buffer that they read is used again.
      if (i >= 2) check(cudaStreamWaitEvent(messages, state_.sum_done[i % 2]), "an all-reduce");
      library().check(library().group_start(), "beginning a group");
      if (i < chunks_) send_parts(i);
      if (!what_.scatters && i >= 2) send_results(i - 2);
      library().check(library().group_end(), "messages of an all-reduce");
      if (i >= chunks_) continue;
      check(cudaEventRecord(state_.message_done[i % 2], messages), "an all-reduce");
      check(cudaStreamWaitEvent(sums, state_.message_done[i % 2]), "an all-reduce");
      add_up(i);
      check(cudaEventRecord(state_.sum_done[i % 2], sums), "an all-reduce");
    }
    check(cudaStreamWaitEvent(messages, state_.sum_done[(chunks_ - 1) % 2]), "ending an all-reduce");
    check(cudaEventRecord(state_.end, messages), "ending an all-reduce");
    check(cudaStreamWaitEvent(what_.stream, state_.end), "ending an all-reduce");
  }

 private:
  /// Of an all-reduce, slices lie side by side in a chunk. Of a reduce-scatter, a chunk has a piece of each
  /// rank's slice of the array.
  Chunk chunk(std::int64_t i) const {
    if (what_.scatters) {
      const std::int64_t first = i * slice_, count = std::min(slice_, what_.count - first);
      return {first, count, count};
    }
    const std::int64_t whole = slice_ * state_.size, first = i * whole,
                       count = std::min(whole, what_.count - first);
    const std::int64_t of_vector = 16 / bytes_, slice = (count + state_.size - 1) / state_.size;
    return {first, count, (slice + of_vector - 1) / of_vector * of_vector};
  }
  std::int64_t begin_of_part(const Chunk& of, int rank) const {
    return what_.scatters ? rank * what_.count + of.first : of.first + of.slice_of(rank);
  }
  std::int64_t size_of_part(const Chunk& of, int rank) const {
    return what_.scatters ? of.count : of.size_of_slice(rank);
  }
  const std::byte* part(std::size_t array, const Chunk& of, int rank) const {
    return static_cast<const std::byte*>(what_.arrays[array]) + begin_of_part(of, rank) * bytes_;
  }
  std::byte* result(const Chunk& of, int rank) const {
    const std::int64_t begin = what_.scatters ? of.first : of.first + of.slice_of(rank);
    return static_cast<std::byte*>(what_.out) + begin * bytes_;
  }
  std::byte* received(std::int64_t i) const { return state_.received + (i % 2) * state_.options.chunk_bytes; }
  std::int64_t stride() const { return slice_ * bytes_; }

  void send(const void* data, std::int64_t bytes, int to) const {
    if (bytes > 0)
      library().check(library().send(data, static_cast<std::size_t>(bytes), Library::bytes, to, state_.comm,
                                     state_.messages),
                      "sending");
  }
  void receive(void* data, std::int64_t bytes, int from) const {
    if (bytes > 0)
      library().check(library().receive(data, static_cast<std::size_t>(bytes), Library::bytes, from,
                                        state_.comm, state_.messages),
                      "receiving");
  }
  void send_parts(std::int64_t i) const {
    const Chunk of = chunk(i);
    const auto arrays = what_.arrays.size();
    for (int distance = 1; distance < state_.size; ++distance) {
      const int to = (state_.rank + distance) % state_.size;
      const int from = (state_.rank + state_.size - distance) % state_.size;
      for (std::size_t array = 0; array < arrays; ++array) {
        send(part(array, of, to), size_of_part(of, to) * bytes_, to);
        receive(received(i) +
                    (static_cast<std::int64_t>(arrays) * from + static_cast<std::int64_t>(array)) * stride(),
                size_of_part(of, state_.rank) * bytes_, from);
      }
    }
  }
  void send_results(std::int64_t i) const {
    const Chunk of = chunk(i);
    for (int distance = 1; distance < state_.size; ++distance) {
      const int to = (state_.rank + distance) % state_.size;
      const int from = (state_.rank + state_.size - distance) % state_.size;
      send(result(of, state_.rank), of.size_of_slice(state_.rank) * bytes_, to);
      receive(result(of, from), of.size_of_slice(from) * bytes_, from);
    }
  }
  void add_up(std::int64_t i) const {
    const Chunk of = chunk(i);
    SumTask task{};
    for (std::size_t array = 0; array < what_.arrays.size(); ++array)
      task.own[array] = part(array, of, state_.rank);
    task.received = received(i);
    task.stride = stride();
    task.rank = state_.rank;
    task.size = state_.size;
    task.arrays = static_cast<int>(what_.arrays.size());
    task.out = result(of, state_.rank);
    task.count = size_of_part(of, state_.rank);
    if (task.count > 0) with_type(what_.type, [&]<class T>(T) { launch_sum<T>(task, state_.sums); });
  }

  Communicator::State& state_;
  const ElementWise& what_;
  std::int64_t bytes_ = 0, slice_ = 0, chunks_ = 0;
};

}  // namespace

void reduce_by_messages(Communicator::State& state, const ElementWise& what) {
  if (what.count == 0) return;
  Pipeline(state, what).run();
}

}  // namespace foldline::nccl
