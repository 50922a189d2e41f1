/// @file
/// Messages of calls that go on at the same time. Collective operations of MPI are matched by the order in
/// which they are started on a communicator, which differs among ranks if the steps of several calls take
/// turns; single messages are matched by their tags, so each call has one.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "foldline/mpi/error.hpp"

namespace foldline::mpi::detail {

using Requests = std::vector<MPI_Request>;

class Channel {
 public:
  /// For a call that all ranks make in the same order. The first one of a communicator duplicates it, and so
  /// waits for the other ranks.
  Channel(MPI_Comm comm, const Place& place) : ranks_(place.ranks), rank_(place.rank) {
    Shared* shared = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(comm, key(), static_cast<void*>(&shared), &found), "MPI_Comm_get_attr");
    if (found == 0) {
      auto made = std::make_unique<Shared>();
      check(MPI_Comm_dup(comm, &made->comm), "MPI_Comm_dup");
      check(MPI_Comm_set_attr(comm, key(), made.get()), "MPI_Comm_set_attr");
      shared = made.release();
    }
    comm_ = shared->comm;
    constexpr int tags = 32768;  // MPI promises as many
    tag_ = shared->calls++ % tags;
  }

  /// Sends `count` elements at from(rank) to each other rank, and receives as many at to(rank).
  template <class From, class To>
  [[nodiscard]] Requests start(int count, MPI_Datatype type, const From& from, const To& to) const {
    Requests requests;
    requests.reserve(2 * static_cast<std::size_t>(ranks_ - 1));
    for (int step = 1; step < ranks_; ++step) {
      const int source = (rank_ + ranks_ - step) % ranks_;
      check(MPI_Irecv(to(source), count, type, source, tag_, comm_, &requests.emplace_back(MPI_REQUEST_NULL)),
            "MPI_Irecv");
    }
    for (int step = 1; step < ranks_; ++step) {
      const int target = (rank_ + step) % ranks_;
      check(
          MPI_Isend(from(target), count, type, target, tag_, comm_, &requests.emplace_back(MPI_REQUEST_NULL)),
          "MPI_Isend");
    }
    return requests;
  }

 private:
  struct Shared {
    MPI_Comm comm = MPI_COMM_NULL;
    int calls = 0;
  };
  /// Of the attribute that a communicator keeps, and that goes with it.
  static int key() {
    static const int made = [] {
      int keyval = MPI_KEYVAL_INVALID;
      check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &keyval, nullptr),
            "MPI_Comm_create_keyval");
      return keyval;
    }();
    return made;
  }
  static int forget(MPI_Comm /*comm*/, int /*keyval*/, void* attribute, void* /*state*/) {
    const std::unique_ptr<Shared> shared(static_cast<Shared*>(attribute));
    return MPI_Comm_free(&shared->comm);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int ranks_, rank_, tag_ = 0;
};

}  // namespace foldline::mpi::detail
