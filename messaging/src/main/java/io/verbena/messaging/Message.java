package io.verbena.messaging;

import io.verbena.messaging.transfer.Unexpected;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A message that {@link Communicator#mprobe} has taken: no other receive gets it (MPI_Message). It is received once, by the thread that uses its
 * communicator.
 */
public final class Message {

    private final Probes probes;
    private final Status status;
    private Optional<Unexpected> taken;

    Message(Probes probes, Status status, Unexpected taken) {
        this.probes = probes;
        this.status = status;
        this.taken = Optional.of(taken);
    }

    /** Source, tag and length in bytes. */
    public Status status() {
        return status;
    }

    /**
     * Receives it (MPI_Mrecv).
     *
     * @throws IllegalStateException if it has been received
     */
    public Status recv(MemorySegment buffer) {
        return irecv(buffer).await();
    }

    /** Starts to receive it (MPI_Imrecv), like {@link #recv}. */
    public Request irecv(MemorySegment buffer) {
        Unexpected message = taken.orElseThrow(() -> new IllegalStateException("the message has been received"));
        Request request = probes.receive(message, buffer);
        taken = Optional.empty();
        return request;
    }
}
