package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.ring.Registered;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A Write, a Read or an atomic operation on the window of another rank. */
public final class RemoteAccess {

    /** The rank whose window is accessed. */
    public interface Target {

        Peer peer();

        /** Memory of this rank for the results of atomic operations. */
        MemoryRegion results();

        /** Why it cannot be accessed any more; empty if it can. */
        String failure();

        void onStarted();

        void onEnded();
    }

    /** The operation of the verbs. */
    public enum Kind {
        WRITE,
        READ,
        ADD,
        SWAP
    }

    private static final int MAX_TRANSFER_BYTES = 4 << 20;

    final Target target;
    private final Kind kind;
    private final long remoteAddress;
    private final int rkey;

    // Of a Read or a Write.
    private MemorySegment buffer = MemorySegment.NULL;
    private long offset;
    private long length;
    private @Nullable Registered registration;
    private long posted;
    private int transfers;

    // Of an atomic operation.
    private long first;
    private long second;

    int id;

    public RemoteAccess(Target target, Kind kind, long remoteAddress, int rkey) {
        this.target = target;
        this.kind = kind;
        this.remoteAddress = remoteAddress;
        this.rkey = rkey;
    }

    /** Sets the local memory of a Read or a Write. */
    public RemoteAccess over(MemorySegment memory, long at, long bytes) {
        buffer = memory;
        offset = at;
        length = bytes;
        return this;
    }

    /** Sets the operands of an atomic operation. */
    public RemoteAccess operands(long firstOperand, long secondOperand) {
        first = firstOperand;
        second = secondOperand;
        return this;
    }

    /** Posts as much as possible; returns whether all has been posted. */
    boolean post(Peer peer, Channel channel, long workId) {
        if (kind == Kind.ADD || kind == Kind.SWAP) {
            return postAtomic(peer, channel, workId);
        }
        Registered memory = registration;
        if (memory == null) {
            Registrations.Use use = kind == Kind.WRITE ? Registrations.Use.SENT : Registrations.Use.RECEIVED;
            memory = peer.registrations().of(buffer, offset, length, use);
            registration = memory;
        }
        long start = memory.offsetOf(buffer, offset);
        MemoryRegion region = memory.region();
        while (posted < length) {
            int bytes = (int) Math.min(MAX_TRANSFER_BYTES, length - posted);
            long remote = remoteAddress + posted;
            if (!peer.mayTransfer()
                    || !(kind == Kind.WRITE
                            ? channel.write(workId, region, start + posted, bytes, remote, rkey)
                            : channel.read(workId, region, start + posted, bytes, remote, rkey))) {
                return false;
            }
            peer.transferPosted();
            posted += bytes;
            transfers++;
        }
        return true;
    }

    private boolean postAtomic(Peer peer, Channel channel, long workId) {
        MemoryRegion results = target.results();
        if (!peer.mayTransfer()
                || !(kind == Kind.ADD
                        ? channel.fetchAndAdd(workId, results, 0, remoteAddress, rkey, first)
                        : channel.compareAndSwap(workId, results, 0, remoteAddress, rkey, first, second))) {
            return false;
        }
        peer.transferPosted();
        transfers++;
        return true;
    }

    /** A part has completed; returns whether it was the last one. */
    boolean onTransferred() {
        transfers--;
        return transfers == 0 && posted == length;
    }

    /** All bytes have been transferred. */
    void finish() {
        Registered memory = registration;
        registration = null;
        if (memory == null) {
            return;
        }
        MemorySegment copy = memory.bounce();
        if (copy != null && kind == Kind.READ) {
            MemorySegment.copy(copy, 0, buffer, offset, length);
        }
        memory.release();
    }

    /** The connection has ended. */
    void abandon() {
        Registered memory = registration;
        registration = null;
        if (memory != null) {
            memory.release();
        }
    }
}
