package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A send or a receive from its start to its end; also the {@link Request} that a program holds. */
final class Operation extends Matching.Entry implements Request {

    private static final int MAX_TRANSFER_BYTES = 4 << 20;

    private final Transport transport;
    private final Status status = new Status();

    boolean sends;
    MemorySegment buffer = MemorySegment.NULL;
    long offset;
    long length;
    int peer;
    private boolean done;
    private String failure = "";
    private List<Integer> died = List.of();

    // A message from user memory to user memory.
    Registrations.@Nullable Registration registration;
    int id;
    Peer source = Peer.NOBODY;
    private long remoteAddress;
    private int rkey;
    private int remoteId;
    private long message; // its length
    private long wanted; // so much of it goes
    private long asked; // so much of that was posted
    private int transfers; // Reads or Writes under way
    private boolean awaitsPeer;
    private boolean writtenByPeer;

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
        died = List.of();
        id = -1;
        registration = null;
        awaitsPeer = false;
        source = Peer.NOBODY;
        return this;
    }

    // As a request.

    @Override
    public boolean done() {
        Guard guard = transport.guard();
        guard.enter();
        try {
            return done;
        } finally {
            guard.leave();
        }
    }

    @Override
    public boolean test() {
        Guard guard = transport.guard();
        guard.enter();
        try {
            if (!done) {
                transport.progress();
                transport.waiter().checkHope(this);
            }
            if (done) {
                check();
            }
            return done;
        } finally {
            guard.leave();
        }
    }

    @Override
    public Status await() {
        Guard guard = transport.guard();
        guard.enter();
        try {
            transport.waiter().await(this);
            check();
            return status;
        } finally {
            guard.leave();
        }
    }

    void check() {
        if (!failure.isEmpty()) {
            throw died.isEmpty() ? new MessagingException(failure) : new RankFailedException(failure, died);
        }
    }

    /** Why it failed; empty if it did not. */
    String failure() {
        return failure;
    }

    /** Whether this is a receive that a rank's death may leave waiting, though another rank may be meant. */
    boolean needsAnybody() {
        return !sends && (peer < 0 || context() == Communicator.BARRIERS);
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
            fail(
                    "A message of " + bytes + " bytes from rank " + from + " was received into a buffer of " + length
                            + ": it was cut off.",
                    List.of());
        }
        done = true;
    }

    /** It failed; {@code ranks} have died. */
    void fail(String sentence, List<Integer> ranks) {
        failure = sentence;
        died = ranks;
        done = true;
        releaseRegistration();
    }

    // Rendezvous.

    /** Where the peer can read the message of a send. */
    RemoteRegion remoteRegion() {
        return length == 0 ? new RemoteRegion(0, 0, 0) : registered().remote(start(), length);
    }

    /** The message is this receive's. */
    void startReceiving(Peer from, int tag, Unexpected what, Registrations.Use use) {
        source = from;
        status.set(from.rank(), tag, what.length);
        message = what.length;
        remoteAddress = what.address;
        rkey = what.rkey;
        remoteId = what.id;
        writtenByPeer = use == Registrations.Use.WRITTEN_BY_PEER;
        wanted = Math.min(message, length);
        asked = 0;
        transfers = 0;
        if (wanted > 0) {
            registration = from.registrations().of(buffer, offset, wanted, use);
        }
    }

    /** Where the peer may write the message of a receive. */
    RemoteRegion grantedRegion() {
        return wanted == 0 ? new RemoteRegion(0, 0, 0) : registered().remote(start(), wanted);
    }

    /** The peer has granted room for the message of a send. */
    void startWriting(RemoteRegion room, int theirId) {
        remoteAddress = room.address();
        rkey = room.rkey();
        remoteId = theirId;
        wanted = room.length();
        asked = 0;
        transfers = 0;
        awaitsPeer = false;
    }

    /** The peer was told of it, and its answer is what comes next. */
    void announced() {
        awaitsPeer = true;
    }

    boolean awaitsPeer() {
        return awaitsPeer;
    }

    boolean writtenByPeer() {
        return writtenByPeer;
    }

    int remoteId() {
        return remoteId;
    }

    private MemoryRegion registered() {
        Registrations.Registration mine = registration;
        if (mine == null) {
            throw new IllegalStateException("a message without memory");
        }
        return mine.region();
    }

    /** Offset of the message in what is registered. */
    private long start() {
        Registrations.Registration mine = registration;
        return mine == null ? 0 : mine.offsetOf(buffer, offset);
    }

    /** Posts what Reads or Writes there is room for; true when none is left to post. */
    boolean postTransfers(Channel channel) {
        while (asked < wanted) {
            int bytes = (int) Math.min(MAX_TRANSFER_BYTES, wanted - asked);
            long at = start() + asked;
            if (!source.mayTransfer()
                    || !(sends
                            ? channel.write(id, registered(), at, bytes, remoteAddress + asked, rkey)
                            : channel.read(id, registered(), at, bytes, remoteAddress + asked, rkey))) {
                return false;
            }
            source.transferPosted();
            asked += bytes;
            transfers++;
        }
        return true;
    }

    /** A Read or Write is done; true when it was the last one. */
    boolean onTransferred() {
        transfers--;
        return allMoved();
    }

    boolean allMoved() {
        return transfers == 0 && asked == wanted;
    }

    /** All of the message is here; true if the peer is to be told. */
    boolean finishReceiving() {
        Registrations.Registration mine = registration;
        MemorySegment copy = mine == null ? null : mine.bounce();
        if (copy != null) {
            MemorySegment.copy(copy, 0, buffer, offset, wanted);
        }
        releaseRegistration();
        received(status.source(), status.tag(), message);
        return !writtenByPeer;
    }

    void releaseRegistration() {
        Registrations.Registration mine = registration;
        registration = null;
        if (mine != null) {
            mine.release();
        }
    }
}
