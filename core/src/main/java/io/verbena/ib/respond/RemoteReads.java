package io.verbena.ib.respond;

import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.memory.AtomicOutcome;
import io.verbena.memory.AtomicResult;
import io.verbena.memory.Region;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.wire.ib.AtomicEth;
import io.verbena.wire.ib.IbOpcode.Operation;
import io.verbena.work.Grant;
import io.verbena.work.Moved;
import io.verbena.work.OneShotKeys;

/**
 * Executes the Reads and atomics of peers in the memory of one queue pair: checks the right of the queue pair, checks
 * the key, copies, operates. Reads and atomics are numbered together, in the order of their execution, for one-shot
 * keys.
 */
public final class RemoteReads {

    private final QueuePairWork owner;
    private final OneShotKeys oneShot;
    private final Grant grant = new Grant();
    private final AtomicResult result = new AtomicResult();
    private boolean mayRead = true;
    private boolean mayDoAtomics = true;

    public RemoteReads(QueuePairWork owner, OneShotKeys oneShot) {
        this.owner = owner;
        this.oneShot = oneShot;
    }

    /** The operations that this queue pair permits, in addition to the rights of each region. */
    public void permit(boolean read, boolean atomic) {
        mayRead = read;
        mayDoAtomics = atomic;
    }

    OneShotKeys oneShot() {
        return oneShot;
    }

    public boolean mayRead() {
        return mayRead;
    }

    public boolean mayDoAtomics() {
        return mayDoAtomics;
    }

    /**
     * Checks a Read of the peer before it is accepted. Memory that is not available yet is no fault: {@link #copyOut}
     * waits.
     */
    public ResponderFault checkRead(int key, long address, long length, long message) {
        if (length > InboundMessage.LONGEST) {
            return ResponderFault.LENGTH;
        }
        Verdict verdict = length == 0 ? Verdict.OK : check(key, address, length, message, AccessRight.REMOTE_READ);
        return verdict == Verdict.NOT_NOW ? ResponderFault.NONE : ResponderFault.of(verdict);
    }

    /** A Read that was checked is accepted. Its repetitions are not others. */
    public void accepted(long length) {
        owner.queues().tally().serve(CompletionOpcode.READ, length);
    }

    /**
     * Copies a part of a Read to a packet. The right and the key are checked for each packet, because they may have been
     * withdrawn since.
     */
    public Moved copyOut(int key, long address, long message, PacketBuilder out, int bytes) {
        if (!mayRead) {
            return Moved.REFUSED;
        }
        Verdict verdict = check(key, address, bytes, message, AccessRight.REMOTE_READ);
        return verdict == Verdict.OK
                ? Moved.of(grant.region().copyOut(grant.offset(), out.segment(), out.payload(), bytes))
                : Moved.of(verdict);
    }

    private Verdict check(int key, long address, long length, long index, AccessRight right) {
        return owner.access().check(key, oneShot.read(index), address, length, right, grant);
    }

    /** Executes an atomic operation. {@link #original} returns the previous value. */
    public ResponderFault atomic(Operation operation, AtomicEth request, long index) {
        if ((request.va() & Long.BYTES - 1) != 0) {
            return ResponderFault.MISALIGNED;
        }
        Verdict verdict = check(request.rKey(), request.va(), Long.BYTES, index, AccessRight.REMOTE_ATOMIC);
        if (verdict != Verdict.OK) {
            return ResponderFault.of(verdict);
        }
        Region region = grant.region();
        AtomicOutcome outcome = operation == Operation.FETCH_ADD
                ? region.fetchAndAdd(grant.offset(), request.swapOrAddData(), 0, result)
                : region.compareAndSwap(grant.offset(), request.compareData(), -1, request.swapOrAddData(), -1, result);
        if (outcome == AtomicOutcome.DONE && grant.oneShot()) {
            oneShot.endRead(request.rKey(), index);
        }
        return switch (outcome) {
            case DONE -> {
                owner.queues()
                        .tally()
                        .serve(
                                operation == Operation.FETCH_ADD
                                        ? CompletionOpcode.FETCH_AND_ADD
                                        : CompletionOpcode.COMPARE_AND_SWAP,
                                Long.BYTES);
                yield ResponderFault.NONE;
            }
            case NOT_NOW -> ResponderFault.NOT_READY;
            case UNALIGNED -> ResponderFault.MISALIGNED;
            default -> ResponderFault.OPERATION;
        };
    }

    /** The value before the last atomic operation. */
    public long original() {
        return result.original();
    }
}
