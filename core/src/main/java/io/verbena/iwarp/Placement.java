package io.verbena.iwarp;

import io.verbena.memory.AccessCheck;
import io.verbena.memory.RegionTable;
import io.verbena.memory.Verdict;
import io.verbena.queue.Arrival;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * DDP's placement: finds the buffer of a segment's payload and copies it there, in stream order or early. Changes
 * nothing but the bytes of buffers; how far messages have come is counted when they are delivered.
 */
final class Placement {

    private static final ByteBuffer NO_VIEW = ByteBuffer.allocate(0);

    /**
     * How many receives ahead of the one in turn an early Send may draw from a shared receive queue: what it draws is
     * lost to other queue pairs until the hole closes.
     */
    private static final int MAX_AHEAD_FROM_SHARED = 16;

    private final Conversation talk;
    private final WorkQueues queues;
    private final ReceiveQueue receives;
    private final WorkQueue work;
    private final RegionTable regions;
    private final AccessCheck check;
    private final int domain;
    private final LocalBuffers buffers;
    private final OutstandingReads outstanding;
    private final int readSinkStag;
    private final KeyUse keys;
    private final Wqe wqe = new Wqe();
    private final Arrival arrival = new Arrival();

    Placement(
            Conversation talk,
            WorkQueues queues,
            RegionTable regions,
            AccessCheck check,
            int domain,
            LocalBuffers buffers,
            OutstandingReads outstanding,
            int readSinkStag,
            KeyUse keys) {
        this.talk = talk;
        this.queues = queues;
        this.receives = queues.receive();
        this.work = queues.send();
        this.regions = regions;
        this.check = check;
        this.domain = domain;
        this.buffers = buffers;
        this.outstanding = outstanding;
        this.readSinkStag = readSinkStag;
        this.keys = keys;
    }

    // In order.

    /** Puts {@code count} bytes of payload, beginning at byte {@code done} of it, where they belong. */
    Moved place(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count) {
        if (count == 0) {
            return Moved.DONE;
        }
        Moved moved = switch (u.opcode()) {
            case WRITE -> placeWrite(u, done, source, sourceOffset, count);
            case READ_RESPONSE -> {
                work.at(outstanding.oldest(false), wqe);
                yield buffers.scatter(wqe, wqe.progress() + done, source, sourceOffset, count);
            }
            default -> {
                receives.at(receives.retired(), wqe);
                yield buffers.scatter(wqe, u.mo() + done, source, sourceOffset, count);
            }
        };
        if (moved == Moved.LOST || moved == Moved.REFUSED) {
            placementFailed(u, moved);
        }
        return moved;
    }

    private Moved placeWrite(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count) {
        Verdict verdict = checkWrite(u, keys.write(), u.to() + done, count);
        if (verdict == Verdict.NOT_NOW) {
            return Moved.NOT_NOW;
        }
        if (!verdict.ok()) {
            talk.violation(Faults.ofWrite(verdict), CompletionStatus.PROTOCOL);
            return Moved.REFUSED;
        }
        return Moved.of(check.region().copyIn(check.offset(), source, sourceOffset, count));
    }

    private Verdict checkWrite(Ulpdu u, long message, long address, int count) {
        return check.check(
                regions, u.stag(), domain, keys.queuePair(), message, address, count, AccessRight.REMOTE_WRITE);
    }

    private void placementFailed(Ulpdu u, Moved moved) {
        boolean lost = moved == Moved.LOST;
        CompletionStatus status = lost ? CompletionStatus.LOCAL_MEMORY : CompletionStatus.LOCAL_PROTECTION;
        String what = lost ? "its memory is gone" : "its memory is not registered any more";
        switch (u.opcode()) {
            case WRITE -> talk.violation(TerminateCode.RDMAP_STREAM_CATASTROPHIC, CompletionStatus.FLUSHED);
            case READ_RESPONSE -> {
                wqe.notes(1 + status.ordinal());
                talk.localFailure(status, "a Read cannot be completed, " + what);
            }
            default -> {
                queues.completeReceive(status, arrival.of(CompletionOpcode.RECEIVE, wqe.progress(), false));
                talk.localFailure(status, "a receive cannot be completed, " + what);
            }
        }
    }

    /**
     * Where payload from byte {@code done} on can be read directly from the socket: a view of at most {@code count}
     * bytes, or an empty buffer.
     */
    ByteBuffer view(Ulpdu u, long done, int count) {
        return switch (u.opcode()) {
            case WRITE -> {
                Verdict verdict = checkWrite(u, keys.write(), u.to() + done, count);
                yield verdict.ok() ? buffers.view(check, count) : NO_VIEW;
            }
            case READ_RESPONSE -> {
                work.at(outstanding.oldest(false), wqe);
                yield buffers.view(wqe, wqe.progress() + done, count, true);
            }
            default -> {
                receives.at(receives.retired(), wqe);
                yield buffers.view(wqe, u.mo() + done, count, true);
            }
        };
    }

    /** Where the last view that was not empty lies in memory. */
    long viewAddress() {
        return buffers.viewAddress();
    }

    // Early.

    /** See {@link UlpduSink#placeEarly}; {@code sendMsn} is the number of the Send in turn. */
    Moved placeEarly(Ulpdu u, MemorySegment source, int sendMsn, boolean rtrToCome) {
        int count = u.payloadLength();
        if (count == 0) {
            return Moved.DONE;
        }
        return switch (u.opcode()) {
            case WRITE -> earlyWrite(u, source, count);
            case READ_RESPONSE -> earlyReadResponse(u, source, count);
            // Whether an RTR frame will have taken number 1 is not known before it is here.
            default -> rtrToCome ? Moved.REFUSED : earlySend(u, source, count, u.msn() - sendMsn);
        };
    }

    private Moved earlyWrite(Ulpdu u, MemorySegment source, int count) {
        if (!talk.peerMayWrite()) {
            return Moved.REFUSED;
        }
        // Which message it is part of is not known behind a hole: a one-shot key waits for its turn.
        Verdict verdict = checkWrite(u, AccessCheck.NO_MESSAGE, u.to(), count);
        return verdict.ok()
                ? Moved.of(check.region().copyIn(check.offset(), source, u.payloadOffset(), count))
                : Moved.of(verdict);
    }

    private Moved earlyReadResponse(Ulpdu u, MemorySegment source, int count) {
        // The offset's upper half says which Read is answered, the lower half where in its list: see sinkTo().
        long read = outstanding.readOf((int) (u.to() >>> Integer.SIZE));
        if (read == OutstandingReads.NONE || u.stag() != readSinkStag) {
            return Moved.REFUSED;
        }
        return scatterWithin(work.at(read, wqe), Integer.toUnsignedLong((int) u.to()), u, source, count);
    }

    private Moved earlySend(Ulpdu u, MemorySegment source, int count, int ahead) {
        // Both numbers wrap at 2^32; their distance says which message it is.
        if (ahead < 0 || receives.isShared() && ahead > MAX_AHEAD_FROM_SHARED) {
            return Moved.REFUSED;
        }
        long index = receives.retired() + ahead;
        return receives.has(index) ? scatterWithin(receives.at(index, wqe), u.mo(), u, source, count) : Moved.REFUSED;
    }

    private Moved scatterWithin(Wqe target, long offset, Ulpdu u, MemorySegment source, int count) {
        if (offset + count > target.length()) {
            return Moved.REFUSED;
        }
        return buffers.scatter(target, offset, source, u.payloadOffset(), count);
    }
}
