package io.verbena.iwarp;

import io.verbena.iwarp.early.UlpduSink;
import io.verbena.memory.CopyResult;
import io.verbena.memory.Verdict;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import io.verbena.work.Grant;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import io.verbena.work.RemoteAccess;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * DDP placement: finds the buffer of a segment's payload and copies the payload to it, in stream order or early. It changes
 * only the bytes of buffers. The progress of messages is counted when they are delivered.
 */
public final class Placement {

    private static final ByteBuffer NO_VIEW = ByteBuffer.allocate(0);

    /**
     * How many receives an early Send may take from a shared receive queue ahead of the next one. Other queue pairs cannot use
     * these receives until the hole in the stream closes.
     */
    private static final int MAX_AHEAD_FROM_SHARED = 16;

    private final StreamState state;
    private final ReceiveQueue receives;
    private final WorkQueue work;
    private final StreamContext context;
    private final LocalBuffers buffers;
    private final OutstandingReads outstanding;
    private final Grant grant = new Grant();
    private final Wqe wqe = new Wqe();

    Placement(StreamContext context) {
        this.context = context;
        state = context.state();
        receives = context.queuePair().queues().receive();
        work = context.queuePair().queues().send();
        buffers = context.buffers();
        outstanding = context.outstanding();
    }

    // In order.

    /** Copies {@code count} bytes of payload, starting at byte {@code done} of the payload, to their buffer. */
    Moved place(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count) {
        if (count == 0) {
            return Moved.DONE;
        }
        Moved moved = switch (u.opcode()) {
            case WRITE -> placeWrite(u, done, source, sourceOffset, count);
            case READ_RESPONSE -> {
                oldestRead();
                yield buffers.scatter(wqe, wqe.progress() + done, source, sourceOffset, count);
            }
            default -> {
                currentReceive();
                yield buffers.scatter(wqe, u.mo() + done, source, sourceOffset, count);
            }
        };
        if (moved == Moved.LOST || moved == Moved.REFUSED) {
            endStream(u, moved);
        }
        return moved;
    }

    private Wqe oldestRead() {
        return work.at(outstanding.oldestRead(), wqe);
    }

    private Wqe currentReceive() {
        return receives.at(receives.retired(), wqe);
    }

    private Moved placeWrite(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count) {
        Verdict verdict = checkWrite(u, context.oneShot().write(), u.to() + done, count);
        if (verdict == Verdict.NOT_NOW) {
            return Moved.NOT_NOW;
        }
        if (!verdict.ok()) {
            state.violation(Faults.ofWrite(verdict), CompletionStatus.PROTOCOL);
            return Moved.REFUSED;
        }
        return Moved.of(grant.region().copyIn(grant.offset(), source, sourceOffset, count));
    }

    /**
     * Copies the payload of a whole Write. Returns false if something prevents that, which the same Write as a segment
     * shows.
     */
    boolean placeWrite(int key, long address, MemorySegment source, long sourceOffset, int count) {
        return context.access()
                        .check(key, context.oneShot().write(), address, count, AccessRight.REMOTE_WRITE, grant)
                        .ok()
                && !grant.oneShot()
                && grant.region().copyIn(grant.offset(), source, sourceOffset, count) == CopyResult.DONE;
    }

    /** Copies the payload of a whole Send to the oldest receive. Returns false if something prevents that. */
    boolean placeSend(MemorySegment source, long sourceOffset, int count) {
        currentReceive();
        return wqe.progress() == 0
                && count <= wqe.length()
                && buffers.scatter(wqe, 0, source, sourceOffset, count) == Moved.DONE;
    }

    private Verdict checkWrite(Ulpdu u, long message, long address, int count) {
        return context.access().check(u.stag(), message, address, count, AccessRight.REMOTE_WRITE, grant);
    }

    /** Ends the stream because the buffer of an admitted segment cannot be used. */
    private void endStream(Ulpdu u, Moved moved) {
        boolean lost = moved == Moved.LOST;
        CompletionStatus status = lost ? CompletionStatus.LOCAL_MEMORY : CompletionStatus.LOCAL_PROTECTION;
        String what = lost ? "its memory no longer exists" : "its memory is not registered any more";
        switch (u.opcode()) {
            case WRITE -> state.violation(TerminateCode.RDMAP_STREAM_CATASTROPHIC, CompletionStatus.FLUSHED);
            case READ_RESPONSE -> {
                oldestRead().fail(status);
                state.localFailure(status, "a Read cannot be completed: " + what);
            }
            default -> {
                currentReceive().fail(status);
                state.localFailure(status, "a receive cannot be completed: " + what);
            }
        }
    }

