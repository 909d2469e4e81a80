package mpi;

import io.verbena.messaging.RankFailedException;
import io.verbena.messaging.RevokedException;
import io.verbena.messaging.TruncatedException;

/** An MPI call failed. The error class is one of the {@code ERR_} constants of {@link MPI}. */
public final class MPIException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errorClass;

    MPIException(int errorClass, String sentence) {
        super(sentence);
        this.errorClass = errorClass;
    }

    private MPIException(int errorClass, Throwable cause) {
        super(cause.getMessage(), cause);
        this.errorClass = errorClass;
    }

    static MPIException of(RuntimeException cause) {
        if (cause instanceof RankFailedException) {
            return new MPIException(MPI.ERR_PROC_FAILED, cause);
        }
        if (cause instanceof TruncatedException) {
            return new MPIException(MPI.ERR_TRUNCATE, cause);
        }
        if (cause instanceof RevokedException) {
            return new MPIException(MPI.ERR_REVOKED, cause);
        }
        return new MPIException(cause instanceof IllegalArgumentException ? MPI.ERR_ARG : MPI.ERR_OTHER, cause);
    }

    /** The error code; equal to the error class. */
    public int getErrorCode() {
        return errorClass;
    }

    /** The error class. */
    public int getErrorClass() {
        return errorClass;
    }
}
