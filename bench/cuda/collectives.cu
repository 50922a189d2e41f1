// Exact collectives on the GPUs of one host beside NCCL's own, which round at every addition: interleaved
// medians.
//   collectives [--gpus N] [--json FILE] [--most-bytes B] [--part
//   arrays|several|spread|ways]...
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "foldline/nccl/communicator.hpp"

namespace {

#define CHECK(call)                                                                     \
  do {                                                                                  \
    const int error_ = static_cast<int>(call);                                          \
    if (error_ != 0) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, error_); \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (false)

using foldline::nccl::Communicator;
using foldline::nccl::Transport;

struct Row {
  std::string what, type;
  long bytes;
  int gpus, terms;
  std::vector<std::pair<std::string, double>> microseconds;
  std::string sample;  // whether a sample of the results is right
};

template <class T>
__global__ void fill(T* x, long n, unsigned seed) {
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x) {
    unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xBF58476D1CE4E5B9ull;
    z ^= z >> 30, z *= 0xBF58476D1CE4E5B9ull, z ^= z >> 27, z *= 0x94D049BB133111EBull, z ^= z >> 31;
    x[i] = T(float(int(z >> 40) - (1 << 23)) * 0x1p-23f);
  }
}

/// The sum of four arrays with a rounding at every addition: what a program does before an all-reduce.
template <class T>
__global__ void add_four(const uint4* a, const uint4* b, const uint4* c, const uint4* d, uint4* out, long n) {
  constexpr int size = 16 / sizeof(T);
  for (long i = blockIdx.x * long(blockDim.x) + threadIdx.x; i < n; i += long(gridDim.x) * blockDim.x) {
    const uint4 words[4] = {__ldcs(a + i), __ldcs(b + i), __ldcs(c + i), __ldcs(d + i)};
    uint4 sum;
    for (int j = 0; j < size; ++j) {
      float s = 0;
      for (int p = 0; p < 4; ++p) s += float(reinterpret_cast<const T*>(&words[p])[j]);
      reinterpret_cast<T*>(&sum)[j] = T(s);
    }
    __stcs(out + i, sum);
  }
}

struct Bench {
  int gpus;
  std::vector<ncclComm_t> comm;
  std::vector<cudaStream_t> stream;
  std::vector<Communicator> peers, messages;
  std::vector<Row> rows;

  /// Microseconds of a call: the slowest rank's, a thread for each.
  double timed(int repeats, const std::function<void(int)>& call) const {
    std::vector<float> took(gpus);
    std::barrier ready(gpus);
    std::vector<std::thread> threads;
    for (int g = 0; g < gpus; ++g)
      threads.emplace_back([&, g] {
        CHECK(cudaSetDevice(g));
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        call(g);
        CHECK(cudaStreamSynchronize(stream[g]));
        ready.arrive_and_wait();
        CHECK(cudaEventRecord(begin, stream[g]));
        for (int i = 0; i < repeats; ++i) call(g);
        CHECK(cudaEventRecord(end, stream[g]));
        CHECK(cudaStreamSynchronize(stream[g]));
        CHECK(cudaEventElapsedTime(&took[g], begin, end));
        cudaEventDestroy(begin);
        cudaEventDestroy(end);
      });
    for (std::thread& thread : threads) thread.join();
    return *std::max_element(took.begin(), took.end()) * 1000.0 / repeats;
  }
  /// Medians of calls that take turns.
  std::vector<std::pair<std::string, double>> medians(
      int repeats, int trials,
      const std::vector<std::pair<std::string, std::function<void(int)>>>& calls) const {
    std::vector<std::vector<double>> times(calls.size());
    for (int trial = 0; trial < trials; ++trial)
      for (std::size_t i = 0; i < calls.size(); ++i) times[i].push_back(timed(repeats, calls[i].second));
    std::vector<std::pair<std::string, double>> result;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      std::sort(times[i].begin(), times[i].end());
      result.emplace_back(calls[i].first, times[i][times[i].size() / 2]);
    }
    return result;
  }
  void add(Row row) {
    std::printf("%-8s %-9s %10ld bytes, %2d terms:", row.what.c_str(), row.type.c_str(), row.bytes,
                row.terms);
    for (const auto& [name, time] : row.microseconds)
      std::printf("  %s %.1f us (%.2f)", name.c_str(), time, row.microseconds[0].second / time);
    std::printf("  %s\n", row.sample.c_str());
    std::fflush(stdout);
    rows.push_back(std::move(row));
  }
};

