/** MPI for the JVM: the package mpi, as programs for the Java bindings of Open MPI use it. */
module io.verbena.mpi {
    requires io.verbena.messaging;
    requires static org.jspecify;

    exports mpi;
}
