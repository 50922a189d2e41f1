// Reductions along an axis by sums in doubles, which must notice where these are not certain of a result: the
// bits of the CPU, whose are the oracle's.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "axes_fixture.hpp"
#include "foldline/async.hpp"

namespace {

using namespace cuda_test;
using foldline::ArrayView;
using foldline::Device;
using foldline::MutableArrayView;

constexpr std::array floating_types = {ElementType::float64, ElementType::float32, ElementType::bfloat16,
                                       ElementType::half};
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Element i of n of a vector of some kind.
double element(std::int64_t kind, std::int64_t i, std::int64_t n, Random& random) {
  const double fraction = random.real() - 0.5;
  switch (kind) {
    case 0:
      return fraction;
    case 1:  // sums that are ties
      return static_cast<double>(random.between(-3, 200));
    case 2:  // pairs that cancel
      return i % 2 == 0 ? 1.0 + static_cast<double>(i % 1000) : -static_cast<double>((i - 1) % 1000);
    case 3:  // hardly any variance
      return 1000 + fraction / 64;
    case 4:  // of all sizes
      return std::ldexp(fraction, static_cast<int>(random.between(-140, 14)));
    case 5:
      return std::ldexp(fraction, static_cast<int>(random.between(-1074, 1020)));
    case 6:  // no variance
      return 0.1;
    case 7:
      return -0.0;
    case 8:
      return i == n / 2 ? 0.0 : -0.0;
    case 9:
      return i == n - 1 ? std::nan("") : fraction;
    case 10:
      return i == n / 3 ? -infinity : fraction;
    case 11:
      return i == 0 ? infinity : i == n - 1 ? -infinity : fraction;
    case 12:  // the rest is below the last place of the first
      return i == 0 ? 0x1p14 : i == 1 ? -0x1p14 : std::ldexp(fraction, -20);
    case 13:  // a tie, or just beside one
      return i == 0   ? 1.0
             : i == 1 ? 0x1p-11
             : i == 2 ? static_cast<double>(random.between(-1, 1)) * 0x1p-24
                      : 0.0;
    case 14:
      return i == 0   ? 1.0
             : i == 1 ? 0x1p-53
             : i == 2 ? static_cast<double>(random.between(-1, 1)) * 0x1p-120
                      : 0.0;
    case 15:
      return std::ldexp(fraction, -530);
    default:  // with zeros
      return random.one_in(3) ? fraction : 0.0;
  }
}
constexpr std::int64_t kinds = 17;

/// The same without the digits that the type lacks, and not beyond its numbers.
double in_type(double x, ElementType type) {
  struct Limits {
    int precision, lowest, end;
  };
  const Limits limits = type == ElementType::half       ? Limits{11, -24, 16}
                        : type == ElementType::bfloat16 ? Limits{8, -133, 128}
                        : type == ElementType::float32  ? Limits{24, -149, 128}
                                                        : Limits{53, -1074, 1024};
  if (!std::isfinite(x) || x == 0) return x;
  if (std::ilogb(x) >= limits.end) return std::copysign(std::ldexp(1.0, limits.end - 1), x);
  const int unit = std::max(std::ilogb(x) - limits.precision + 1, limits.lowest);
  return std::ldexp(std::trunc(std::ldexp(x, -unit)), unit);
}

/// Fills each vector along the axis with one kind of elements.
void fill_kinds(Memory& array, std::size_t axis, ElementType type, Random& random) {
  const Extents shape = array.view().shape().to_vector();
  const Extents rest = without(shape, axis);
  const std::int64_t length = shape[axis];
  std::vector<std::uint64_t> words(static_cast<std::size_t>(length));
  Extents index(rest.size(), 0);
  std::int64_t kind = random.between(0, kinds - 1);
  do {
    for (std::int64_t i = 0; i < length; ++i)
      words[static_cast<std::size_t>(i)] =
          oracle::encode(in_type(element(kind, i, length, random), type), type);
    array.set_line(axis, index, words);
    kind = (kind + 1) % kinds;
  } while (axes_cases::advance(index, rest));
}

void check_kinds(const Placement& placement, std::size_t axis, ElementType type, Random& random) {
  Memory array(placement, type);
  fill_kinds(array, axis, type, random);
  std::vector<ElementType> results = {type};
  for (const ElementType other : {ElementType::float32, ElementType::float64})
    if (other != type) results.push_back(other);
  for (const ElementType result : results) {
    compare(array, axis, result,
            "axis " + std::to_string(axis) + ", length " + std::to_string(placement.shape[axis]));
    if (testing::Test::HasFatalFailure()) return;
  }
}

// A thread, some, a warp or a block have a vector, and several blocks have a long one.
TEST_F(CudaAxes, DirectLengthsAroundBoundaries) {
  for (const std::int64_t length :
       {1,    2,    3,    4,    5,    7,    8,    9,    15,   16,     17,     31,     32,     33,     36,
        63,   64,   65,   96,   127,  128,  129,  160,  255,  256,    257,    511,    512,    513,    1023,
        1024, 1025, 2047, 2048, 2049, 3000, 4095, 4097, 8191, 16'383, 16'384, 16'385, 32'769, 100'003})
    for (const ElementType type : floating_types)
      for (const std::int64_t results : {std::int64_t{kinds}, 64 + kinds}) {
        if (length * results > 400'000) continue;
        check_kinds(axes_cases::dense({results, length}), 1, type, random_);
        check_kinds(axes_cases::dense({length, results}), 0, type, random_);
        if (HasFatalFailure()) return;
      }
}

TEST_F(CudaAxes, DirectOfLongVectors) {
  for (const ElementType type : floating_types) {
    check_kinds(axes_cases::dense({kinds, 300'007}), 1, type, random_);
    check_kinds(axes_cases::dense({300'007, kinds}), 0, type, random_);
    check_kinds(axes_cases::dense({2, 2'000'000}), 1, type, random_);
    check_kinds(axes_cases::dense({3, 1000, 3 * kinds}), 1, type, random_);
    if (HasFatalFailure()) return;
  }
}

// Rows of few columns, of which threads see some as one.
TEST_F(CudaAxes, DirectOfNarrowMatrices) {
  for (const std::int64_t columns : {2, 3, 6, 7, 20, 31, 63})
    for (const std::int64_t length : {8192, 8193, 8199})
      for (const ElementType type : floating_types) {
        check_kinds(axes_cases::dense({length, columns}), 0, type, random_);
        if (HasFatalFailure()) return;
      }
}

// Beyond what n (n - ddof) as a double can tell.
TEST_F(CudaAxes, DirectVariancesOfMoreThan2To26Elements) {
  constexpr std::int64_t length = (std::int64_t{1} << 26) + 12'345, period = 65'537;
  constexpr std::array kinds_of_vectors = {0, 3, 12};
  constexpr auto vectors = static_cast<std::int64_t>(kinds_of_vectors.size());
  std::vector<std::uint64_t> words(length);
  for (const ElementType type : {ElementType::bfloat16, ElementType::float32, ElementType::float64})
    for (const std::size_t axis : {0, 1}) {
      Memory array(axes_cases::dense(axis == 0 ? Extents{length, vectors} : Extents{vectors, length}), type);
      for (std::int64_t vector = 0; vector < vectors; ++vector) {
        const int kind = kinds_of_vectors[static_cast<std::size_t>(vector)];
        for (std::int64_t i = 0; i < length; ++i)
          words[static_cast<std::size_t>(i)] =
              i < period ? oracle::encode(in_type(element(kind, i, length, random_), type), type)
                         : words[static_cast<std::size_t>(i - period)];
        array.set_line(axis, {vector}, words);
      }
      for (const Operation operation : {Operation::variance, Operation::standard_error})
        for (const std::int64_t ddof : {0, 1}) {
          Memory expected(axes_cases::dense({vectors}), type), actual(axes_cases::dense({vectors}), type);
          array.reduce(operation, static_cast<std::int64_t>(axis), expected, ddof, {});
          array.reduce(operation, static_cast<std::int64_t>(axis), actual, ddof, on_gpu);
          for (std::int64_t i = 0; i < vectors; ++i)
            ASSERT_EQ(actual.bits({i}), expected.bits({i}))
                << name_of(operation) << ' ' << i << " of " << name_of(type) << ", axis " << axis;
        }
    }
}

TEST_F(CudaAxes, DirectOfSlicesAndMisaligned) {
  for (const std::int64_t length : {3, 8, 40, 200, 1000, 5000})
    for (const std::int64_t gap : {0, 1, 5, 8})
      for (const ElementType type : floating_types)
        for (const std::int64_t elements_off : {0, 1}) {
          constexpr std::int64_t results = 50;
          Placement rows = {{results, length}, {length + gap, 1}, elements_off * foldline::size_of(type)};
          Placement columns = {{length, results}, {results + gap, 1}, elements_off * foldline::size_of(type)};
          check_kinds(rows, 1, type, random_);
          check_kinds(columns, 0, type, random_);
          if (HasFatalFailure()) return;
        }
}

// Rows of 16 bits that begin at odd places are read in words, which must be the array's, and few rows are
// summed in single doubles.
TEST_F(CudaAxes, DirectOf16BitColumnsAtOddPlaces) {
  std::vector<std::int64_t> lengths = {40, 129, 1000, 5003};
  for (std::int64_t length = 1; length <= 33; ++length) lengths.push_back(length);
  for (const ElementType type : {ElementType::bfloat16, ElementType::half})
    for (const std::int64_t length : lengths)
      for (const std::int64_t columns : {1, 3, 5, 7, 9, 33, 101}) {
        const std::int64_t pitch = columns + random_.between(0, 3), elements_off = random_.between(0, 3);
        check_kinds({{length, columns}, {pitch, 1}, elements_off * foldline::size_of(type)}, 0, type,
                    random_);
        if (HasFatalFailure()) return;
      }
  for (const ElementType type : {ElementType::bfloat16, ElementType::half})
    for (const std::int64_t length : {2, 3, 4, 5, 8, 9, 16, 17, 25, 32}) {
      check_kinds(axes_cases::dense({length, 4099}), 0, type, random_);
      check_kinds({{length, 1500}, {3001, 2}, 0}, 0, type, random_);
      check_kinds(axes_cases::dense({3, length, 1000}), 1, type, random_);
      if (HasFatalFailure()) return;
    }
  // A negative pitch.
  check_kinds({{100, 7}, {-7, 1}, 2}, 0, ElementType::bfloat16, random_);
  check_kinds({{6, 50}, {-51, 1}, 2}, 0, ElementType::half, random_);
}

/// An array with a gap now and then, whose last axis has this step and all of whose elements are this far
/// from multiples of their size.
Placement stepped(const Extents& shape, std::int64_t step, std::int64_t gap, std::int64_t misalignment) {
  Placement placement = {shape, Extents(shape.size()), misalignment};
  std::int64_t next = step;
  for (std::size_t i = shape.size(); i-- > 0;) {
    placement.strides[i] = next;
    next = std::abs(next) * shape[i] + (i + 1 == shape.size() ? gap : 0);
  }
  return placement;
}

// Vectors that lie in short pieces of memory, and columns that several threads or none have in common.
TEST_F(CudaAxes, DirectOfMiddleAxes) {
  constexpr std::array<std::int64_t, 6> steps = {1, 1, 2, 3, -1, -2};
  for (const ElementType type : floating_types)
    for (const std::int64_t inner : {1, 2, 3, 7, 16, 32, 33, 64, 100})
      for (const std::int64_t length : {2, 4, 7, 16, 17, 60, 300, 5000}) {
        const std::int64_t outer = std::clamp<std::int64_t>(40'000 / (inner * length), 2, 700);
        const std::int64_t step = steps[static_cast<std::size_t>(random_.between(0, 5))];
        const std::int64_t width = foldline::size_of(type),
                           elements_off = random_.one_in(2) ? 0 : random_.between(1, 7);
        const Placement placement =
            stepped({outer, length, inner}, step, random_.one_in(2) ? 0 : random_.between(1, 8),
                    elements_off * width);
        check_kinds(placement, 1, type, random_);
        if (length <= 60) check_kinds(placement, 2, type, random_);
        if (HasFatalFailure()) return;
      }
  for (const ElementType type : floating_types) {
    check_kinds(axes_cases::dense({3000, 16, 32}), 1, type, random_);
    check_kinds(axes_cases::dense({3, 5, 40, 6}), 2, type, random_);
    check_kinds({{4, 30, 25, 9}, {20'000, 601, 19, 2}, 0}, 2, type, random_);
    check_kinds({{4, 30, 25, 9}, {20'000, -601, 19, 2}, 0}, 3, type, random_);
    if (HasFatalFailure()) return;
  }
}

// Every second or third element, backwards, or the same one: of rows that a thread, some, a warp or several
// blocks have, and of columns.
TEST_F(CudaAxes, DirectOfSteps) {
  for (const ElementType type : floating_types)
    for (const std::int64_t step : {2, 3, -1, -2, 0, 37})
      for (const std::int64_t length : {1, 2, 5, 16, 33, 127, 128, 129, 600, 2048, 9001}) {
        const std::int64_t results = length > 2000 ? kinds : 4 * kinds;
        const std::int64_t pitch =
            length * std::max<std::int64_t>(std::abs(step), 1) + random_.between(0, 1) * 3;
        const std::int64_t misalignment = random_.between(0, 2) * foldline::size_of(type);
        // Where all elements are one, its kind is what it is set to last.
        check_kinds({{results, length}, {pitch, step}, misalignment}, 1, type, random_);
        check_kinds(stepped({length, results}, step, random_.between(0, 2), misalignment), 0, type, random_);
        if (HasFatalFailure()) return;
      }
  for (const ElementType type : floating_types) {
    check_kinds({{3, 300'007}, {700'000, 2}, 0}, 1, type, random_);
    check_kinds({{300'007, 5}, {11, 2}, 0}, 0, type, random_);
    check_kinds({{7000, 200}, {400, 2}, 0}, 1, type, random_);
    check_kinds({{200, 7000}, {14'000, -2}, 0}, 0, type, random_);
    if (HasFatalFailure()) return;
  }
}

// So many columns that each thread has whole ones, whose sums are single doubles, of rows that are the same
// ones again and again.
TEST_F(CudaAxes, DirectOfWholeColumns) {
  constexpr std::int64_t copies = 160, columns = 4099, pitch = 4104;
  for (const ElementType type : {ElementType::float32, ElementType::bfloat16, ElementType::half})
    for (const std::int64_t length : {17, 100}) {
      Memory array({{copies, length, columns}, {0, pitch, 1}, 0}, type);
      std::vector<std::uint64_t> words(static_cast<std::size_t>(length));
      for (std::int64_t column = 0; column < columns; ++column) {
        // Neighbours are of one kind, or all are of the kinds that they mostly are.
        const std::int64_t kind = column < columns / 2 ? column / 4 % kinds
                                  : random_.one_in(50) ? column % kinds
                                                       : 0;
        for (std::int64_t i = 0; i < length; ++i)
          words[static_cast<std::size_t>(i)] =
              oracle::encode(in_type(element(kind, i, length, random_), type), type);
        array.set_line(1, Extents{0, column}, words);
      }
      compare(array, 1, type, "whole columns of " + std::to_string(length));
      if (HasFatalFailure()) return;
    }
}

// More uncertain results than are listed, and results of neighbours that are certain.
TEST_F(CudaAxes, DirectWithManyUncertainResults) {
  constexpr std::int64_t rows = 2'200'000;
  for (const bool all : {true, false}) {
    Memory array(axes_cases::dense({rows, 3}), ElementType::float64);
    for (std::int64_t row = 0; row < rows; ++row) {
      const bool is_certain = !all && row % 1000 != 7;
      array.set({row, 0}, is_certain ? 1 : 0x1p300);
      array.set({row, 1}, static_cast<double>(row));
      array.set({row, 2}, is_certain ? 1 : -0x1p300);
    }
    compare(array, 1, ElementType::float64, all ? "all uncertain" : "some uncertain");
    if (HasFatalFailure()) return;
  }
}

// In a graph the list of uncertain results must be empty again whenever the graph ends.
TEST_F(CudaAxes, DirectInAGraph) {
  constexpr std::int64_t rows = 5000, columns = 300;
  std::vector<float> x(rows * columns), expected(rows);
  const DeviceMemory<float> there(rows * columns), out(rows);
  foldline::DeviceWorkspace workspace(Device::cuda());
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const foldline::async::Queue queue{.workspace = &workspace, .stream = stream};
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runnable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  foldline::async::reduce_axis(Operation::variance, ArrayView(there.data(), {rows, columns}), 1,
                               MutableArrayView(out.data(), {rows}), {}, queue);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&runnable, graph, 0));
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] =
          std::ldexp(static_cast<float>(random_.real()), round * static_cast<int>(random_.between(-20, 20)));
    for (std::size_t row = 0; row < rows; row += 100)
      x[row * columns + 3] = 0x1p60F, x[row * columns] = 0x1p80F;
    foldline::reduce_rows(Operation::variance, foldline::MatrixView(x.data(), rows, columns), expected);
    check(cudaMemcpy(there.data(), x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
    set_bytes(out.data(), 0xff, rows * sizeof(float));
    check(cudaGraphLaunch(runnable, stream));
    check(cudaStreamSynchronize(stream));
    std::vector<float> results(rows);
    check(cudaMemcpy(results.data(), out.data(), rows * sizeof(float), cudaMemcpyDeviceToHost));
    ASSERT_EQ(results, expected) << round;
  }
  check(cudaGraphExecDestroy(runnable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

}  // namespace
