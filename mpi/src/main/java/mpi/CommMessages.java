package mpi;

import io.verbena.messaging.Communicator;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Point to point communication. */
abstract class CommMessages {

    private final BufferedSends buffered = new BufferedSends();
    private @Nullable Communicator ranks;

    CommMessages(@Nullable Communicator ranks) {
        this.ranks = ranks;
    }

    void ranks(@Nullable Communicator value) {
        ranks = value;
    }

    final boolean hasRanks() {
        return ranks != null;
    }

    final Communicator communicator() throws MPIException {
        Communicator found = ranks;
        if (found == null) {
            throw new MPIException(
                    MPI.ERR_COMM,
                    MPI.isInitialized()
                            ? "the communicator is COMM_NULL, or has been freed"
                            : "call MPI.Init before any communication");
        }
        return found;
    }

    /** Number of ranks. */
    public final int getSize() throws MPIException {
        return communicator().size();
    }

    /** Rank of this process. */
    public final int getRank() throws MPIException {
        return communicator().rank();
    }

    private Communicator peer(int rank, boolean any, int tag) throws MPIException {
        Communicator found = communicator();
        if (rank != MPI.PROC_NULL && !(any && rank == MPI.ANY_SOURCE) && (rank < 0 || rank >= found.size())) {
            throw new MPIException(MPI.ERR_RANK, "ranks are 0 to " + (found.size() - 1) + ", not " + rank);
        }
        if (tag > Communicator.MAX_TAG || tag < 0 && !(any && tag == MPI.ANY_TAG)) {
            throw new MPIException(MPI.ERR_TAG, "tags are 0 to " + Communicator.MAX_TAG + ", not " + tag);
        }
        return found;
    }

    // Blocking.

