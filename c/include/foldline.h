/** @file
 * foldline for C and every language that can call it: exact sums, rounded once, the same bits on any machine.
 *
 *     double x[] = {1e16, 1.0, -1e16}, total;
 *     int64_t n = 3;
 *     foldline_array in = {x, FOLDLINE_FLOAT64, 1, &n, NULL}, out = {&total, FOLDLINE_FLOAT64, 0, NULL, NULL};
 *     if (foldline_reduce(FOLDLINE_SUM, &in, FOLDLINE_DEFAULT_DDOF, &out, NULL) != FOLDLINE_OK)
 *       fprintf(stderr, "%s\n", foldline_last_message());
 *
 * What each function computes, what it costs and what is an error say the C++ headers of the same names
 * (foldline/operations.hpp, axes.hpp, scan.hpp, ...) and docs/contract.md. Functions return FOLDLINE_OK or the
 * kind of the error; foldline_last_message() has the text of this thread's last one. No exception leaves a
 * function, nothing is written if one fails unless it says so, and a null handle or address is an error.
 *
 * Handles belong to the caller: what a function named ..._create or ..._copy gives is given back to ..._destroy,
 * which takes NULL, too. A handle is not for two threads at once. Symbols are versioned: a program that was
 * linked with one version runs with each later one that has the same soname. */
#ifndef FOLDLINE_H
#define FOLDLINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(FOLDLINE_C_BUILD) && defined(__GNUC__)
#define FOLDLINE_C_API __attribute__((visibility("default")))
#else
#define FOLDLINE_C_API
#endif

/** How a call ended. */
typedef int32_t foldline_status;
enum {
  FOLDLINE_OK = 0,
  FOLDLINE_INVALID_ARGUMENT = 1, /**< the call makes no sense: shapes that differ, a null address, ... */
  FOLDLINE_DATA_ERROR = 2,       /**< bytes that are no stored accumulator; a file that cannot be read */
  FOLDLINE_OVERFLOW = 3,         /**< an integer type cannot hold the exact result */
  FOLDLINE_DEVICE_ERROR = 4,     /**< a GPU did not do what it was told */
  FOLDLINE_OUT_OF_MEMORY = 5,
  FOLDLINE_INTERNAL_ERROR = 6 /**< a fault of foldline's */
};

/** What is wrong, where and what to do, of the last call of this thread that failed; "" before that. Valid
 * until the next one fails. */
FOLDLINE_C_API const char* foldline_last_message(void);
/** "0.2.0" */
FOLDLINE_C_API const char* foldline_version(void);

/** Types of elements; the numbers are fixed. */
typedef int32_t foldline_type;
enum {
  FOLDLINE_FLOAT16 = 0,
  FOLDLINE_BFLOAT16 = 1,
  FOLDLINE_FLOAT32 = 2,
  FOLDLINE_FLOAT64 = 3,
  FOLDLINE_INT8 = 4,
  FOLDLINE_INT16 = 5,
  FOLDLINE_INT32 = 6,
  FOLDLINE_INT64 = 7,
  FOLDLINE_UINT8 = 8,
  FOLDLINE_UINT16 = 9,
  FOLDLINE_UINT32 = 10,
  FOLDLINE_UINT64 = 11,
  FOLDLINE_BOOL = 12 /**< one byte; 0 is false and everything else true */
};

/** Operations; the numbers are fixed. */
typedef int32_t foldline_operation;
enum {
  FOLDLINE_SUM = 0,
  FOLDLINE_ABS_SUM = 1,
  FOLDLINE_TWO_NORM = 2,
  FOLDLINE_MEAN = 3,
  FOLDLINE_VARIANCE = 4,
  FOLDLINE_DOT = 5,           /**< of two vectors */
  FOLDLINE_WEIGHTED_MEAN = 6, /**< of values and weights */
  FOLDLINE_MINIMUM = 7,
  FOLDLINE_MAXIMUM = 8,
  FOLDLINE_STATISTICS = 9, /**< of accumulators only: all operations of one vector in one pass */
  FOLDLINE_STANDARD_DEVIATION = 10,
  FOLDLINE_STANDARD_ERROR = 11,
  FOLDLINE_RANGE = 12,
  FOLDLINE_ROOT_MEAN_SQUARE = 13
};

/** The divisor of a variance, standard deviation or standard error is n - ddof. This stands for 1 for the
 * standard error and 0 for the others, which is right for operations without a divisor, too. */
