#include "nccl/library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "foldline/error.hpp"

namespace foldline::nccl {

namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* from, Library& to) {
  return find(from, "ncclCommCount", to.comm_count) && find(from, "ncclCommCuDevice", to.comm_device) &&
         find(from, "ncclCommUserRank", to.comm_rank) &&
         find(from, "ncclCommGetAsyncError", to.async_error) &&
         find(from, "ncclGetErrorString", to.error_string) && find(from, "ncclAllReduce", to.all_reduce) &&
         find(from, "ncclAllGather", to.all_gather) && find(from, "ncclSend", to.send) &&
         find(from, "ncclRecv", to.receive) && find(from, "ncclGroupStart", to.group_start) &&
         find(from, "ncclGroupEnd", to.group_end);
}

}  // namespace

Library::Library() {
  // The caller's communicators belong to the NCCL that the program has, if it has one.
  is_there = find_all(RTLD_DEFAULT, *this);
  if (is_there) return;
  const char* const wish = std::getenv("FOLDLINE_NCCL");
  void* const library = dlopen(wish != nullptr ? wish : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  is_there = library != nullptr && find_all(library, *this);
}

void Library::check(int status, const char* doing) const {
  if (status == 0) return;
  throw DeviceError(std::string("NCCL: ") + doing + " failed: " + error_string(status) +
                    "; NCCL_DEBUG=WARN says more");
}

const Library& library() {
  static const Library instance;
  if (!instance.is_there)
    throw InvalidArgument("there is no NCCL; install libnccl.so.2, or name its file in FOLDLINE_NCCL");
  return instance;
}

}  // namespace foldline::nccl
