package mpi;

import io.verbena.messaging.Communicator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Ranks of one group that communicate (an intracommunicator). */
public class Intracomm extends Comm {

    Intracomm(@Nullable Communicator ranks) {
        super(ranks);
    }

    @Override
    public Intracomm dup() throws MPIException {
        try {
            Intracomm copy = new Intracomm(communicator().dup());
            copy.with(this);
            return copy;
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Like {@link #dup}: no hint changes anything here. */
    public Intracomm dupWithInfo(Info info) throws MPIException {
        return dup();
    }

    /** Like {@link #dup}, for older programs. */
    @Override
    public Intracomm clone() {
        return (Intracomm) super.clone();
    }

    /** Divides the ranks into communicators by their colors; the color UNDEFINED gives COMM_NULL. */
    public final Intracomm split(int colour, int key) throws MPIException {
        if (colour < 0 && colour != MPI.UNDEFINED) {
            throw new MPIException(MPI.ERR_ARG, "a color must not be negative: " + colour);
        }
        try {
            return new Intracomm(communicator()
                    .split(colour == MPI.UNDEFINED ? Communicator.NO_COLOR : colour, key)
                    .orElse(null));
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** A communicator of a group of these ranks; COMM_NULL for a rank that is not a member. */
    public final Intracomm create(Group group) throws MPIException {
        try {
            return new Intracomm(communicator().create(group.ranks()).orElse(null));
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    // Failures, by the names of ULFM.

    /** Ends all calls on this communicator at all ranks with ERR_REVOKED; only agree and shrink are possible afterwards. */
    public final void revoke() throws MPIException {
        try {
            communicator().revoke();
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Returns whether a rank has revoked this communicator. */
    public final boolean isRevoked() throws MPIException {
        return communicator().isRevoked();
    }

    /** A communicator of the living ranks; all of them call it. */
    public final Intracomm shrink() throws MPIException {
        try {
            return new Intracomm(communicator().shrink());
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** The bitwise AND of the flags of the living ranks, the same at all of them; all of them call it. Deaths do not let it fail. */
    public final int agree(int flag) throws MPIException {
        try {
            return (int) communicator().agree(flag);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** The ranks of this communicator that have died, as far as this rank knows. */
    public final Group getFailed() throws MPIException {
        Communicator over = communicator();
        return new Group(over.group()
                .include(over.failedRanks().stream()
                        .mapToInt(over.group()::rankOf)
                        .filter(rank -> rank >= 0)
                        .toArray()));
    }

    /** Lets receives from any rank ignore the ranks that have died until now. */
    public final void failureAck() throws MPIException {
        communicator().acknowledgeFailures();
    }

    // Grids.

    /** A communicator with a grid of these dimensions; COMM_NULL for the ranks that are too many. */
    public final CartComm createCart(int[] dims, boolean[] periods, boolean reorder) throws MPIException {
        int cells = Arrays.stream(dims).reduce(1, (a, b) -> a * b);
        if (dims.length != periods.length || cells < 1 || cells > getSize()) {
            throw new MPIException(
                    MPI.ERR_DIMS,
                    "a grid of " + Arrays.toString(dims) + " with " + periods.length + " periods does not fit "
                            + getSize() + " ranks");
        }
        Intracomm members = split(getRank() < cells ? 0 : MPI.UNDEFINED, getRank());
        return new CartComm(members.isNull() ? null : members.communicator(), dims, periods);
    }
}
