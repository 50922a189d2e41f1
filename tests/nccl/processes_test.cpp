// Ranks in processes of their own: memory that they give each other by CUDA's handles, and what happens when
// one dies.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "foldline/error.hpp"
#include "ranks.hpp"

namespace {

using foldline::nccl::Communicator;
using foldline::nccl::Transport;

struct Id {
  char bytes[128];
};

#define REQUIRE(condition)                                                        \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition); \
      _exit(1);                                                                   \
    }                                                                             \
  } while (false)

/// The NCCL communicator of a process; rank 0 leaves the id in a file.
void* join(int rank, int size, const std::string& folder) {
  Id id{};
  const std::string path = folder + "/id";
  REQUIRE(ranks::nccl().is_there);
  if (rank == 0) {
    REQUIRE(ranks::nccl().get_id(&id) == 0);
    std::ofstream(path + ".new", std::ios::binary).write(id.bytes, sizeof id.bytes);
    std::filesystem::rename(path + ".new", path);
  } else {
    for (int i = 0; i < 300 && !std::filesystem::exists(path); ++i) usleep(100000);
    std::ifstream(path, std::ios::binary).read(id.bytes, sizeof id.bytes);
  }
  using InitRank = int (*)(void**, int, Id, int);
  const auto init = reinterpret_cast<InitRank>(dlsym(RTLD_DEFAULT, "ncclCommInitRank"));
  REQUIRE(init != nullptr);
  void* comm = nullptr;
  REQUIRE(init(&comm, size, id, rank) == 0);
  return comm;
}

template <class T>
void check_sums(int rank, const std::vector<std::vector<T>>& terms, const std::vector<T>& got) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    std::vector<T> of_element;
    for (const auto& of : terms) of_element.push_back(of[i]);
    REQUIRE(ranks::bits_of(got[i]) == ranks::bits_of(ranks::sum_by_limbs(of_element)));
  }
}