    /**
     * A view of at most {@code count} bytes to which payload can be read directly from the socket, starting at byte {@code
     * done} of the payload; or an empty buffer.
     */
    ByteBuffer view(Ulpdu u, long done, int count) {
        return switch (u.opcode()) {
            case WRITE -> {
                Verdict verdict = checkWrite(u, context.oneShot().write(), u.to() + done, count);
                yield verdict.ok() ? buffers.view(grant, count) : NO_VIEW;
            }
            case READ_RESPONSE -> {
                oldestRead();
                yield buffers.view(wqe, wqe.progress() + done, count, true);
            }
            default -> {
                currentReceive();
                yield buffers.view(wqe, u.mo() + done, count, true);
            }
        };
    }

    /** Memory address of the most recent view that was not empty. */
    long viewAddress() {
        return buffers.viewAddress();
    }

    // Early.

    /** See {@link UlpduSink#placeEarly}; {@code sendMsn} is the message number of the next Send in order. */
    public Moved placeEarly(Ulpdu u, MemorySegment source, int sendMsn, boolean rtrSendPending) {
        int count = u.payloadLength();
        return switch (u.opcode()) {
            case WRITE -> count == 0 ? Moved.DONE : placeEarlyWrite(u, source, count);
            case READ_RESPONSE -> count == 0 ? Moved.DONE : placeEarlyReadResponse(u, source, count);
            // Whether an RTR frame takes message number 1 is not known before it arrives.
            default -> rtrSendPending ? Moved.REFUSED : placeEarlySend(u, source, count, u.msn() - sendMsn);
        };
    }

    private Moved placeEarlyWrite(Ulpdu u, MemorySegment source, int count) {
        if (!state.peerMayWrite()) {
            return Moved.REFUSED;
        }
        // After a hole it is not known which message the segment belongs to, so a one-shot key does not match.
        Verdict verdict = checkWrite(u, RemoteAccess.NO_MESSAGE, u.to(), count);
        return verdict.ok()
                ? Moved.of(grant.region().copyIn(grant.offset(), source, u.payloadOffset(), count))
                : Moved.of(verdict);
    }

    private Moved placeEarlyReadResponse(Ulpdu u, MemorySegment source, int count) {
        // The upper half of the offset identifies the Read, the lower half the position in its list: see sinkTo().
        long read = outstanding.readOf((int) (u.to() >>> Integer.SIZE));
        if (read == OutstandingReads.NONE || u.stag() != context.readSinkStag()) {
            return Moved.REFUSED;
        }
        return scatterWithin(work.at(read, wqe), Integer.toUnsignedLong((int) u.to()), u, source, count);
    }

    private Moved placeEarlySend(Ulpdu u, MemorySegment source, int count, int ahead) {
        // Both message numbers wrap at 2^32; their difference identifies the message.
        if (ahead < 0 || receives.isShared() && ahead > MAX_AHEAD_FROM_SHARED) {
            return Moved.REFUSED;
        }
        long index = receives.retired() + ahead;
        if (!receives.provide(index)) {
            return Moved.REFUSED;
        }
        // A Send that invalidates a key is delivered by itself, because the invalidation may fail.
        boolean completes = u.last() && !u.opcode().invalidates();
        if (completes && !receives.arrivals().mayStore(index)) {
            return Moved.REFUSED;
        }
        Moved moved = scatterWithin(receives.at(index, wqe), u.mo(), u, source, count);
        if (completes && moved == Moved.DONE) {
            receives.arrivals()
                    .store(index, wqe, (int) u.mo() + count, u.opcode().solicited());
        }
        return moved;
    }

    private Moved scatterWithin(Wqe target, long offset, Ulpdu u, MemorySegment source, int count) {
        if (offset + count > target.length()) {
            return Moved.REFUSED;
        }
        return buffers.scatter(target, offset, source, u.payloadOffset(), count);
    }
}
