/* One measurement of an implementation of MPI.
 *
 *   mpi OPERATION BYTES COUNT
 *
 *   latency        half a round trip of two ranks in nanoseconds
 *   bandwidth      bytes per second of COUNT windows of 16 messages, each followed by a word back
 *   osu_latency    half a round trip in microseconds, as the OSU benchmarks have it
 *   osu_…          a collective operation, the average of all ranks in microseconds; osu_allreduce adds floats, osu_alltoall sends BYTES
 *                  to each rank
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 16

static double latency(int rank, char *buffer, int bytes, int iterations) {
    double start = MPI_Wtime();
    for (int i = 0; i < iterations && rank < 2; i++) {
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) * 1e6 / 2 / iterations;
}

static double bandwidth(int rank, char *buffer, char *into, int bytes, int windows) {
    MPI_Request requests[WINDOW];
    char word = 0;
    double start = MPI_Wtime();
    for (int i = 0; i < windows; i++) {
        for (int k = 0; k < WINDOW; k++) {
            if (rank == 0)
                MPI_Isend(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[k]);
            else
                MPI_Irecv(into + (size_t)k * bytes, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[k]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(&word, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&word, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return (double)windows * WINDOW * bytes / (MPI_Wtime() - start);
}

static void once(const char *operation, char *from, char *into, int bytes) {
    if (!strcmp(operation, "osu_bcast"))
        MPI_Bcast(into, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (!strcmp(operation, "osu_allreduce"))
        MPI_Allreduce(from, into, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(operation, "osu_alltoall"))
        MPI_Alltoall(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

static double collective(const char *operation, char *from, char *into, int bytes, int iterations, int size) {
    double spent = 0, sum = 0;
    for (int i = 0; i < iterations; i++) {
        double start = MPI_Wtime();
        once(operation, from, into, bytes);
        spent += MPI_Wtime() - start;
        if (strcmp(operation, "osu_barrier")) MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(&spent, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum * 1e6 / iterations / size;
}

int main(int count, char **words) {
    int rank, size;
    if (count != 4) return 2;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int bytes = atoi(words[2]), iterations = atoi(words[3]);
    size_t all = (size_t)bytes * (size > WINDOW ? size : WINDOW) + 64;
    char *from = aligned_alloc(4096, (all + 4095) / 4096 * 4096), *into = aligned_alloc(4096, (all + 4095) / 4096 * 4096);
    memset(from, 0, all);
    memset(into, 0, all);
    double found = 0;
    for (int warm = 1; warm >= 0; warm--) { /* the first time is not counted */
        int times = warm ? iterations / 10 + 1 : iterations;
        MPI_Barrier(MPI_COMM_WORLD);
        if (!strcmp(words[1], "bandwidth"))
            found = bandwidth(rank, from, into, bytes, times);
        else if (!strcmp(words[1], "latency"))
            found = latency(rank, from, bytes, times) * 1e3;
        else if (!strcmp(words[1], "osu_latency"))
            found = latency(rank, from, bytes, times);
        else
            found = collective(words[1], from, into, bytes, times, size);
    }
    if (rank == 0) printf("%.3f\n", found);
    MPI_Finalize();
    return 0;
}
