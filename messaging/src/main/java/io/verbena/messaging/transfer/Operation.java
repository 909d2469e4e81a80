package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.protocol.BroadcastTree;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Matching;
import io.verbena.messaging.ring.Registered;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A send or a receive from its start to its completion. */
public abstract class Operation extends Matching.Entry implements Awaited {

    private static final int MAX_TRANSFER_BYTES = 4 << 20;
    private static final int NO_ROOT = -1;

    public boolean sends;
    public MemorySegment buffer = MemorySegment.NULL;
    public long offset;
    public long length;
    public int peer;
    private int root = NO_ROOT; // of the collective operation
    private int self;
    private boolean declined;
    private boolean synchronous;
    private boolean detached;
    private boolean truncated;
    private boolean revoked;
    private boolean done;
    private String failure = "";
    private List<Integer> died = List.of();

    // A message that moves from user memory to user memory.
    @Nullable
    Registered registration;

    public int id;
    public Peer source = Peer.NONE;
    private long remoteAddress;
    private int rkey;
    private int remoteId;
    private int messageTag;
    private long messageLength;
    private long transferLength; // what fits the buffer of the receive
    private long posted; // bytes of the transfer that have been posted
    private int transfers; // Reads or Writes that have not completed
    private boolean awaitsPeer;
    private boolean writtenByPeer;

    /** Whether its communicator has a rank. */
    protected abstract boolean concerns(int rank);

    /** The operation is done: what a program sees of the message. */
    protected abstract void report(int rank, int tag, long bytes);

    public Operation start(boolean isSend, MemorySegment memory, long at, long bytes, int rank, int tag, int context) {
        sends = isSend;
        buffer = memory;
        offset = at;
        length = bytes;
        peer = rank;
        match(rank, tag, context);
        root = NO_ROOT;
        declined = false;
        detached = false;
        synchronous = false;
        truncated = false;
        revoked = false;
        done = false;
        failure = "";
        died = List.of();
        id = -1;
        registration = null;
        awaitsPeer = false;
        source = Peer.NONE;
        return this;
    }

    /** Makes this a part of a collective operation: it depends on the path from the root to this rank. */
    public void inTree(int rootOfTree, int ownRank) {
        root = rootOfTree;
        self = ownRank;
    }

    /** Makes this a send that is complete only when its receive has been matched. */
    public void synchronously() {
        synchronous = true;
    }

    public boolean synchronous() {
        return synchronous;
    }

    /** Why the operation failed; empty if it did not. */
    public String failure() {
        return failure;
    }

    protected List<Integer> died() {
        return died;
    }

    protected boolean revoked() {
        return revoked;
    }

    /** Length of the whole message, if the buffer of the receive is shorter; -1 otherwise. */
    protected long truncatedBytes() {
        return truncated ? messageLength : -1;
    }

    /** Returns whether this is a receive that may wait forever if some rank of the job dies. */
    public boolean dependsOnOthers() {
        return !sends && (peer < 0 || Contexts.needsAll(context()) || root != NO_ROOT);
    }

    /** Returns whether this operation may wait forever if a rank dies. */
    public boolean dependsOn(int rank, int size) {
        if (root != NO_ROOT) {
            return BroadcastTree.precedes(rank, self, root, size);
        }
        if (sends || peer >= 0 && !Contexts.needsAll(context())) {
            return rank == peer;
        }
        return concerns(rank);
    }

    // Completion.

    public void sent() {
        done = true;
        report(peer, tag(), length);
    }

    public void received(int from, int tag, long bytes) {
        report(from, tag, Math.min(bytes, length));
        if (bytes > length) {
            truncated = true;
            messageLength = bytes;
            fail(
                    "A message of " + bytes + " bytes from rank " + from
                            + " was truncated: the buffer of the receive has " + length + " bytes.",
                    List.of());
        }
        done = true;
    }

    @Override
    public boolean isDone() {
        return done;
    }

    /** The peer takes no messages of the communicator any more; it reports why. */
    void decline(String sentence, List<Integer> ranks) {
        declined = true;
        fail(sentence, ranks);
    }

    /**
     * The peer may still read the message, or a copy of it, and does not use the bytes: the memory is the
     * program's again.
     */
    public void detach() {
        detached = true;
    }