int run_rank(int rank, int size, const std::string& folder, const std::string& what) {
  REQUIRE(cudaSetDevice(rank) == cudaSuccess);
  void* const comm = join(rank, size, folder);
  void* const comms[] = {comm};
  if (what == "memory") {  // one rank wants more than there is
    for (const Transport transport : {Transport::automatic, Transport::nccl}) {
      const std::int64_t chunk = rank == size - 1 ? std::int64_t{1} << 40 : std::int64_t{1} << 20;
      try {
        (void)Communicator::connect(comms, {.transport = transport, .chunk_bytes = chunk});
        _exit(1);
      } catch (const foldline::DeviceError& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      }
    }
    _exit(42);
  }
  std::vector<Communicator> own = Communicator::connect(comms, {.time_limit = 3});
  std::fprintf(stderr, "rank %d: %s\n", rank, own[0].has_peers() ? "peers' memory" : "messages only");
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  constexpr std::size_t n = 50001;
  ranks::Array<float> x(rank, n + 4), out(rank, n + 4);
  if (what == "die") {
    if (!own[0].has_peers()) _exit(42);
    own[0].register_memory(x.data(), (n + 4) * sizeof(float));
    own[0].register_memory(out.data(), (n + 4) * sizeof(float));
    if (rank == size - 1) _exit(42);  // without a word
    own[0].all_reduce(x.data(), out.data(), n, stream);
    if (cudaStreamSynchronize(stream) != cudaSuccess)
      _exit(42);  // the memory of the dead one is gone: an error, too
    try {
      own[0].check();
    } catch (const foldline::DeviceError& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      _exit(42);  // NCCL would wait for the dead one
    }
    _exit(1);
  }
  for (int round = 0; round < 6; ++round) {
    if (round == 1)
      own[0].register_memory(x.data(), (n + 4) * sizeof(float));  // the others do not: by messages
    if (round == 2) own[0].register_memory(out.data(), (n + 4) * sizeof(float));
    const auto terms = ranks::terms_of<float>(size, n, static_cast<std::uint64_t>(round));
    const std::size_t offset = round >= 4 ? 1 : 0;
    REQUIRE(cudaMemcpy(x.data() + offset, terms[static_cast<std::size_t>(rank)].data(), n * sizeof(float),
                       cudaMemcpyHostToDevice) == cudaSuccess);
    float* const target = round == 3 ? x.data() : out.data() + offset;
    own[0].all_reduce(x.data() + offset, target, n, stream);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    own[0].check();
    std::vector<float> got(n);
    REQUIRE(cudaMemcpy(got.data(), target, n * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
    check_sums(rank, terms, got);
    ranks::Array<double> result(rank, 1), part(rank, n);
    part.set({got.begin(), got.end()});
    own[0].sum(foldline::VectorView(part.data(), static_cast<std::int64_t>(n)), result.data(), stream);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    std::vector<double> all;
    for (int i = 0; i < size; ++i)
      for (const float s : got) all.push_back(s);
    REQUIRE(ranks::bits_of(result.get()[0]) == ranks::bits_of(ranks::sum_by_limbs(all)));
    // The last sum of a scan over all ranks, and the sum of a column that is spread over them.
    ranks::Array<double> sums(rank, n);
    const auto count = static_cast<std::int64_t>(n);
    own[0].inclusive_scan(foldline::VectorView(part.data(), count),
                          foldline::MutableVectorView(sums.data(), count), stream);
    own[0].column_sums(foldline::MatrixView(part.data(), count, 1),
                       foldline::MutableVectorView(result.data(), 1), stream);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    own[0].check();
    REQUIRE(ranks::bits_of(result.get()[0]) == ranks::bits_of(ranks::sum_by_limbs(all)));
    all.resize(n * static_cast<std::size_t>(rank + 1));
    REQUIRE(ranks::bits_of(sums.get()[n - 1]) == ranks::bits_of(ranks::sum_by_limbs(all)));
  }
  own.clear();
  ranks::nccl().destroy(comm);
  _exit(42);
}

/// Runs this program as each rank. Returns whether all of them ended as they should, in time.
bool run_ranks(int size, const std::string& what) {
  char folder[] = "/tmp/foldline-nccl-XXXXXX";
  if (mkdtemp(folder) == nullptr) return false;
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      const std::string of_rank = std::to_string(rank), of_size = std::to_string(size);
      execl("/proc/self/exe", "rank", of_rank.c_str(), of_size.c_str(), folder, what.c_str(), nullptr);
      _exit(127);
    }
    children.push_back(child);
  }
  bool good = true;
  for (int tenths = 0; !children.empty(); ++tenths) {
    for (std::size_t i = children.size(); i-- > 0;) {
      int status = 0;
      if (waitpid(children[i], &status, WNOHANG) != children[i]) continue;
      good = good && WIFEXITED(status) && WEXITSTATUS(status) == 42;
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (tenths == 300) good = false;
    if (!good)  // the others may wait for the one that failed
      for (const pid_t child : children) kill(child, SIGKILL);
    usleep(100000);
  }
  std::filesystem::remove_all(folder);
  return good;
}

/// Counted without CUDA, which must not start before fork().
int devices_by_files() {
  int count = 0;
  for (int i = 0; i < 64; ++i)
    if (std::filesystem::exists("/dev/nvidia" + std::to_string(i))) ++count;
  return count;
}

TEST(Processes, GiveEachOtherMemory) {
  const int count = std::min(devices_by_files(), 8);
  if (count < 2 || !ranks::nccl().is_there) GTEST_SKIP() << "needs two GPUs and NCCL";
  EXPECT_TRUE(run_ranks(count, "sums"));
}

TEST(Processes, FailTogetherWithoutMemory) {
  const int count = std::min(devices_by_files(), 8);
  if (count < 2 || !ranks::nccl().is_there) GTEST_SKIP() << "needs two GPUs and NCCL";
  EXPECT_TRUE(run_ranks(count, "memory"));
}

TEST(Processes, NoticeADeadOne) {
  const int count = std::min(devices_by_files(), 8);
  if (count < 2 || !ranks::nccl().is_there) GTEST_SKIP() << "needs two GPUs and NCCL";
  EXPECT_TRUE(run_ranks(count, "die"));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[0]) == "rank")
    return run_rank(std::atoi(argv[1]), std::atoi(argv[2]), argv[3], argv[4]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
