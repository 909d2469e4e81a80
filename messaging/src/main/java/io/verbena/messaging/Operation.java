package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A send or a receive from its start to its end; also the {@link Request} that a program holds. */
final class Operation extends Matching.Entry implements Request {

    private static final int MAX_READ_BYTES = 4 << 20;

    private final Transport transport;
    private final Status status = new Status();

    boolean sends;
    MemorySegment buffer = MemorySegment.NULL;
    long offset;
    long length;
    int peer;
    private boolean done;
    private String failure = "";

    // A message from user memory to user memory.
    Registrations.@Nullable Registration registration;
    int id;
    Peer source = Peer.NOBODY;
    private long remoteAddress;
    private int rkey;
    private int remoteId;
    private long message; // its length
    private long asked; // bytes asked for by Reads
    private int reads; // under way
    private @Nullable MemorySegment bounce; // instead of memory that the RNIC cannot reach

    Operation(Transport transport) {
        this.transport = transport;
    }

    Operation start(boolean isSend, MemorySegment memory, long at, long bytes, int rank, int tag, int context) {
        sends = isSend;
        buffer = memory;
        offset = at;
        length = bytes;
        peer = rank;
        match(rank, tag, context);
        done = false;
        failure = "";
        id = -1;
        registration = null;
        bounce = null;
        source = Peer.NOBODY;
        return this;
    }

    // As a request.

    @Override
    public boolean done() {
        return done;
    }

    @Override
    public boolean test() {
        if (!done) {
            transport.progress();
        }
        if (done) {
            check();
        }
        return done;
    }

    @Override
    public Status await() {
        transport.await(this);
        check();
        return status;
    }

    void check() {
        if (!failure.isEmpty()) {
            throw new MessagingException(failure);
        }
    }

    /** Why it failed; empty if it did not. */
    String failure() {
        return failure;
    }

    Status status() {
        return status;
    }

    // Its ends.

    void sent() {
        done = true;
        status.set(peer, tag(), length);
    }

    void received(int from, int tag, long bytes) {
        status.set(from, tag, Math.min(bytes, length));
        if (bytes > length) {
            fail("A message of " + bytes + " bytes from rank " + from + " was received into a buffer of " + length
                    + ": it was cut off.");
        }
        done = true;
    }

    void fail(String sentence) {
        failure = sentence;
        done = true;
        Registrations.Registration mine = registration;
        registration = null;
        if (mine != null) {
            mine.release();
        }
    }

    // Rendezvous, on the receiving side.

    /** The message is this receive's: Reads bring it. */
    void startReading(Peer from, int tag, long bytes, long address, int key, int theirId) {
        source = from;
        status.set(from.rank(), tag, bytes);
        message = bytes;
        remoteAddress = address;
        rkey = key;
        remoteId = theirId;
        asked = 0;
        reads = 0;
        long wanted = Math.min(bytes, length);
        if (wanted > 0) {
            registration = from.registrations().forReceiving(buffer, wanted);
            bounce = registration.bounce();
        }
    }

    /** Posts what Reads there is room for; true when none is left to post. */
    boolean postReads(Channel channel) {
        long wanted = Math.min(message, length);
        Registrations.Registration mine = registration;
        while (mine != null && asked < wanted) {
            int bytes = (int) Math.min(MAX_READ_BYTES, wanted - asked);
            if (!source.mayRead()
                    || !channel.read(
                            id,
                            mine.region(),
                            (bounce == null ? offset : 0) + asked,
                            bytes,
                            remoteAddress + asked,
                            rkey)) {
                return false;
            }
            source.readPosted();
            asked += bytes;
            reads++;
        }
        return true;
    }

    /** A Read is done; true when it was the last one. */
    boolean onReadDone() {
        reads--;
        return allRead();
    }

    boolean allRead() {
        return reads == 0 && asked == Math.min(message, length);
    }

    /** All of the message is here. */
    int finishReading() {
        MemorySegment copy = bounce;
        if (copy != null) {
            MemorySegment.copy(copy, 0, buffer, offset, asked);
        }
        Registrations.Registration mine = registration;
        registration = null;
        if (mine != null) {
            mine.release();
        }
        received(status.source(), status.tag(), message);
        return remoteId;
    }
}