enum { FOLDLINE_DEFAULT_DDOF = -1 };

/** An array of the caller's, which foldline reads, or writes where it is a result: element (i, j, ...) is
 * i * strides[0] + j * strides[1] + ... elements behind data. An array of no axes is one element; then shape
 * may be NULL. Strides may be negative or, where foldline reads only, zero; strides NULL is a dense array in C
 * order. data need not be aligned. */
typedef struct foldline_array {
  void* data;
  foldline_type type;
  int32_t axes;
  const int64_t* shape;   /**< elements along each axis */
  const int64_t* strides; /**< elements from one to the next along each axis */
} foldline_array;

/** @{ How a call is carried out; NULL stands for the best for most: exact results, an error if an integer
 * result does not fit, the CPU, as many threads as are worth it. */
typedef struct foldline_context foldline_context;
enum { FOLDLINE_EXACT = 0, FOLDLINE_FAST = 1 };
enum { FOLDLINE_OVERFLOW_IS_AN_ERROR = 0, FOLDLINE_OVERFLOW_WRAPS = 1 };
enum { FOLDLINE_CPU = 0, FOLDLINE_CUDA = 1 };
FOLDLINE_C_API foldline_status foldline_context_create(foldline_context** context);
FOLDLINE_C_API void foldline_context_destroy(foldline_context* context);
FOLDLINE_C_API foldline_status foldline_context_set_accuracy(foldline_context* context, int32_t accuracy);
FOLDLINE_C_API foldline_status foldline_context_set_overflow(foldline_context* context, int32_t overflow);
/** 0: as many as are worth it; at most 4096. */
FOLDLINE_C_API foldline_status foldline_context_set_threads(foldline_context* context, int32_t threads);
/** The processor, and of a GPU its number; an error if it is not there. */
FOLDLINE_C_API foldline_status foldline_context_set_device(foldline_context* context, int32_t kind,
                                                           int32_t index);
/** The CUDA stream (a cudaStream_t) that work is queued in; NULL is the default one. */
FOLDLINE_C_API foldline_status foldline_context_set_stream(foldline_context* context, void* stream);
/** @} */

/** The number of GPUs that calls can run on. */
FOLDLINE_C_API foldline_status foldline_gpu_count(int32_t* count);

/** All elements of x to one number, in `result`, an array of one element, rounded once to its type. An array
 * of several axes that does not lie densely is read vector by vector. */
FOLDLINE_C_API foldline_status foldline_reduce(foldline_operation operation, const foldline_array* x,
                                               int64_t ddof, const foldline_array* result,
                                               const foldline_context* context);
/** The same of two vectors: FOLDLINE_DOT, or FOLDLINE_WEIGHTED_MEAN with the weights in y. */
FOLDLINE_C_API foldline_status foldline_reduce_pairs(foldline_operation operation, const foldline_array* x,
                                                     const foldline_array* y, const foldline_array* result,
                                                     const foldline_context* context);
/** Along one axis; -1 is the last one. `out` has a's shape without that axis. */
FOLDLINE_C_API foldline_status foldline_reduce_axis(foldline_operation operation, const foldline_array* a,
                                                    int64_t axis, int64_t ddof, const foldline_array* out,
                                                    const foldline_context* context);

/** Of segments of a vector: out[i] is of values[offsets[i]] to values[offsets[i + 1] - 1]. `offsets` are integers
 * that do not decrease, one more than `out` has elements. After an overflow `out` is unspecified. */
FOLDLINE_C_API foldline_status foldline_reduce_segments(foldline_operation operation,
                                                        const foldline_array* values,
                                                        const foldline_array* offsets, int64_t ddof,
                                                        const foldline_array* out,
                                                        const foldline_context* context);
/** Of the values with the same key: out[k] is of those with the key k; keys are integers from 0 on, below the
 * number of elements of `out`, in any order. */
FOLDLINE_C_API foldline_status foldline_reduce_by_key(foldline_operation operation, const foldline_array* keys,
                                                      const foldline_array* values, int64_t ddof,
                                                      const foldline_array* out,
                                                      const foldline_context* context);
/** Of the elements of a vector where `where`, of bool or uint8, is not zero; `taken` is how many these were. The
 * smallest and largest of none leave `result` as it was. On the processor. */
