/* Sums over ranks that depend on which rank holds which array, and with a library preloaded do not:
 *
 *   mpicc ranks.c -o ranks
 *   mpirun -n 4 ./ranks
 *   mpirun -n 4 env LD_PRELOAD=.../libfoldline_pmpi_openmpi.so ./ranks
 *
 * Each of P arrays is handed to another rank the second time. For each function the program prints how many of 1000 elements of the sum
 * changed, and element 0, which is 1e16 + 1 - 1e16. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { size = 1000 };

static void fill(double* x, int array, int arrays) {
  unsigned long long state = 88172645463325252ull + 7919ull * (unsigned)array;
  int i;
  for (i = 0; i < size; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    x[i] = ((double)(state >> 11) / 9007199254740992.0 - 0.5) * (1 << (i + array) % 9);
  }
  x[0] = array == 0 ? 1e16 : array == 1 ? 1 : array == arrays - 1 ? -1e16 : 0;
}

static void show(const char* name, double sums[2][size], int rank) {
  int i, changed = 0;
  for (i = 0; i < size; ++i) changed += sums[0][i] != sums[1][i];
  if (rank == 0) printf("%s %d %.17g\n", name, changed, sums[0][0]);
}

int main(int argc, char** argv) {
  static double x[size], all[2][size], placed[2][size], reduced[2][size], last[2][size], block[2][size];
  double* blocks;
  int rank, ranks, way, i, r;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  blocks = malloc(sizeof(double) * size * (size_t)ranks);
  for (way = 0; way < 2; ++way) {
    fill(x, way == 0 ? rank : (rank + 1) % ranks, ranks);
    for (i = 0; i < size; ++i) placed[way][i] = x[i];
    for (r = 0; r < ranks; ++r)
      for (i = 0; i < size; ++i) blocks[r * size + i] = x[i];
    MPI_Allreduce(x, all[way], size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, placed[way], size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(x, reduced[way], size, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(blocks, block[way], size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(x, last[way], size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(last[way], size, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD); /* the scan of the last rank is of all */
  }
  show("allreduce", all, rank);
  show("in-place", placed, rank);
  show("reduce", reduced, rank);
  show("reduce-scatter-block", block, rank);
  show("scan", last, rank);
  free(blocks);
  MPI_Finalize();
  return 0;
}