int repeats_for(long bytes) { return bytes <= (1 << 20) ? 100 : bytes <= (64 << 20) ? 30 : 6; }

double as_double(float x) { return x; }
double as_double(__nv_bfloat16 x) { return __bfloat162float(x); }
float narrow(double x, float) { return static_cast<float>(x); }
__nv_bfloat16 narrow(double x, __nv_bfloat16) { return __double2bfloat16(x); }

/// All-reduces of `arrays` arrays a GPU. The data's sums are exact in double.
template <class T>
void arrays_of(Bench& bench, const char* type, ncclDataType_t nccl_type, foldline::ElementType element,
               int arrays, long most_bytes) {
  const int gpus = bench.gpus;
  std::vector<std::vector<T*>> in(gpus, std::vector<T*>(arrays));
  std::vector<T*> out(gpus);
  for (int g = 0; g < gpus; ++g) {
    CHECK(cudaSetDevice(g));
    for (int v = 0; v < arrays; ++v) {
      CHECK(cudaMalloc(&in[g][v], most_bytes));
      fill<<<1024, 256>>>(in[g][v], most_bytes / long(sizeof(T)), g * arrays + v);
    }
    CHECK(cudaMalloc(&out[g], most_bytes));
    CHECK(cudaDeviceSynchronize());
  }
  for (long bytes = 65536; bytes <= most_bytes; bytes *= 4) {
    const long n = bytes / long(sizeof(T));
    const auto exact = [&](std::vector<Communicator>& ranks, int g) {
      std::vector<const void*> list(in[g].begin(), in[g].end());
      ranks[g].all_reduce(list, out[g], n, element, bench.stream[g]);
    };
    const auto plain = [&](int g) {
      const void* from = in[g][0];
      if (arrays == 4) {
        const auto at = [&](int v) { return reinterpret_cast<const uint4*>(in[g][v]); };
        add_four<T><<<1056, 256, 0, bench.stream[g]>>>(at(0), at(1), at(2), at(3),
                                                       reinterpret_cast<uint4*>(out[g]), bytes / 16);
        from = out[g];
      }
      CHECK(ncclAllReduce(from, out[g], n, nccl_type, ncclSum, bench.comm[g], bench.stream[g]));
    };
    std::vector<std::pair<std::string, std::function<void(int)>>> calls = {{"NCCL", plain}};
    if (bytes >= (1 << 20)) calls.emplace_back("messages", [&](int g) { exact(bench.messages, g); });
    if (!bench.peers.empty()) calls.emplace_back("peers", [&](int g) { exact(bench.peers, g); });
    Row row{arrays == 1 ? "arrays" : "several",          type, bytes, gpus, gpus * arrays,
            bench.medians(repeats_for(bytes), 5, calls), ""};
    // A sample of what was computed last, on every GPU.
    constexpr long sample = 512;
    long wrong = 0;
    std::vector<std::vector<T>> terms(gpus * arrays, std::vector<T>(sample));
    for (const long first : {0l, n / 2, n - sample}) {
      for (int p = 0; p < gpus * arrays; ++p)
        CHECK(cudaMemcpy(terms[p].data(), in[p / arrays][p % arrays] + first, sample * sizeof(T),
                         cudaMemcpyDefault));
      for (int g = 0; g < gpus; ++g) {
        std::vector<T> got(sample);
        CHECK(cudaMemcpy(got.data(), out[g] + first, sample * sizeof(T), cudaMemcpyDefault));
        for (long i = 0; i < sample; ++i) {
          double sum = 0;
          for (const auto& of : terms) sum += as_double(of[i]);
          const T right = narrow(sum, T{});
          wrong += std::memcmp(&right, &got[i], sizeof(T)) != 0;
        }
      }
    }
    row.sample = wrong == 0 ? "right" : std::to_string(wrong) + " WRONG";
    bench.add(std::move(row));
  }
  for (int g = 0; g < gpus; ++g) {
    CHECK(cudaSetDevice(g));
    for (T* const x : in[g]) CHECK(cudaFree(x));
    CHECK(cudaFree(out[g]));
  }
}

