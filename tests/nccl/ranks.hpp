// Ranks for the tests: several GPUs of one process, or several ranks on one GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "arithmetic/exact_sum.hpp"
#include "foldline/nccl/communicator.hpp"
#include "results/rounded_results.hpp"
#include "terms_beside_halfway.hpp"

namespace ranks {

inline void check(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

inline int devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// Device memory of a rank, with a copy of what it holds.
template <class T>
class Array {
 public:
  Array(int device, std::size_t n, std::size_t offset = 0) : device_(device), n_(n), offset_(offset) {
    check(cudaSetDevice(device));
    check(cudaMalloc(&memory_, (n + offset + 1) * sizeof(T)));
    check(cudaMemset(memory_, 0xff, (n + offset + 1) * sizeof(T)));  // NaN
  }
  ~Array() {
    cudaSetDevice(device_);
    cudaFree(memory_);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* data() const { return static_cast<T*>(memory_) + offset_; }
  void set(const std::vector<T>& values) {
    check(cudaSetDevice(device_));
    check(cudaMemcpy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> get() const {
    std::vector<T> values(n_);
    check(cudaSetDevice(device_));
    check(cudaMemcpy(values.data(), data(), n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  int device_;
  std::size_t n_, offset_;
  void* memory_ = nullptr;
};

/// NCCL's functions that make communicators.
struct Nccl {
  int (*init_all)(void**, int, const int*) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*get_id)(void*) = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  bool is_there = false;
  Nccl() {
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    const char* const wish = std::getenv("FOLDLINE_NCCL");
    void* const library = dlopen(wish != nullptr ? wish : "libnccl.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    is_there = find("ncclCommInitAll", init_all) && find("ncclCommDestroy", destroy) &&
               find("ncclGetUniqueId", get_id) && find("ncclAllReduce", all_reduce) &&
               find("ncclGroupStart", group_start) && find("ncclGroupEnd", group_end);
  }
};
inline const Nccl& nccl() {
  static const Nccl instance;
  return instance;
}

/// Ranks of this process with a stream each.
class Ranks {
 public:
  Ranks(int count, const foldline::nccl::Options& options, bool with_nccl) {
    for (int i = 0; i < count; ++i) device_.push_back(i % devices());
    if (with_nccl) {
      comm_.resize(static_cast<std::size_t>(count));
      if (nccl().init_all(comm_.data(), count, device_.data()) != 0) std::abort();
      all_ = foldline::nccl::Communicator::connect(comm_, options);
    } else {
      all_ = foldline::nccl::Communicator::of_devices(device_, options);
    }
    for (const int device : device_) {
      check(cudaSetDevice(device));
      cudaStream_t stream = nullptr;
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      stream_.push_back(stream);
    }
  }
  ~Ranks() {
    for (const cudaStream_t stream : stream_) cudaStreamDestroy(stream);
    all_.clear();
    for (void* const comm : comm_) nccl().destroy(comm);
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  int size() const { return static_cast<int>(all_.size()); }
  int device(int rank) const { return device_[static_cast<std::size_t>(rank)]; }
  cudaStream_t stream(int rank) const { return stream_[static_cast<std::size_t>(rank)]; }
  foldline::nccl::Communicator& operator[](int rank) { return all_[static_cast<std::size_t>(rank)]; }
  /// f(rank), in a thread for each if NCCL wants that.
  template <class F>
  void each(const F& f) {
    if (comm_.empty()) {
      for (int rank = 0; rank < size(); ++rank) f(rank);
      return;
    }
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size(); ++rank) threads.emplace_back([&f, rank] { f(rank); });
    for (std::thread& thread : threads) thread.join();
  }
  void wait() {
    for (int rank = 0; rank < size(); ++rank) {
      check(cudaSetDevice(device(rank)));
      check(cudaStreamSynchronize(stream(rank)));
    }
  }

 private:
  std::vector<int> device_;
  std::vector<void*> comm_;
  std::vector<foldline::nccl::Communicator> all_;
  std::vector<cudaStream_t> stream_;
};

template <class T>
double value_of(T x) {
  if constexpr (sizeof(T) == 2)
    return static_cast<double>(static_cast<float>(x));
  else
    return x;
}
template <class T>
std::uint64_t bits_of(T x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

/// The sum of some numbers by the limbs of the CPU's reductions.
template <class T>
T sum_by_limbs(const std::vector<T>& terms) {
  foldline::ExactSum<foldline::SumLimbs> sum;
  bool only_negative_zeros = true;
  for (const T term : terms) {
    const double x = value_of(term);
    if (!foldline::is_finite(x)) {
      sum.specials.count(x);
    } else {
      const foldline::Decomposed parts = foldline::decompose(x);
      const auto significand = static_cast<foldline::Int128>(parts.significand);
      sum.add(parts.negative ? -significand : significand, parts.exponent);
    }
    only_negative_zeros = only_negative_zeros && x == 0 && std::signbit(x);
  }
  foldline::Natural<80> number;
  const double zero = foldline::zero_sum(static_cast<std::int64_t>(terms.size()), only_negative_zeros);
  return foldline::narrow_exactly<T>(
      foldline::rounded_sum(sum, zero, foldline::format_of(foldline::element_type_of<T>), number));
}

/// splitmix64
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double real() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// The nearest number of a type; rounded twice, which data may be.
template <class T>
T near(double x) {
  if constexpr (sizeof(T) == 2)
    return T(static_cast<float>(x));
  else
    return static_cast<T>(x);
}

/// Terms of n elements, terms[p][i]: ordinary ones, and a share of those that are hard: wide, cancelling,
/// halfway, special, zeros. Of 8 neighbours, which may be in one vector of a kernel, all are ordinary or at
/// the limit of a way to add them up now and then, so that none of them makes the kernel take another way.
template <class T>
std::vector<std::vector<T>> terms_of(int terms, std::size_t n, std::uint64_t seed, bool ordinary = false) {
  Random random(seed);
  std::vector<std::vector<T>> result(static_cast<std::size_t>(terms), std::vector<T>(n));
  bool at_limit = false, alike = ordinary;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 8 == 0 && !ordinary) {
      at_limit = terms >= 7 && sizeof(T) != 8 && random.bits() % 4 == 0;
      alike = random.bits() % 4 == 0;
    }
    if (at_limit) {
      const int kernel_bits = sizeof(T) == 2 && random.bits() % 2 == 0 ? 24 : 53;
      const int bits = std::is_same_v<T, foldline::half> ? 24 : kernel_bits;  // they have no more
      const int beyond = alike ? 0 : static_cast<int>(random.bits() % 2);
      const auto values = generators::terms_beside_halfway<T>(terms, bits + beyond, random);
      for (std::size_t p = 0; p < result.size(); ++p) result[p][i] = near<T>(values[p]);
      continue;
    }
    const std::uint64_t sort = alike ? 15 : random.bits() % 16;
    for (std::size_t p = 0; p < result.size(); ++p) {
      T& x = result[p][i];
      const double real = 2 * random.real() - 1;
      if (sort < 3) {  // any bits
        const std::uint64_t bits = random.bits();
        std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
      } else if (sort < 5) {  // exponents far apart
        x = near<T>(std::ldexp(real, static_cast<int>(random.bits() % 200) - 100));
      } else if (sort < 7) {  // cancelling
        x = p % 2 == 1 ? near<T>(-value_of(result[p - 1][i]))
                       : near<T>(std::ldexp(real, static_cast<int>(random.bits() % 60)));
      } else if (sort == 7) {  // halfway and a bit
        constexpr int places = sizeof(T) == 8 ? 53 : sizeof(T) == 4 ? 24 : 8;
        x = near<T>(p == 0   ? 1.0
                    : p == 1 ? std::ldexp(1.0, -places)
                    : p == 2 ? std::ldexp(real, -60 - places)
                             : 0.0);
      } else if (sort == 8) {
        x = near<T>(random.bits() % 8 == 0 ? 0.0 : -0.0);
      } else if (sort == 9) {
        const double special[] = {INFINITY, -INFINITY, NAN, 1, 2, 3, -4, 5};
        x = near<T>(special[random.bits() % 8]);
      } else {
        x = near<T>(real);
      }
    }
  }
  return result;
}

}  // namespace ranks
