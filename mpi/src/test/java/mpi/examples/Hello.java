package mpi.examples;

import mpi.MPI;
import mpi.MPIException;

/** Every rank greets; rank 0 adds up their numbers. {@code verbena run -n 4 -- mpi/src/test/java/mpi/examples/Hello.java} */
public final class Hello {

    private Hello() {}

    public static void main(String[] args) throws MPIException {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.getRank();
        int size = MPI.COMM_WORLD.getSize();
        System.out.println("Hello from rank " + rank + " of " + size);
        int[] sum = {rank};
        MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
        if (rank == 0) {
            System.out.println("The sum of all ranks is " + sum[0]);
        }
        MPI.Finalize();
    }
}