/// Parts of arrays read by the GPU that adds them up, or written to it by the others.
template <class T>
void ways_of(Bench& bench, const char* type, foldline::ElementType element, long most_bytes) {
  const std::vector<void*> comms(bench.comm.begin(), bench.comm.end());
  const auto with = [&](std::int64_t send_from) {
    return Communicator::connect(comms,
                                 {.transport = Transport::peers, .time_limit = 10, .send_from = send_from});
  };
  std::vector<Communicator> reading = with(1l << 60), sending = with(0);
  std::vector<std::vector<T*>> x(bench.gpus, std::vector<T*>(4));
  std::vector<T*> out(bench.gpus);
  for (int g = 0; g < bench.gpus; ++g) {
    CHECK(cudaSetDevice(g));
    CHECK(cudaMalloc(&out[g], most_bytes));
    for (int v = 0; v < 4; ++v) {
      CHECK(cudaMalloc(&x[g][v], most_bytes));
      fill<<<1024, 256>>>(x[g][v], most_bytes / long(sizeof(T)), g * 4 + v);
    }
    CHECK(cudaDeviceSynchronize());
  }
  for (const int arrays : {1, 4})
    for (long bytes = 1l << 20; bytes <= most_bytes; bytes *= 4) {
      const auto call = [&](std::vector<Communicator>& ranks) {
        return [&, arrays, bytes](int g) {
          const std::vector<const void*> list(x[g].begin(), x[g].begin() + arrays);
          ranks[g].all_reduce(list, out[g], bytes / long(sizeof(T)), element, bench.stream[g]);
        };
      };
      bench.add({"ways", type, bytes, bench.gpus, bench.gpus * arrays,
                 bench.medians(repeats_for(bytes), 3, {{"read", call(reading)}, {"sent", call(sending)}}),
                 ""});
    }
  for (int g = 0; g < bench.gpus; ++g) {
    for (T* const of : x[g]) CHECK(cudaFree(of));
    CHECK(cudaFree(out[g]));
  }
}

/// Sums, norms and scans of 2^28 doubles on each GPU beside those of one of them alone, and beside a copy.
void spread(Bench& bench) {
  constexpr long n = 1l << 28;
  std::vector<double*> x(bench.gpus), out(bench.gpus);
  for (int g = 0; g < bench.gpus; ++g) {
    CHECK(cudaSetDevice(g));
    CHECK(cudaMalloc(&x[g], n * sizeof(double)));
    CHECK(cudaMalloc(&out[g], n * sizeof(double)));
    fill<<<1024, 256>>>(x[g], n, g);
    CHECK(cudaDeviceSynchronize());
  }
  const int first[] = {0};
  auto alone = Communicator::of_devices(first);
  using Call = std::function<void(Communicator&, int)>;
  const auto view = [&](int g) { return foldline::VectorView(x[g], n); };
  const std::vector<std::pair<const char*, Call>> operations = {
      {"sum", [&](Communicator& rank, int g) { rank.sum(view(g), out[g], bench.stream[g]); }},
      {"norm", [&](Communicator& rank, int g) { rank.vector_two_norm(view(g), out[g], bench.stream[g]); }},
      {"scan", [&](Communicator& rank, int g) {
         rank.inclusive_scan(view(g), foldline::MutableVectorView(out[g], n), bench.stream[g]);
       }}};
  for (const auto& [name, operation] : operations) {
    std::vector<std::pair<std::string, std::function<void(int)>>> calls = {{"one GPU", [&](int g) {
                                                                              if (g == 0)
                                                                                operation(alone[0], 0);
                                                                            }}};
    if (!bench.peers.empty()) calls.emplace_back("peers", [&](int g) { operation(bench.peers[g], g); });
    calls.emplace_back("messages", [&](int g) { operation(bench.messages[g], g); });
    calls.emplace_back("copy", [&](int g) {
      CHECK(cudaMemcpyAsync(out[g], x[g], n * sizeof(double), cudaMemcpyDeviceToDevice, bench.stream[g]));
    });
    bench.add({std::string("spread ") + name, "float64", n * 8, bench.gpus, bench.gpus,
               bench.medians(10, 5, calls),
               "each GPU has so many bytes; times the number of GPUs is the speed over one's"});
  }
  for (int g = 0; g < bench.gpus; ++g) {
    CHECK(cudaFree(x[g]));
    CHECK(cudaFree(out[g]));
  }
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c == '"' || c == '\\')
      result += '\\', result += c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "  ";
    else if (static_cast<unsigned char>(c) >= ' ')
      result += c;
  return result;
}