FOLDLINE_C_API foldline_status foldline_reduce_where(foldline_operation operation, const foldline_array* x,
                                                     const foldline_array* where, int64_t ddof,
                                                     const foldline_array* result, int64_t* taken,
                                                     const foldline_context* context);
/** The same along `axis_count` axes of `a`, all of them together; a negative one counts from the last, -1.
 * `where` has a's shape, or fewer axes or axes of one element, which stand for all. `out` has a's shape without
 * these axes, and so has `counts`, of int64, which gets how many elements were taken, or is NULL. The smallest
 * and largest of none leave their place in `out` as it was. After an overflow `out` is unspecified. */
FOLDLINE_C_API foldline_status foldline_reduce_axes_where(foldline_operation operation, const foldline_array* a,
                                                          const foldline_array* where, const int64_t* axes,
                                                          int32_t axis_count, int64_t ddof,
                                                          const foldline_array* out,
                                                          const foldline_array* counts,
                                                          const foldline_context* context);

/** All prefix sums along an axis, of a vector along axis 0; `out` has the same shape and may be `a` itself. */
FOLDLINE_C_API foldline_status foldline_inclusive_scan(const foldline_array* a, int64_t axis,
                                                       const foldline_array* out,
                                                       const foldline_context* context);
/** The sums before each element, which begin with `init`, an array of one element; NULL is 0. */
FOLDLINE_C_API foldline_status foldline_exclusive_scan(const foldline_array* a, int64_t axis,
                                                       const foldline_array* init, const foldline_array* out,
                                                       const foldline_context* context);

/** C = alpha A B + beta C; each has two axes. */
FOLDLINE_C_API foldline_status foldline_matrix_product(const foldline_array* a, const foldline_array* b,
                                                       const foldline_array* c, double alpha, double beta,
                                                       const foldline_context* context);

/** @{ An operation that is fed piece by piece, merged, stored, sent, and rounded at the end: Accumulator. */
typedef struct foldline_accumulator foldline_accumulator;
FOLDLINE_C_API foldline_status foldline_accumulator_create(foldline_operation operation,
                                                           foldline_accumulator** accumulator);
FOLDLINE_C_API foldline_status foldline_accumulator_copy(const foldline_accumulator* accumulator,
                                                         foldline_accumulator** copy);
FOLDLINE_C_API void foldline_accumulator_destroy(foldline_accumulator* accumulator);
FOLDLINE_C_API foldline_status foldline_accumulator_add(foldline_accumulator* accumulator,
                                                        const foldline_array* x,
                                                        const foldline_context* context);
FOLDLINE_C_API foldline_status foldline_accumulator_add_pairs(foldline_accumulator* accumulator,
                                                              const foldline_array* x,
                                                              const foldline_array* y,
                                                              const foldline_context* context);
/** Adds all elements of a .npy file, or the numbers of a text: those of the column that the first line calls
 * `column_name` or, if that is NULL, of the column of that number, from 1; 0 is every number of a text that has
 * one column, or blanks between numbers. Decimals are rounded to doubles, each once. "-" is standard input;
 * gzip, xz, zstd and bzip2 are unpacked. A missing value (empty, NA, ...) is an error if `skip_missing` is 0, and
 * left out otherwise. FOLDLINE_DATA_ERROR is one of the file; the accumulator is then as it was. */
FOLDLINE_C_API foldline_status foldline_accumulator_add_file(foldline_accumulator* accumulator,
                                                             const char* path, const char* column_name,
                                                             int64_t column, int32_t skip_missing,
                                                             const foldline_context* context);
FOLDLINE_C_API foldline_status foldline_accumulator_merge(foldline_accumulator* accumulator,
                                                          const foldline_accumulator* other);
FOLDLINE_C_API foldline_status foldline_accumulator_count(const foldline_accumulator* accumulator,
                                                          int64_t* count);
/** `operation` is the accumulator's own, or another one that its sums give. Of the context the overflow
 * counts. */
FOLDLINE_C_API foldline_status foldline_accumulator_result(const foldline_accumulator* accumulator,
                                                           foldline_operation operation, int64_t ddof,
                                                           const foldline_array* result,
                                                           const foldline_context* context);
/** Every digit of the exact result, as text that ends with a 0. `needed` is its size with that 0; `text` holds
 * all of it, or is left as it was if `size` is less. */