    /** Sends elements of an array or a buffer; when the call returns the buffer is free. */
    public final void send(@Nullable Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Communicator over = peer(dest, false, tag);
        Payload payload = Payload.of(buf, count, type);
        if (dest == MPI.PROC_NULL) {
            return;
        }
        try {
            over.send(payload.segment(), dest, tag);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Receives elements into an array or a buffer. */
    public final Status recv(@Nullable Object buf, int count, Datatype type, int source, int tag) throws MPIException {
        Communicator over = peer(source, true, tag);
        Payload payload = Payload.of(buf, count, type);
        if (source == MPI.PROC_NULL) {
            return Status.none();
        }
        try {
            io.verbena.messaging.Status found = over.recv(payload.segment(), source, tag);
            payload.received(found.count());
            return Status.of(found);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Sends and receives at once. */
    public final Status sendRecv(
            @Nullable Object sendbuf,
            int sendcount,
            Datatype sendtype,
            int dest,
            int sendtag,
            @Nullable Object recvbuf,
            int recvcount,
            Datatype recvtype,
            int source,
            int recvtag)
            throws MPIException {
        Request receive = receive(recvbuf, recvcount, recvtype, source, recvtag);
        send(sendbuf, sendcount, sendtype, dest, sendtag);
        return receive.waitStatus();
    }

    /** Sends elements and replaces them by those that are received. */
    public final Status sendRecvReplace(
            Object buf, int count, Datatype type, int dest, int sendtag, int source, int recvtag) throws MPIException {
        Payload payload = Payload.of(buf, count, type);
        MemorySegment sent = MemorySegment.ofArray(payload.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
        Communicator over = peer(dest, false, sendtag);
        try {
            Request receive = receive(buf, count, type, source, recvtag);
            if (dest != MPI.PROC_NULL) {
                over.send(sent, dest, sendtag);
            }
            return receive.waitStatus();
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** A send of a copy of the elements: the call does not wait for the receive, however long the message is. No buffer need be attached. */
    public final void bSend(@Nullable Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Communicator over = peer(dest, false, tag);
        Payload payload = Payload.of(buf, count, type);
        if (dest != MPI.PROC_NULL) {
            try {
                buffered.send(over, payload.segment(), dest, tag);
            } catch (RuntimeException e) {
                throw MPIException.of(e);
            }
        }
    }

    /** A send; when the call returns a receive has been matched to the message. */
    public final void sSend(@Nullable Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Communicator over = peer(dest, false, tag);
        Payload payload = Payload.of(buf, count, type);
        if (dest == MPI.PROC_NULL) {
            return;
        }
        try {
            over.ssend(payload.segment(), dest, tag);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** A send whose receive has been started. */
    public final void rSend(Object buf, int count, Datatype type, int dest, int tag) throws MPIException {
        send(buf, count, type, dest, tag);
    }

    // Non-blocking.

    private Request receive(@Nullable Object buf, int count, Datatype type, int source, int tag) throws MPIException {
        Communicator over = peer(source, true, tag);
        Payload payload = Payload.of(buf, count, type);
        if (source == MPI.PROC_NULL) {
            return Request.none();
        }
        try {
            return new Request(over.irecv(payload.segment(), source, tag), payload, true);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Starts to send; the buffer must not be changed until the request is done. */
    public final Request iSend(@Nullable Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Communicator over = peer(dest, false, tag);
        Payload payload = Payload.of(buf, count, type);
        if (dest == MPI.PROC_NULL) {
            return Request.none();
        }
        try {
            return new Request(over.isend(payload.segment(), dest, tag), payload, false);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Starts a send; see {@link #bSend}. */
    public final Request ibSend(@Nullable Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Communicator over = peer(dest, false, tag);
        Payload payload = Payload.of(buf, count, type);
        if (dest == MPI.PROC_NULL) {
            return Request.none();
        }
        try {
            return new Request(buffered.send(over, payload.segment(), dest, tag), payload, false);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Starts a send; the request is done when a receive has been matched to the message. */
    public final Request isSend(@Nullable Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        Communicator over = peer(dest, false, tag);
        Payload payload = Payload.of(buf, count, type);
        if (dest == MPI.PROC_NULL) {
            return Request.none();
        }
        try {
            return new Request(over.issend(payload.segment(), dest, tag), payload, false);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Starts a send; see {@link #rSend}. */
    public final Request irSend(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return iSend(buf, count, type, dest, tag);
    }

    /** Starts to receive. */
    public final Request iRecv(@Nullable Buffer buf, int count, Datatype type, int source, int tag)
            throws MPIException {
        return receive(buf, count, type, source, tag);
    }

    // Persistent.

    /** Prepares a send that is started many times. */
    public final Prequest sendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return sendInit(buf, count, type, dest, tag, false);
    }

    private Prequest sendInit(Buffer buf, int count, Datatype type, int dest, int tag, boolean copies)
            throws MPIException {
        Communicator over = peer(dest, false, tag);
        Payload.of(buf, count, type);
        return new Prequest(
                () -> {
                    try { // a type with gaps is packed anew
                        MemorySegment message = Payload.of(buf, count, type).segment();
                        return copies ? buffered.send(over, message, dest, tag) : over.isend(message, dest, tag);
                    } catch (MPIException e) {
                        throw new IllegalStateException(e.getMessage(), e);
                    }
                },
                Payload.NONE,
                false);
    }

    /** Like {@link #sendInit}, for sends of copies; see {@link #bSend}. */
    public final Prequest bSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return sendInit(buf, count, type, dest, tag, true);
    }

    /** Like {@link #sendInit}. */
    public final Prequest rSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return sendInit(buf, count, type, dest, tag);
    }

    /** Like {@link #sendInit}: does not wait for its receive. */
    public final Prequest sSendInit(Buffer buf, int count, Datatype type, int dest, int tag) throws MPIException {
        return sendInit(buf, count, type, dest, tag);
    }

    /** Prepares a receive that is started many times. */
    public final Prequest recvInit(Buffer buf, int count, Datatype type, int source, int tag) throws MPIException {
        Communicator over = peer(source, true, tag);
        Payload payload = Payload.of(buf, count, type);
        return new Prequest(() -> over.irecv(payload.segment(), source, tag), payload, true);
    }

    // Probes.

    /** Waits for a message and does not receive it. */
    public final Status probe(int source, int tag) throws MPIException {
        Communicator over = peer(source, true, tag);
        if (source == MPI.PROC_NULL) {
            return Status.none();
        }
        try {
            return Status.of(over.probe(source, tag));
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Describes a message that has arrived and does not receive it; null if there is none. */
    public final @Nullable Status iProbe(int source, int tag) throws MPIException {
        Communicator over = peer(source, true, tag);
        if (source == MPI.PROC_NULL) {
            return Status.none();
        }
        try {
            io.verbena.messaging.Status found = new io.verbena.messaging.Status();
            return over.iprobe(source, tag, found) ? Status.of(found) : null;
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Waits for a message and takes it, for {@link Message}. */
    final io.verbena.messaging.Message take(int source, int tag) throws MPIException {
        Communicator over = peer(source, true, tag);
        try {
            return over.mprobe(source, tag);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Takes a message that has arrived, for {@link Message}. */
    final Optional<io.verbena.messaging.Message> takeArrived(int source, int tag) throws MPIException {
        Communicator over = peer(source, true, tag);
        try {
            return over.improbe(source, tag);
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    /** Waits until the messages of buffered sends have left. */
    final void awaitBuffered() throws MPIException {
        try {
            buffered.await();
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }
}
