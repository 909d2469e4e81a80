package io.verbena.queue;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts of the work of one queue pair that has completed, and of the peer's accesses to memory of this side. The engine that owns the queue pair writes them with plain stores that
 * no other store waits for; any thread reads them. A count never decreases, and two counts may be apart by the work in between.
 */
public final class WorkTally {

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int OPCODES = CompletionOpcode.values().length;
    private static final int BYTES = OPCODES;
    private static final int ERRORS = 2 * OPCODES;
    private static final int FLUSHED = ERRORS + 1;
    private static final int UNUSED = FLUSHED + 1;
    private static final int SERVED = UNUSED + 1;
    private static final int SERVED_BYTES = SERVED + CompletionOpcode.FETCH_AND_ADD.ordinal() + 1;
    private static final int ALL = SERVED_BYTES + CompletionOpcode.FETCH_AND_ADD.ordinal() + 1;

    /** Operations by opcode, their bytes by opcode, errors, flushed work, unused receives; what was served by opcode, and its bytes. */
    private final long[] counts = new long[ALL];

    /** Counts one completed request. For the engine. */
    void add(CompletionOpcode opcode, CompletionStatus status, long lengthBytes) {
        if (status == CompletionStatus.SUCCESS) {
            add(opcode.ordinal(), 1);
            add(BYTES + opcode.ordinal(), lengthBytes);
        } else {
            add(failure(opcode, status), 1);
        }
    }

    /** A receive that no message used is returned by each end of a connection, the orderly one included. */
    private static int failure(CompletionOpcode opcode, CompletionStatus status) {
        if (status != CompletionStatus.FLUSHED) {
            return ERRORS;
        }
        return opcode == CompletionOpcode.RECEIVE ? UNUSED : FLUSHED;
    }

    /** Counts all that another tally has counted. For the thread that owns this one. */
    public void addAll(WorkTally other) {
        for (int i = 0; i < ALL; i++) {
            add(i, (long) COUNT.getOpaque(other.counts, i));
        }
    }

    /** Counts a Write, a Read or an atomic operation of the peer that accessed memory of this side. For the engine. */
    public void serve(CompletionOpcode opcode, long lengthBytes) {
        add(SERVED + opcode.ordinal(), 1);
        add(SERVED_BYTES + opcode.ordinal(), lengthBytes);
    }

    private void add(int index, long more) {
        COUNT.setOpaque(counts, index, counts[index] + more);
    }

    /** Number of requests with this opcode that completed with success. Any thread. */
    public long operations(CompletionOpcode opcode) {
        return (long) COUNT.getOpaque(counts, opcode.ordinal());
    }

    /** Payload of these requests. Any thread. */
    public long bytes(CompletionOpcode opcode) {
        return (long) COUNT.getOpaque(counts, BYTES + opcode.ordinal());
    }

    /** Number of accesses of the peer with this opcode: WRITE, READ or an atomic. Any thread. */
    public long served(CompletionOpcode opcode) {
        return (long) COUNT.getOpaque(counts, SERVED + opcode.ordinal());
    }

    /** Bytes of these accesses. Any thread. */
    public long servedBytes(CompletionOpcode opcode) {
        return (long) COUNT.getOpaque(counts, SERVED_BYTES + opcode.ordinal());
    }

    /** Number of requests that completed with an error, other than flushed ones. Any thread. */
    public long errors() {
        return (long) COUNT.getOpaque(counts, ERRORS);
    }

    /** Number of receives that were flushed. Any thread. */
    public long unused() {
        return (long) COUNT.getOpaque(counts, UNUSED);
    }

    /** Number of other requests that were flushed. Any thread. */
    public long flushed() {
        return (long) COUNT.getOpaque(counts, FLUSHED);
    }
}
