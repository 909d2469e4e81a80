package mpi;

import io.verbena.messaging.Communicator;
import org.jspecify.annotations.Nullable;

/** Ranks that communicate (MPI_Comm). */
public class Comm extends CommReductions {

    private String name = "";
    private Errhandler handler = MPI.ERRORS_RETURN;

    Comm(@Nullable Communicator ranks) {
        super(ranks);
    }

    /** A communicator of the same ranks, whose messages are separate. */
    public Comm dup() throws MPIException {
        try {
            return new Comm(communicator().dup());
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Like {@link #dup}, for older programs. */
    @Override
    public Comm clone() {
        try {
            return dup();
        } catch (MPIException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Compares the ranks of two communicators. */
    public static int compare(Comm first, Comm second) throws MPIException {
        if (first == second) {
            return MPI.IDENT;
        }
        int groups = Group.compare(first.getGroup(), second.getGroup());
        return groups == MPI.IDENT ? MPI.CONGRUENT : groups;
    }

    /** All ranks free the communicator. */
    public final void free() throws MPIException {
        Communicator found = communicator();
        ranks(null);
        try {
            found.close();
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Returns whether this is no communicator. */
    public final boolean isNull() {
        return !hasRanks();
    }

    /** CART if the ranks are in a grid, otherwise UNDEFINED. */
    public int getTopology() throws MPIException {
        return MPI.UNDEFINED;
    }

    /** Communicators of two groups do not exist here. */
    public final boolean isInter() {
        return false;
    }

    /** The ranks of this communicator. */
    public final Group getGroup() throws MPIException {
        return new Group(communicator().group());
    }

    /** Sets what happens with errors: exceptions, whatever the handler is. */
    public final void setErrhandler(Errhandler newHandler) {
        handler = newHandler;
    }

    public final Errhandler getErrhandler() {
        return handler;
    }

    public final void setName(String newName) {
        name = newName;
    }

    public final String getName() {
        return name;
    }

    /** Ends this process at once; the launcher ends the others. */
    public final void abort(int errorcode) {
        Runtime.getRuntime().halt(errorcode);
    }
}