FOLDLINE_C_API foldline_status foldline_accumulator_exact(const foldline_accumulator* accumulator,
                                                          foldline_operation operation, int64_t ddof,
                                                          char* text, size_t size, size_t* needed);
/** The state as bytes for this machine or any other (docs/serialisation.md); `needed` as above. */
FOLDLINE_C_API foldline_status foldline_accumulator_store(const foldline_accumulator* accumulator, void* bytes,
                                                          size_t size, size_t* needed);
/** From such bytes; FOLDLINE_DATA_ERROR if they are not exactly one valid state. */
FOLDLINE_C_API foldline_status foldline_accumulator_load(const void* bytes, size_t size,
                                                         foldline_accumulator** accumulator);
/** @} */

/** @{ Many accumulators in little memory: AccumulatorArray. */
typedef struct foldline_accumulator_array foldline_accumulator_array;
FOLDLINE_C_API foldline_status foldline_accumulator_array_create(foldline_operation operation, int64_t size,
                                                                 foldline_accumulator_array** accumulators);
FOLDLINE_C_API void foldline_accumulator_array_destroy(foldline_accumulator_array* accumulators);
FOLDLINE_C_API foldline_status foldline_accumulator_array_resize(foldline_accumulator_array* accumulators,
                                                                 int64_t size);
FOLDLINE_C_API foldline_status foldline_accumulator_array_size(const foldline_accumulator_array* accumulators,
                                                               int64_t* size);
/** Adds element i of the vector x to accumulator indices[i]; there are as many indices as elements. */
FOLDLINE_C_API foldline_status foldline_accumulator_array_add(foldline_accumulator_array* accumulators,
                                                              const uint32_t* indices, const foldline_array* x);
/** The same with pairs. */
FOLDLINE_C_API foldline_status foldline_accumulator_array_add_pairs(foldline_accumulator_array* accumulators,
                                                                    const uint32_t* indices,
                                                                    const foldline_array* x,
                                                                    const foldline_array* y);
FOLDLINE_C_API foldline_status foldline_accumulator_array_merge(foldline_accumulator_array* accumulators,
                                                                int64_t index,
                                                                const foldline_accumulator_array* other,
                                                                int64_t other_index);
/** A new accumulator with what one of them has gathered: for its result, its count, its bytes. */
FOLDLINE_C_API foldline_status foldline_accumulator_array_at(const foldline_accumulator_array* accumulators,
                                                             int64_t index, foldline_accumulator** accumulator);
/** @} */

/** @{ One accumulator for each column of a matrix whose rows come some at a time: ColumnAccumulator. */
typedef struct foldline_column_accumulator foldline_column_accumulator;
FOLDLINE_C_API foldline_status foldline_column_accumulator_create(foldline_operation operation,
                                                                  foldline_type type, int64_t columns,
                                                                  const foldline_context* context,
                                                                  foldline_column_accumulator** accumulator);
FOLDLINE_C_API void foldline_column_accumulator_destroy(foldline_column_accumulator* accumulator);
FOLDLINE_C_API foldline_status foldline_column_accumulator_add(foldline_column_accumulator* accumulator,
                                                               const foldline_array* rows);
/** Takes the rows of `other`, which may only be destroyed after that: any other call with it returns
 * FOLDLINE_INVALID_ARGUMENT. */
FOLDLINE_C_API foldline_status foldline_column_accumulator_merge(foldline_column_accumulator* accumulator,
                                                                 foldline_column_accumulator* other);
FOLDLINE_C_API foldline_status foldline_column_accumulator_result(
    const foldline_column_accumulator* accumulator, int64_t ddof, const foldline_array* out,
    const foldline_context* context);
/** @} */

/** @{ A scan of a stream, block by block: RunningScan. */
typedef struct foldline_running_scan foldline_running_scan;
FOLDLINE_C_API foldline_status foldline_running_scan_create_inclusive(foldline_running_scan** scan);
FOLDLINE_C_API foldline_status foldline_running_scan_create_exclusive(const foldline_array* init,
                                                                      foldline_running_scan** scan);
FOLDLINE_C_API void foldline_running_scan_destroy(foldline_running_scan* scan);
FOLDLINE_C_API foldline_status foldline_running_scan_next(foldline_running_scan* scan, const foldline_array* x,
                                                          const foldline_array* out,
                                                          const foldline_context* context);
/** @} */

