// In place of src/nccl/ where the library is built without CUDA.
#include "foldline/device.hpp"
#include "foldline/error.hpp"
#include "foldline/nccl/communicator.hpp"

namespace foldline::nccl {

namespace {
[[noreturn]] void refuse() { throw InvalidArgument("there are no ranks on GPUs: " + why_no_gpu()); }
}  // namespace

// There is none: both functions that make one throw.
struct Communicator::State {};
std::vector<Communicator> Communicator::connect(std::span<void* const>, const Options&) { refuse(); }
std::vector<Communicator> Communicator::of_devices(std::span<const int>, const Options&) { refuse(); }
Communicator::Communicator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;
int Communicator::rank() const { refuse(); }
int Communicator::size() const { refuse(); }
int Communicator::device() const { refuse(); }
bool Communicator::has_peers() const { refuse(); }
void Communicator::register_memory(const void*, std::int64_t) { refuse(); }
void Communicator::all_reduce(std::span<const void* const>, void*, std::int64_t, ElementType, void*) {
  refuse();
}
void Communicator::reduce_scatter(std::span<const void* const>, void*, std::int64_t, ElementType, void*) {
  refuse();
}
void Communicator::reduce(Operation, const VectorView&, const MutableVectorView&, const ReduceOptions&,
                          void*) {
  refuse();
}
void Communicator::reduce(Operation, const VectorView&, const VectorView&, const MutableVectorView&, void*) {
  refuse();
}
void Communicator::statistics(const VectorView&, Statistics<double, double, double>*, const ReduceOptions&,
                              void*) {
  refuse();
}
void Communicator::all_reduce(Accumulator&, void*) { refuse(); }
void Communicator::column_sums(const MatrixView&, const MutableVectorView&, void*) { refuse(); }
void Communicator::inclusive_scan(const VectorView&, const MutableVectorView&, void*) { refuse(); }
void Communicator::exclusive_scan(const VectorView&, const MutableVectorView&, const Scalar&, void*) {
  refuse();
}
void Communicator::check() const { refuse(); }

}  // namespace foldline::nccl
