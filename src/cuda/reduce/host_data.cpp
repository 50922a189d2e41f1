#include "cuda/reduce/host_data.hpp"

#include <algorithm>
#include <array>

#include "cuda/reduce/add_to_moments.hpp"
#include "cuda/reduce/launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/pack.hpp"
#include "cuda/runtime/properties.hpp"

namespace foldline::cuda {

namespace {

/// One of two pieces in flight.
class Piece {
 public:
  explicit Piece(int device) : resources_(device) {
    resources_->make_staging();
    multiprocessors_ = multiprocessors_of(device);
  }

  /// Copies a piece to the device and launches its reduction.
  void start(const Reduction& piece) {
    piece_ = piece;
    piece_.x = send(piece.x, 0);
    if (piece.two_vectors) piece_.y = send(piece.y, Resources::staging_bytes / 2);
    launch();
  }
  /// Waits for the reduction and adds its result.
  void finish(Moments& moments) {
    while (started_ > 0) {
      check(cudaStreamSynchronize(resources_->stream), "a reduction");
      add_to_moments(*resources_->result, piece_, started_, moments);
      piece_.x = piece_.x.part(started_, piece_.x.size() - started_);
      if (piece_.two_vectors) piece_.y = piece_.y.part(started_, piece_.y.size() - started_);
      launch();
    }
  }

 private:
  VectorView send(const VectorView& x, std::size_t offset) {
    pack(x, resources_->staging + offset);
    const auto bytes = static_cast<std::size_t>(x.size() * size_of(x.type()));
    check(cudaMemcpyAsync(resources_->device_buffer + offset, resources_->staging + offset, bytes,
                          cudaMemcpyHostToDevice, resources_->stream),
          "copying to the device");
    return {resources_->device_buffer + offset, x.type(), x.size()};
  }
  void launch() {
    started_ = 0;
    if (piece_.x.size() == 0) return;
    started_ = launch_reduce(
        piece_, {resources_->workspace, resources_->result, resources_->stream, multiprocessors_});
  }

  Lease resources_;
  int multiprocessors_ = 0;
  Reduction piece_{};
  std::int64_t started_ = 0;
};

}  // namespace

void reduce_host_data(const Reduction& reduction, int device, Moments& moments) {
  std::array<Piece, 2> pieces{Piece(device), Piece(device)};
  const std::int64_t piece_elements =
      static_cast<std::int64_t>(Resources::staging_bytes) / 2 / size_of(reduction.x.type());
  std::size_t turn = 0;
  for (std::int64_t first = 0; first < reduction.x.size(); first += piece_elements, turn ^= 1) {
    Reduction piece = reduction;
    const std::int64_t count = std::min(piece_elements, reduction.x.size() - first);
    piece.x = reduction.x.part(first, count);
    if (reduction.two_vectors) piece.y = reduction.y.part(first, count);
    pieces[turn].finish(moments);
    pieces[turn].start(piece);
  }
  for (Piece& piece : pieces) piece.finish(moments);
}

}  // namespace foldline::cuda