std::string output_of(const char* command) {
  std::string result;
  if (FILE* const pipe = popen(command, "r")) {
    char buffer[4096];
    while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) result.append(buffer, size);
    pclose(pipe);
  }
  return result;
}

void write_json(const Bench& bench, const std::string& path) {
  FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int version = 0;
  ncclGetVersion(&version);
  std::fprintf(file,
               "{\"device\": \"%s\", \"gpus\": %d, \"nccl\": %d, \"nvls\": \"%s\", \"topology\": \"%s\",\n "
               "\"rows\": [\n",
               properties.name, bench.gpus, version, std::getenv("NCCL_NVLS_ENABLE"),
               escaped(output_of("nvidia-smi topo -m 2>/dev/null | sed 's/\x1b\\[[0-9;]*m//g'")).c_str());
  for (std::size_t i = 0; i < bench.rows.size(); ++i) {
    const Row& row = bench.rows[i];
    std::fprintf(file,
                 "  {\"what\": \"%s\", \"type\": \"%s\", \"bytes\": %ld, \"gpus\": %d, \"terms\": %d, "
                 "\"note\": \"%s\", \"us\": {",
                 row.what.c_str(), row.type.c_str(), row.bytes, row.gpus, row.terms,
                 escaped(row.sample).c_str());
    for (std::size_t j = 0; j < row.microseconds.size(); ++j)
      std::fprintf(file, "%s\"%s\": %.2f", j == 0 ? "" : ", ", row.microseconds[j].first.c_str(),
                   row.microseconds[j].second);
    std::fprintf(file, "}}%s\n", i + 1 == bench.rows.size() ? "" : ",");
  }
  std::fprintf(file, " ]}\n");
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);
  int gpus = 0;
  CHECK(cudaGetDeviceCount(&gpus));
  long most_bytes = 1l << 30;
  std::string json;
  std::vector<std::string> parts;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--gpus") gpus = std::min(gpus, std::atoi(argv[i + 1]));
    if (option == "--json") json = argv[i + 1];
    if (option == "--most-bytes") most_bytes = std::atol(argv[i + 1]);
    if (option == "--part") parts.emplace_back(argv[i + 1]);
  }
  if (parts.empty()) parts = {"arrays", "spread", "several"};
  Bench bench{gpus, std::vector<ncclComm_t>(gpus), std::vector<cudaStream_t>(gpus), {}, {}, {}};
  std::vector<int> devices(gpus);
  for (int g = 0; g < gpus; ++g) {
    devices[g] = g;
    CHECK(cudaSetDevice(g));
    CHECK(cudaStreamCreateWithFlags(&bench.stream[g], cudaStreamNonBlocking));
  }
  CHECK(ncclCommInitAll(bench.comm.data(), gpus, devices.data()));
  const std::vector<void*> comms(bench.comm.begin(), bench.comm.end());
  bench.messages = Communicator::connect(comms, {.transport = Transport::nccl});
  try {
    bench.peers = Communicator::connect(comms, {.transport = Transport::peers, .time_limit = 10});
  } catch (const std::exception& error) {
    std::printf("no peers' memory: %s\n", error.what());
  }
  for (const std::string& part : parts) {
    const long most = part == "several" || part == "ways" ? std::min(most_bytes, 256l << 20) : most_bytes;
    if (part == "arrays" || part == "several") {
      const int arrays = part == "arrays" ? 1 : 4;
      arrays_of<float>(bench, "float32", ncclFloat, foldline::ElementType::float32, arrays, most);
      arrays_of<__nv_bfloat16>(bench, "bfloat16", ncclBfloat16, foldline::ElementType::bfloat16, arrays,
                               most);
    }
    if (part == "spread") spread(bench);
    if (part == "ways" && !bench.peers.empty()) {
      ways_of<float>(bench, "float32", foldline::ElementType::float32, most);
      ways_of<__nv_bfloat16>(bench, "bfloat16", foldline::ElementType::bfloat16, most);
    }
    if (!json.empty()) write_json(bench, json);
  }
  for (const Communicator& rank : bench.peers) rank.check();
  bench.peers.clear();
  bench.messages.clear();
  for (const ncclComm_t comm : bench.comm) ncclCommDestroy(comm);
}
