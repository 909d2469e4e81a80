package io.verbena.ib.request;

import io.verbena.ib.packet.Opcodes;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;

/**
 * Whether a Write may be placed before requests that precede it: it overlaps none of those that change memory of the peer. A
 * different key may name the same memory, so that it counts as an overlap. Reads do not count: the order of a Read and a
 * later Write is not defined without a fence (InfiniBand architecture specification, volume 1, section 10.8.3.3).
 */
final class Overlaps {

    /** Requests that are compared. A Write after more of them is placed in order. */
    private static final int MOST_COMPARED = 64;

    private final WorkQueue work;
    private final Wqe other = new Wqe();

    Overlaps(WorkQueue work) {
        this.work = work;
    }

    /** Whether the Write at {@code index} overlaps no request from {@code oldest} on. */
    boolean none(Wqe write, long oldest, long index) {
        if (index - oldest > MOST_COMPARED) {
            return false;
        }
        for (long i = oldest; i < index; i++) {
            work.at(i, other);
            boolean changes = write(other.opcode()) || Opcodes.atomic(other.opcode());
            if (changes && (other.rkey() != write.rkey() || meet(write, other))) {
                return false;
            }
        }
        return true;
    }

    private static boolean write(WorkOpcode opcode) {
        return opcode == WorkOpcode.WRITE || opcode == WorkOpcode.WRITE_WITH_IMMEDIATE;
    }

    /** Ranges may wrap around the end of the address space. */
    private static boolean meet(Wqe one, Wqe two) {
        long from = two.remoteAddress() - one.remoteAddress();
        long back = one.remoteAddress() - two.remoteAddress();
        return Long.compareUnsigned(from, one.length()) < 0 || Long.compareUnsigned(back, length(two)) < 0;
    }

    private static long length(Wqe of) {
        return Opcodes.atomic(of.opcode()) ? Long.BYTES : of.length();
    }
}
