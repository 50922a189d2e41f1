/* Sums in C, and what goes wrong without exactness: numbers whose sum a loop loses.
 *
 *   cc totals.c $(pkg-config --cflags --libs foldline_c) && ./a.out */
#include <foldline.h>
#include <inttypes.h>
#include <stdio.h>

#define N 4

static int failed(foldline_status status) {
  if (status != FOLDLINE_OK) fprintf(stderr, "totals: %s\n", foldline_last_message());
  return status != FOLDLINE_OK;
}

int main(void) {
  double x[N] = {1e16, 1.0, 1.0, -1e16}, loop = 0, sum, norm, prefix[N];
  const int64_t n = N;
  const foldline_array numbers = {x, FOLDLINE_FLOAT64, 1, &n, NULL};
  const foldline_array sums = {prefix, FOLDLINE_FLOAT64, 1, &n, NULL};
  const foldline_array to_sum = {&sum, FOLDLINE_FLOAT64, 0, NULL, NULL};
  const foldline_array to_norm = {&norm, FOLDLINE_FLOAT64, 0, NULL, NULL};
  foldline_accumulator* parts;
  int64_t count, half = N / 2;
  const foldline_array first = {x, FOLDLINE_FLOAT64, 1, &half, NULL};
  const foldline_array second = {x + N / 2, FOLDLINE_FLOAT64, 1, &half, NULL};
  int i;

  for (i = 0; i < N; ++i) loop += x[i];
  if (failed(foldline_reduce(FOLDLINE_SUM, &numbers, FOLDLINE_DEFAULT_DDOF, &to_sum, NULL))) return 1;
  if (failed(foldline_reduce(FOLDLINE_TWO_NORM, &numbers, FOLDLINE_DEFAULT_DDOF, &to_norm, NULL))) return 1;
  printf("a loop %g, foldline %g, norm %.17g\n", loop, sum, norm);

  if (failed(foldline_inclusive_scan(&numbers, 0, &sums, NULL))) return 1;
  printf("prefix sums %.17g %.17g %.17g %.17g\n", prefix[0], prefix[1], prefix[2], prefix[3]);

  if (failed(foldline_accumulator_create(FOLDLINE_SUM, &parts))) return 1;
  if (failed(foldline_accumulator_add(parts, &second, NULL)) ||
      failed(foldline_accumulator_add(parts, &first, NULL)) ||
      failed(foldline_accumulator_count(parts, &count)) ||
      failed(foldline_accumulator_result(parts, FOLDLINE_SUM, FOLDLINE_DEFAULT_DDOF, &to_sum, NULL)))
    return 1;
  foldline_accumulator_destroy(parts);
  printf("in two pieces, the last one first: %g of %" PRId64 " numbers\n", sum, count);
  return 0;
}