    public boolean detached() {
        return detached;
    }

    public boolean declined() {
        return declined;
    }

    /** The communicator of the operation was revoked. */
    public void revoke(String sentence) {
        declined = true;
        revoked = true;
        fail(sentence, List.of());
    }

    /** The operation fails; {@code ranks} have died. */
    public void fail(String sentence, List<Integer> ranks) {
        failure = sentence;
        died = ranks;
        done = true;
        releaseRegistration();
    }

    // Rendezvous.

    /** Returns whether the peer is given a copy of the message. */
    public boolean wasCopied() {
        Registered currentRegistration = registration;
        return currentRegistration != null && currentRegistration.bounce() != null;
    }

    /** The address at which the peer can read the message of a send. */
    RemoteRegion remoteRegion() {
        return length == 0 ? new RemoteRegion(0, 0, 0) : registered().remote(start(), length);
    }

    /** The message of a peer was matched to this receive. */
    void startReceiving(Peer from, int tag, Unexpected message, Registrations.Use use) {
        source = from;
        messageTag = tag;
        messageLength = message.length;
        remoteAddress = message.address;
        rkey = message.rkey;
        remoteId = message.id;
        writtenByPeer = use == Registrations.Use.WRITTEN_BY_PEER;
        transferLength = Math.min(messageLength, length);
        posted = 0;
        transfers = 0;
        if (transferLength > 0) {
            registration = from.registrations().of(buffer, offset, transferLength, use);
        }
    }

    /** The address at which the peer may write the message of a receive. */
    RemoteRegion grantedRegion() {
        return transferLength == 0 ? new RemoteRegion(0, 0, 0) : registered().remote(start(), transferLength);
    }

    /** The peer has granted memory for the message of a send. */
    void startWriting(RemoteRegion granted, int idOfReceive) {
        remoteAddress = granted.address();
        rkey = granted.rkey();
        remoteId = idOfReceive;
        transferLength = granted.length();
        posted = 0;
        transfers = 0;
        awaitsPeer = false;
    }

    /** The message was announced to the peer, whose reply is awaited. */
    void announced() {
        awaitsPeer = true;
    }

    public boolean awaitsPeer() {
        return awaitsPeer;
    }

    boolean writtenByPeer() {
        return writtenByPeer;
    }

    int remoteId() {
        return remoteId;
    }

    private MemoryRegion registered() {
        Registered currentRegistration = registration;
        if (currentRegistration == null) {
            throw new IllegalStateException("a message without registered memory");
        }
        return currentRegistration.region();
    }

    /** Offset of the message in the registered region. */
    private long start() {
        Registered currentRegistration = registration;
        return currentRegistration == null ? 0 : currentRegistration.offsetOf(buffer, offset);
    }

    /** Posts as many Reads or Writes as possible; returns whether all have been posted. */
    boolean postTransfers(Channel channel) {
        while (posted < transferLength) {
            int bytes = (int) Math.min(MAX_TRANSFER_BYTES, transferLength - posted);
            long at = start() + posted;
            if (!source.mayTransfer()
                    || !(sends
                            ? channel.write(id, registered(), at, bytes, remoteAddress + posted, rkey)
                            : channel.read(id, registered(), at, bytes, remoteAddress + posted, rkey))) {
                return false;
            }
            source.transferPosted();
            posted += bytes;
            transfers++;
        }
        return true;
    }

    /** Returns whether a Read or Write was posted. */
    boolean begun() {
        return posted > 0;
    }

    /** A Read or Write has completed; returns whether it was the last one. */
    boolean onTransferred() {
        transfers--;
        return transferred();
    }

    boolean transferred() {
        return transfers == 0 && posted == transferLength;
    }

    /** The whole message has arrived; returns whether the peer must be notified. */
    boolean finishReceiving() {
        Registered currentRegistration = registration;
        MemorySegment copy = currentRegistration == null ? null : currentRegistration.bounce();
        if (copy != null) {
            MemorySegment.copy(copy, 0, buffer, offset, transferLength);
        }
        releaseRegistration();
        received(source.rank(), messageTag, messageLength);
        return !writtenByPeer;
    }

    void releaseRegistration() {
        Registered currentRegistration = registration;
        registration = null;
        if (currentRegistration != null) {
            currentRegistration.release();
        }
    }
}
