package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.transfer.Awaited;
import io.verbena.messaging.transfer.Peer;
import io.verbena.messaging.transfer.RemoteAccess;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One other rank of a window: where its memory is, what this rank shares with it, and the accesses to it that are in progress. */
final class WindowTarget implements Awaited, RemoteAccess.Target {

    /** Encoded length of what a rank offers to another one: its memory and its control words. */
    static final int OFFER_BYTES = 2 * RemoteRegion.ENCODED_BYTES;

    private static final RemoteRegion NOTHING = new RemoteRegion(0, 0, 0);

    private final Peer peer;
    private final Messenger messenger;
    private final @Nullable MemoryRegion offered; // null: this rank has no memory in the window
    private final MemoryRegion offeredControl;
    private final MemoryRegion results;
    private final MemorySegment scratch = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    private RemoteRegion memory = NOTHING;
    private RemoteRegion control = NOTHING;
    private int pending;
    private boolean written; // since the last time when all Writes were known to be placed
    private boolean closed;
    private String failure = "";
    private List<Integer> died = List.of();

    /** Registers this rank's memory for the peer, to which it is connected. */
    WindowTarget(Messenger messenger, Peer peer, MemorySegment own, MemorySegment ownControl) {
        this.messenger = messenger;
        this.peer = peer;
        ProtectionDomain domain = peer.registrations().domain();
        AccessRight[] all = {AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC};
        offered = own.byteSize() == 0 ? null : domain.register(own, all);
        offeredControl = domain.register(ownControl, all);
        results = domain.allocate(Long.BYTES, AccessRight.LOCAL_WRITE);
    }

    @Override
    public Peer peer() {
        return peer;
    }

    /** Writes what the peer needs to access this rank. */
    void writeOffer(MemorySegment to, long at) {
        MemoryRegion own = offered;
        (own == null ? NOTHING : own.remote()).write(to, at);
        offeredControl.remote().write(to, at + RemoteRegion.ENCODED_BYTES);
    }

    /** Reads what the peer has offered. */
    void readOffer(MemorySegment from, long at) {
        memory = RemoteRegion.read(from, at);
        control = RemoteRegion.read(from, at + RemoteRegion.ENCODED_BYTES);
    }

    /** Bytes of the peer's memory. */
    long lengthBytes() {
        return memory.length();
    }

    RemoteAccess toMemory(RemoteAccess.Kind kind, long at) {
        written |= kind == RemoteAccess.Kind.WRITE;
        return new RemoteAccess(this, kind, memory.address() + at, memory.rkey());
    }

    RemoteAccess toControl(RemoteAccess.Kind kind, long at) {
        return new RemoteAccess(this, kind, control.address() + at, control.rkey());
    }

    /** Where the value before an atomic operation goes; one is in progress at a time. */
    @Override
    public MemoryRegion results() {
        return results;
    }

    long result() {
        return results.segment().get(ValueLayout.JAVA_LONG, 0);
    }

    /** Where a Read goes whose bytes do not matter. */
    MemorySegment scratch() {
        return scratch;
    }

    /** Address of a byte of the peer's memory. */
    long address(long at) {
        return memory.address() + at;
    }

    /** Returns whether Writes may not have been placed at the peer, and forgets it: the caller is about to make sure. */
    boolean takeWritten() {
        boolean found = written;
        written = false;
        return found;
    }

    // Progress.

    @Override
    public void onStarted() {
        pending++;
    }

    @Override
    public void onEnded() {
        pending--;
    }

    @Override
    public boolean isDone() {
        return pending == 0;
    }

    @Override
    public void checkBounds(long startNs) {
        if (messenger.waiter().timedOut(startNs) && peer.channel != null) {
            // The peer may use the memory of the accesses until the connection has ended.
            peer.channel.fail("An access to the window of rank " + peer.rank() + " was not completed in time.");
            messenger.progress();
        }
    }

    /** Why the peer cannot be accessed; empty while it can. */
    @Override
    public String failure() {
        return failure;
    }

    void check() {
        if (!failure.isEmpty()) {
            throw died.isEmpty() ? new MessagingException(failure) : new RankFailedException(failure, died);
        }
    }

    /** The connection to the peer has ended. */
    void gone(String sentence, List<Integer> dead) {
        failure = sentence;
        died = dead;
        pending = 0;
        close();
    }

    /** The peer cannot access this rank any more. */
    void close() {
        if (!closed) {
            closed = true;
            MemoryRegion own = offered;
            if (own != null) {
                own.close();
            }
            offeredControl.close();
            results.close();
        }
    }
}
