// Calls that queue their work on a GPU.
#include "arguments.hpp"
#include "calls.hpp"
#include "foldline/async.hpp"

using namespace foldline;
using namespace foldline::c;

struct foldline_workspace {
  DeviceWorkspace cpp;
};

namespace {

async::Queue queue_of(const foldline_queue* queue) {
  const foldline_queue& given = required(queue, "the queue");
  return {.workspace = &required(given.workspace, "the queue's workspace").cpp,
          .stream = given.stream,
          .status = given.status};
}

}  // namespace

foldline_status foldline_workspace_create(std::int32_t gpu, foldline_workspace** workspace) {
  return call([&] { hand_out(workspace, DeviceWorkspace(Device::cuda(gpu))); });
}

void foldline_workspace_destroy(foldline_workspace* workspace) { delete workspace; }

foldline_status foldline_queue_reduce(foldline_operation operation, const foldline_array* x,
                                      std::int64_t ddof, const foldline_array* result,
                                      const foldline_queue* queue, const foldline_context* context) {
  return call([&] {
    async::reduce(operation_of(operation), vector_of(x, "x"), one_element_of(result, "the result"),
                  {.ddof = ddof_of(ddof)}, queue_of(queue), context_of(context));
  });
}

foldline_status foldline_queue_reduce_pairs(foldline_operation operation, const foldline_array* x,
                                            const foldline_array* y, const foldline_array* result,
                                            const foldline_queue* queue, const foldline_context* context) {
  return call([&] {
    async::reduce(operation_of(operation), vector_of(x, "x"), vector_of(y, "y"),
                  one_element_of(result, "the result"), queue_of(queue), context_of(context));
  });
}

foldline_status foldline_queue_reduce_axis(foldline_operation operation, const foldline_array* a,
                                           std::int64_t axis, std::int64_t ddof, const foldline_array* out,
                                           const foldline_queue* queue, const foldline_context* context) {
  return call([&] {
    async::reduce_axis(operation_of(operation), array_of(a, "a"), axis, mutable_array_of(out, "out"),
                       {.ddof = ddof_of(ddof)}, queue_of(queue), context_of(context));
  });
}

foldline_status foldline_queue_reduce_segments(foldline_operation operation, const foldline_array* values,
                                               const foldline_array* offsets, std::int64_t ddof,
                                               const foldline_array* out, const foldline_queue* queue,
                                               const foldline_context* context) {
  return call([&] {
    async::reduce_segments(operation_of(operation), vector_of(values, "values"),
                           vector_of(offsets, "offsets"), mutable_vector_of(out, "out"),
                           {.ddof = ddof_of(ddof)}, queue_of(queue), context_of(context));
  });
}

foldline_status foldline_queue_inclusive_scan(const foldline_array* x, const foldline_array* out,
                                              const foldline_queue* queue, const foldline_context* context) {
  return call([&] {
    async::inclusive_scan(vector_of(x, "x"), mutable_vector_of(out, "out"), queue_of(queue),
                          context_of(context));
  });
}

foldline_status foldline_queue_exclusive_scan(const foldline_array* x, const foldline_array* init,
                                              const foldline_array* out, const foldline_queue* queue,
                                              const foldline_context* context) {
  return call([&] {
    async::exclusive_scan(vector_of(x, "x"), mutable_vector_of(out, "out"), scalar_of(init, "init"),
                          queue_of(queue), context_of(context));
  });
}
