package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.GrantedMemory;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Executes Writes, Reads and atomics on memory of the peer, without its engine ({@link DirectPath}). Whatever this side cannot do
 * by itself is left to the engine of the peer ({@link Outcome#REMOTE}), which also reports all faults: a wrong key, a missing
 * right, a wrong range. So the outcome of work does not depend on who executes it.
 *
 * <p><b>Order.</b> Work is executed when the peer has processed everything that was sent before it. A long message waits for that;
 * a short one is sent like the others before it, because a round trip costs more than the peer's work. RFC 5040 section 5.5
 * permits more, but programs that poll memory rely on the order of Writes.
 *
 * <p><b>Revocation.</b> Each piece of a copy checks the grant before and after. If it has been revoked, the whole message is sent to
 * the peer, which refuses it. An atomic is executed once: it is not sent again after it was executed.
 */
final class DirectWork {

    /** Messages of at least this size wait until the peer has processed what precedes them. */
    static final int WAITING_BYTES = 16 * 1024;

    /** The operations, a bit for each. */
    static final int OPERATIONS = 1 << WorkOpcode.WRITE.ordinal()
            | 1 << WorkOpcode.READ.ordinal()
            | 1 << WorkOpcode.COMPARE_AND_SWAP.ordinal()
            | 1 << WorkOpcode.FETCH_AND_ADD.ordinal();

    /** What a short message counts against the budget of a turn. */
    private static final int LEAST_COST = 512;

    private static final long NONE = -1;

    /** What has become of a piece of work. */
    enum Outcome {
        /** The work request is complete. */
        DONE,
        /** A piece of it was copied; it is to be called again. */
        MORE,
        /** The peer has not processed what precedes it. */
        WAIT,
        /** Local memory is not available now. */
        NOT_NOW,
        /** The engine of the peer is to execute it. */
        REMOTE,
        /** The result of an atomic cannot be stored, because the local memory is lost. */
        LOST
    }

    private final DirectPath path;
    private final LocalBuffers buffers;
    private final boolean mayRead;
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    /** The work in progress, how much of it is done, and whether the peer executes it. */
    private long index = NONE;

    private int done;
    private boolean remote;
    private long waitsSince = NONE;
    private int cost;

    /** An atomic that was executed and whose result could not be stored. */
    private long executed = NONE;

    DirectWork(DirectPath path, StreamContext context) {
        this.path = path;
        buffers = context.buffers();
        mayRead = context.settings().outboundReads() > 0;
    }

    /** The bytes that were copied since the last call, as they count against a budget. */
    int takeCost() {
        int taken = cost;
        cost = 0;
        return taken;
    }

    /** The same without taking them. */
    int cost() {
        return cost;
    }

    long stateDigest(long digest) {
        long progress = Digest.mix(Digest.mix(digest, index), (long) done << 1 | (remote ? 1 : 0));
        return Digest.mix(Digest.mix(progress, waitsSince), executed);
    }

    /** Whether this long message would be executed if nothing were sent before it in the same turn. */
    boolean prefers(Wqe wqe, long sendIndex) {
        return !(remote && sendIndex == index)
                && right(wqe.opcode()) != 0
                && wqe.length() >= WAITING_BYTES
                && path.obtain(wqe.rkey()) != null;
    }

    /** Executes work or continues it, if everything before it has been written to the stream. */
    Outcome execute(Wqe wqe, long sendIndex) {
        if (sendIndex != index) {
            index = sendIndex;
            done = 0;
            remote = false;
            waitsSince = NONE;
        }
        if (sendIndex == executed) {
            return Outcome.LOST;
        }
        Outcome outcome = remote ? Outcome.REMOTE : attempt(wqe);
        remote = outcome == Outcome.REMOTE;
        return outcome;
    }

    // In a turn.

    private Outcome attempt(Wqe wqe) {
        int right = right(wqe.opcode());
        // Messages of length zero access no memory, so their keys are not checked (RFC 5041 section 5.2 [11]).
        if (right == 0 || wqe.length() == 0) {
            return Outcome.REMOTE;
        }
        GrantedMemory memory = path.obtain(wqe.rkey());
        if (memory == null || !memory.permits(wqe.remoteAddress(), wqe.length(), right)) {
            return Outcome.REMOTE;
        }
        if (done == 0 && wqe.opcode() != WorkOpcode.WRITE && !(mayRead && buffers.usable(wqe, true))) {
            return Outcome.REMOTE;
        }
        if (done == 0 && !path.awaitSettled()) {
            return awaitPeer(wqe.length());
        }
        return switch (wqe.opcode()) {
            case WRITE, READ -> copy(wqe, memory);
            default -> {
                cost += LEAST_COST;
                yield atomic(wqe, memory);
            }
        };
    }

    // Where it is posted.

    /**
     * Executes a request before which nothing is in the send queue, within the call that posts it. Returns false if nothing has happened:
     * {@link #execute} then does the work, or finds out why it cannot be done.
     *
     * @param sendIndex the index that it has if it enters the send queue
     */
    boolean executeAtOnce(Wqe wqe, long sendIndex) {
        int right = right(wqe.opcode());
        int length = wqe.length();
        if (right == 0 || length == 0 || length > GrantedMemory.PIECE_BYTES || !path.settled()) {
            return false;
        }
        GrantedMemory memory = path.known(wqe.rkey());
        if (memory == null || !memory.permits(wqe.remoteAddress(), length, right)) {
            return false;
        }
        return switch (wqe.opcode()) {
            case WRITE -> copyAtOnce(wqe, memory, length, true) && changed();
            case READ -> mayRead && copyAtOnce(wqe, memory, length, false);
            default -> mayRead && atomicAtOnce(wqe, memory, sendIndex);
        };
    }

    private boolean changed() {
        path.changed();
        return true;
    }

    /** Whether there is no grant for a Write, so that a turn is to ask for one. */
    boolean lacksGrant(Wqe wqe) {
        return wqe.opcode() == WorkOpcode.WRITE && path.known(wqe.rkey()) == null && !path.refused(wqe.rkey());
    }

    private boolean atomicAtOnce(Wqe wqe, GrantedMemory memory, long sendIndex) {
        switch (atomic(wqe, memory)) {
            case DONE -> {
                return true;
            }
            case LOST -> executed = sendIndex;
            default -> {}
        }
        return false;
    }

    private boolean copyAtOnce(Wqe wqe, GrantedMemory memory, int length, boolean write) {
        if (!memory.enter()) {
            return false;
        }
        try {
            long at = memory.offset(wqe.remoteAddress());
            Moved moved = write
                    ? buffers.gather(wqe, 0, memory.memory(), at, length)
                    : buffers.scatter(wqe, 0, memory.memory(), at, length);
            return moved == Moved.DONE && memory.live();
        } finally {
            memory.leave();
        }
    }

    /** The bit of the right that work needs; 0 if it is never executed here. */
    private static int right(WorkOpcode opcode) {
        return switch (opcode) {
            case WRITE -> 1 << AccessRight.REMOTE_WRITE.ordinal();
            case READ -> 1 << AccessRight.REMOTE_READ.ordinal();
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> 1 << AccessRight.REMOTE_ATOMIC.ordinal();
            default -> 0;
        };
    }

    /** Waits as long as nothing else is written, such as the answers to the Reads of the peer, which the peer could request without end. */
    private Outcome awaitPeer(int length) {
        long written = path.written();
        if (length < WAITING_BYTES || waitsSince != NONE && waitsSince != written) {
            return Outcome.REMOTE;
        }
        waitsSince = written;
        return Outcome.WAIT;
    }

    private Outcome copy(Wqe wqe, GrantedMemory memory) {
        int piece = Math.min(wqe.length() - done, GrantedMemory.PIECE_BYTES);
        if (!memory.enter()) {
            return Outcome.REMOTE;
        }
        boolean live;
        Moved moved;
        try {
            long at = memory.offset(wqe.remoteAddress()) + done;
            moved = wqe.opcode() == WorkOpcode.WRITE
                    ? buffers.gather(wqe, done, memory.memory(), at, piece)
                    : buffers.scatter(wqe, done, memory.memory(), at, piece);
            live = memory.live();
        } finally {
            memory.leave();
        }
        cost += Math.max(piece, LEAST_COST);
        if (!live || moved == Moved.LOST || moved == Moved.REFUSED) {
            return Outcome.REMOTE;
        }
        if (moved == Moved.NOT_NOW) {
            return Outcome.NOT_NOW;
        }
        done += piece;
        if (done < wqe.length()) {
            return Outcome.MORE;
        }
        if (wqe.opcode() == WorkOpcode.WRITE) {
            path.changed();
        }
        return Outcome.DONE;
    }

    private Outcome atomic(Wqe wqe, GrantedMemory memory) {
        long address = wqe.remoteAddress();
        // The result must not have to wait for a page, when the operation has been executed.
        boolean storable = buffers.view(wqe, 0, Long.BYTES, true).remaining() == Long.BYTES;
        if (wqe.length() != Long.BYTES || !memory.aligned(address) || !storable || !memory.enter()) {
            return Outcome.REMOTE;
        }
        try {
            long original = wqe.opcode() == WorkOpcode.FETCH_AND_ADD
                    ? memory.getAndAdd(address, wqe.operand1())
                    : memory.compareAndExchange(address, wqe.operand1(), wqe.operand2());
            word.set(ValueLayout.JAVA_LONG, 0, original);
        } finally {
            memory.leave();
        }
        return buffers.scatter(wqe, 0, word, 0, Long.BYTES) == Moved.DONE ? Outcome.DONE : Outcome.LOST;
    }
}
