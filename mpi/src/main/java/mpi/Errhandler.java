package mpi;

/** What happens with errors (MPI_Errhandler). Errors are exceptions here, whatever the handler is. */
public final class Errhandler {

    Errhandler() {}

    public void free() {}
}