/** A function of many numbers at a time, y[i] = f(x[i]); `data` is what was given with it. Rules call it from
 * several threads at once, unless the context says one. */
typedef void (*foldline_function)(const double* x, double* y, int64_t n, void* data);
/** Rules of quadrature. */
enum {
  FOLDLINE_MIDPOINT = 0,
  FOLDLINE_TRAPEZOID = 1,
  FOLDLINE_SIMPSON = 2,
  FOLDLINE_GAUSS_LEGENDRE = 3 /**< with `points` nodes an interval */
};
/** The integral of f from a to b by a rule with n intervals. */
FOLDLINE_C_API foldline_status foldline_integrate(foldline_function f, void* data, double a, double b,
                                                  int32_t rule, int32_t points, int64_t n, double* integral,
                                                  const foldline_context* context);
/** How foldline_integrate_to ended. */
enum {
  FOLDLINE_CONVERGED = 0,
  FOLDLINE_MAX_EVALUATIONS = 1,
  FOLDLINE_ROUND_OFF = 2,
  FOLDLINE_MAY_DIVERGE = 3,
  FOLDLINE_NOT_FINITE = 4
};
/** What foldline_integrate_to gives: IntegralEstimate. */
typedef struct foldline_integral_estimate {
  double value, error;
  int64_t evaluations, non_finite;
  double where;
  int32_t end;
} foldline_integral_estimate;
/** To a tolerance, between limits that may be infinite. FOLDLINE_OK also if it did not converge: `end` says
 * so. */
FOLDLINE_C_API foldline_status foldline_integrate_to(foldline_function f, void* data, double a, double b,
                                                     double absolute, double relative, int64_t max_evaluations,
                                                     foldline_integral_estimate* estimate);
/** @{ The integral of samples y at places that are dx apart, or at x if that is not NULL. */
FOLDLINE_C_API foldline_status foldline_trapezoid(const foldline_array* y, const foldline_array* x, double dx,
                                                  double* integral, const foldline_context* context);
FOLDLINE_C_API foldline_status foldline_simpson(const foldline_array* y, const foldline_array* x, double dx,
                                                double* integral, const foldline_context* context);
/** @} */

/** @{ Calls that queue their work on a GPU and return: foldline/async.hpp says what holds for them. */
typedef struct foldline_workspace foldline_workspace;
FOLDLINE_C_API foldline_status foldline_workspace_create(int32_t gpu, foldline_workspace** workspace);
FOLDLINE_C_API void foldline_workspace_destroy(foldline_workspace* workspace);
typedef struct foldline_queue {
  foldline_workspace* workspace;
  void* stream;    /**< a cudaStream_t */
  int64_t* status; /**< in memory that the GPU reaches; negative after an overflow; may be NULL */
} foldline_queue;
FOLDLINE_C_API foldline_status foldline_queue_reduce(foldline_operation operation, const foldline_array* x,
                                                     int64_t ddof, const foldline_array* result,
                                                     const foldline_queue* queue,
                                                     const foldline_context* context);
FOLDLINE_C_API foldline_status foldline_queue_reduce_pairs(foldline_operation operation,
                                                           const foldline_array* x, const foldline_array* y,
                                                           const foldline_array* result,
                                                           const foldline_queue* queue,
                                                           const foldline_context* context);
FOLDLINE_C_API foldline_status foldline_queue_reduce_axis(foldline_operation operation, const foldline_array* a,
                                                          int64_t axis, int64_t ddof, const foldline_array* out,
                                                          const foldline_queue* queue,
                                                          const foldline_context* context);
/** Wrong offsets, and segments of more than 2^28 elements, show in the status, which must be there. */
FOLDLINE_C_API foldline_status foldline_queue_reduce_segments(foldline_operation operation,
                                                              const foldline_array* values,
                                                              const foldline_array* offsets, int64_t ddof,
                                                              const foldline_array* out,
                                                              const foldline_queue* queue,
                                                              const foldline_context* context);
FOLDLINE_C_API foldline_status foldline_queue_inclusive_scan(const foldline_array* x, const foldline_array* out,
                                                             const foldline_queue* queue,
                                                             const foldline_context* context);
FOLDLINE_C_API foldline_status foldline_queue_exclusive_scan(const foldline_array* x,
                                                             const foldline_array* init,
                                                             const foldline_array* out,
                                                             const foldline_queue* queue,
                                                             const foldline_context* context);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
