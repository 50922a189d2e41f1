#include "cuda/scan/scan_host_data.hpp"

#include <algorithm>
#include <array>

#include "cuda/runtime/check.hpp"
#include "cuda/runtime/pack.hpp"

namespace foldline::cuda {

namespace {

/// One of two pieces in flight: a quarter of the buffers for elements, another for results.
class Piece {
 public:
  Piece(Resources& resources, std::size_t number)
      : resources_(resources), x_at_(number * piece_bytes), out_at_((number + 2) * piece_bytes) {
    check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "making an event");
  }
  ~Piece() { cudaEventDestroy(done_); }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  static constexpr std::size_t piece_bytes = Resources::staging_bytes / 4;

  /// Copies elements to the device, scans them, and copies the results back.
  void start(const Scan& piece, std::int64_t first) {
    out_ = piece.out;
    pack(piece.x, resources_.staging + x_at_);
    check(cudaMemcpyAsync(resources_.device_buffer + x_at_, resources_.staging + x_at_, bytes_of(piece.x),
                          cudaMemcpyHostToDevice, resources_.stream),
          "copying to the device");
    Scan on_device = piece;
    on_device.x = {resources_.device_buffer + x_at_, piece.x.type(), piece.x.size()};
    on_device.out = {resources_.device_buffer + out_at_, piece.out.type(), piece.out.size()};
    scan_on_device(on_device, resources_.scan_workspace, resources_.stream, first);
    check(cudaMemcpyAsync(resources_.staging + out_at_, resources_.device_buffer + out_at_,
                          bytes_of(piece.out), cudaMemcpyDeviceToHost, resources_.stream),
          "copying from the device");
    check(cudaEventRecord(done_, resources_.stream), "recording an event");
  }
  /// Waits for the results, if there are any, and copies them to their destination.
  void finish() {
    if (out_.size() == 0) return;
    check(cudaEventSynchronize(done_), "a scan");
    unpack(resources_.staging + out_at_, out_);
    out_ = {};
  }

 private:
  static std::size_t bytes_of(const VectorView& x) {
    return static_cast<std::size_t>(x.size() * size_of(x.type()));
  }

  Resources& resources_;
  std::size_t x_at_, out_at_;
  cudaEvent_t done_ = nullptr;
  MutableVectorView out_;
};

}  // namespace

void scan_host_data(const Scan& scan, Resources& resources) {
  std::array<Piece, 2> pieces{Piece(resources, 0), Piece(resources, 1)};
  const std::int64_t longest = static_cast<std::int64_t>(Piece::piece_bytes) /
                               std::max(size_of(scan.x.type()), size_of(scan.out.type()));
  std::size_t turn = 0;
  for (std::int64_t first = 0; first < scan.x.size(); first += longest, turn ^= 1) {
    const std::int64_t count = std::min(longest, scan.x.size() - first);
    Scan piece = scan;
    piece.x = scan.x.part(first, count);
    piece.out = scan.out.part(first, count);
    pieces[turn].finish();
    pieces[turn].start(piece, first);
  }
  for (Piece& piece : pieces) piece.finish();
}

}  // namespace foldline::cuda
