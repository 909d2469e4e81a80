/* Two ranks: half a round trip of one size, and bandwidth with a window of messages under way.
 *
 *   pingpong latency BYTES ROUNDS     prints nanoseconds, half a round trip
 *   pingpong bandwidth BYTES WINDOWS  prints bytes per second; 16 messages a window, then a word back
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 16

static double latency(int rank, char *buffer, int bytes, int rounds) {
    double start = 0;
    for (int i = -rounds / 10; i < rounds; i++) {
        if (i == 0) start = MPI_Wtime();
        if (rank == 0) {
            MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) * 1e9 / 2 / rounds;
}

static double bandwidth(int rank, char *buffer, int bytes, int windows) {
    MPI_Request requests[WINDOW];
    char word = 0;
    double start = 0;
    for (int i = -windows / 10; i < windows; i++) {
        if (i == 0) start = MPI_Wtime();
        for (int k = 0; k < WINDOW; k++) {
            if (rank == 0)
                MPI_Isend(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[k]);
            else
                MPI_Irecv(buffer + (size_t)k * bytes, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[k]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(&word, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&word, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return (double)windows * WINDOW * bytes / (MPI_Wtime() - start);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4) {
        if (rank == 0) fprintf(stderr, "usage: pingpong latency|bandwidth BYTES COUNT\n");
        MPI_Finalize();
        return 2;
    }
    int bytes = atoi(argv[2]), count = atoi(argv[3]);
    char *buffer = malloc((size_t)bytes * WINDOW + 1);
    memset(buffer, 1, (size_t)bytes * WINDOW + 1);
    double value = strcmp(argv[1], "latency") == 0 ? latency(rank, buffer, bytes, count)
                                                    : bandwidth(rank, buffer, bytes, count);
    if (rank == 0) printf("%.1f\n", value);
    MPI_Finalize();
    return 0;
}
