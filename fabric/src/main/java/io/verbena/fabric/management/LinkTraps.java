package io.verbena.fabric.management;

import io.verbena.base.Times;
import io.verbena.fabric.mad.Notice;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * The traps of switches whose links have changed (trap 128), until the subnet manager acknowledges them. Each is repeated a limited
 * number of times. A switch has at most one that was sent and that is repeated: a later change replaces it.
 */
final class LinkTraps {

    private static final int MOST_TRAPS = 1024;
    private static final int REPEATS = 5;
    private static final long REPEAT_NS = 500_000_000;

    private final Queue<Trap> traps = new ArrayDeque<>();
    private long nextTransaction = 1;

    /** A trap that the manager has not acknowledged. */
    record Trap(int node, long transaction, int repeats, boolean sent, long dueNs) {

        private boolean due(long nowNs) {
            return !sent || Times.due(dueNs, nowNs);
        }

        private Trap repeatedAfter(long nowNs) {
            return new Trap(node, transaction, repeats - 1, true, Times.after(nowNs, REPEAT_NS));
        }

        /** Writes the datagram of a switch with this LID. */
        void write(MemorySegment mad, int lid) {
            mad.fill((byte) 0);
            new MadHeader()
                    .wrap(mad, 0)
                    .baseVersion(1)
                    .mgmtClass(Smp.CLASS_LID_ROUTED)
                    .classVersion(1)
                    .method(Smp.TRAP)
                    .transactionId(transaction)
                    .attributeId(Smp.NOTICE);
            new Notice()
                    .wrap(mad, SmpHeader.DATA)
                    .generic(true)
                    .type(1)
                    .producerType(2)
                    .trapNumber(128)
                    .issuerLid(lid)
                    .dataLid(lid);
        }
    }

    /** The state of a link of a switch has changed. */
    void raise(int node) {
        if (traps.size() < MOST_TRAPS && traps.stream().noneMatch(trap -> trap.node() == node && !trap.sent())) {
            traps.removeIf(trap -> trap.node() == node);
            traps.add(new Trap(node, nextTransaction++, REPEATS, false, 0));
        }
    }

    void acknowledge(int node, long transaction) {
        traps.removeIf(trap -> trap.node() == node && trap.transaction() == (transaction & 0xffff_ffffL));
    }

    /** Takes a trap that is due. It comes again later unless it is acknowledged or was repeated often enough. */
    Optional<Trap> takeDue(long nowNs) {
        Optional<Trap> next = traps.stream().filter(trap -> trap.due(nowNs)).findFirst();
        next.ifPresent(trap -> {
            traps.remove(trap);
            if (trap.repeats() > 0) {
                traps.add(trap.repeatedAfter(nowNs));
            }
        });
        return next;
    }

    /** When {@link #takeDue} has a trap again. */
    long nextDeadlineNs(long nowNs) {
        long earliest = Times.NEVER;
        for (Trap trap : traps) {
            earliest = Times.earlier(earliest, trap.sent() ? trap.dueNs() : nowNs);
        }
        return earliest;
    }
}
