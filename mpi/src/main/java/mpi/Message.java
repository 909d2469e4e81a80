package mpi;

import java.nio.Buffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A message that a probe has taken, so that no other receive gets it (MPI_Message). */
public final class Message {

    private Optional<io.verbena.messaging.Message> taken = Optional.empty();
    private boolean noProc;

    /** No message (MPI_MESSAGE_NULL). */
    public Message() {}

    /** Returns whether this is no message: none was taken, or it has been received. */
    public boolean isNull() {
        return taken.isEmpty() && !noProc;
    }

    /** Returns whether the probe named PROC_NULL. */
    public boolean isNoProc() {
        return noProc;
    }

    /** Waits for a message and takes it. */
    public Status mProbe(int source, int tag, Comm comm) throws MPIException {
        if (nobody(source)) {
            return Status.none();
        }
        io.verbena.messaging.Message found = comm.take(source, tag);
        taken = Optional.of(found);
        return Status.of(found.status());
    }

    /** Takes a message that has arrived; null if there is none. */
    public @Nullable Status imProbe(int source, int tag, Comm comm) throws MPIException {
        if (nobody(source)) {
            return Status.none();
        }
        taken = comm.takeArrived(source, tag);
        return taken.isEmpty() ? null : Status.of(taken.get().status());
    }

    private boolean nobody(int source) {
        noProc = source == MPI.PROC_NULL;
        if (noProc) {
            taken = Optional.empty();
        }
        return noProc;
    }

    /** Receives the message. */
    public Status mRecv(@Nullable Object buf, int count, Datatype type) throws MPIException {
        if (noProc) {
            noProc = false;
            return Status.none();
        }
        return start(buf, count, type).waitStatus();
    }

    /** Starts to receive the message. */
    public Request imRecv(@Nullable Buffer buf, int count, Datatype type) throws MPIException {
        if (noProc) {
            noProc = false;
            return Request.none();
        }
        return start(buf, count, type);
    }

    private Request start(@Nullable Object buf, int count, Datatype type) throws MPIException {
        if (taken.isEmpty()) {
            throw new MPIException(MPI.ERR_REQUEST, "no message was taken by a probe, or it has been received");
        }
        Payload payload = Payload.of(buf, count, type);
        try {
            Request request = new Request(taken.get().irecv(payload.segment()), payload, true);
            taken = Optional.empty();
            return request;
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }
}
