package io.verbena.memory.vmm;

import io.verbena.verbs.PageFault;
import io.verbena.verbs.PageFaultHandler;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Accesses of one process to unmapped memory, which wait for its page fault handler. An access asks, and repeats
 * the question in later turns until the handler has decided. A decision applies to the access that asked only:
 * the next access asks again, also for the same address. Bounded, so that a peer cannot exhaust memory.
 */
public final class UnmappedAccesses {

    /** Most that are remembered. */
    static final int MOST = 256;

    private enum Stage {
        ASKED,
        MAPPED,
        REFUSED
    }

    /** One access that waits for the handler, or for its next attempt. */
    public static final class Access {
        private final PageFault fault;
        private final AddressView view;
        private final int queuePair;
        private Stage stage = Stage.ASKED;

        /** What was mapped when the handler had answered. */
        private @Nullable SegmentTable answeredAt;

        /** The queue pair has ended: the decision is ignored. */
        private boolean orphan;

        private Access(PageFault fault, AddressView view, int queuePair) {
            this.fault = fault;
            this.view = view;
            this.queuePair = queuePair;
        }

        /** The fault that the handler decides about. */
        public PageFault fault() {
            return fault;
        }

        /** Whether this is another attempt of the same access, which may need more bytes now. */
        private boolean is(int number, PageFault again) {
            return queuePair == number
                    && !orphan
                    && fault.address() == again.address()
                    && fault.write() == again.write()
                    && fault.rkey() == again.rkey();
        }
    }

    private final ArrayDeque<Access> accesses = new ArrayDeque<>();
    private Optional<Consumer<Access>> ask = Optional.empty();
    private long reported;

    /** Sets the consumer of faults, which decides later by {@link #answer}. */
    public synchronized void handler(Consumer<Access> asked) {
        ask = Optional.of(asked);
    }

    /** Number of faults passed to the handler. */
    public synchronized long reported() {
        return reported;
    }

    /** Accesses that are remembered. */
    synchronized int size() {
        return accesses.size();
    }

    /**
     * Whether an access must wait because the handler is deciding. False: the access is denied.
     *
     * @param view the view in which the address was not found
     * @param queuePair number of the queue pair of the access
     */
    synchronized boolean mustWait(AddressView view, int queuePair, PageFault fault) {
        if (ask.isEmpty()) {
            return false;
        }
        for (Iterator<Access> i = accesses.iterator(); i.hasNext(); ) {
            Access access = i.next();
            if (access.is(queuePair, fault)) {
                if (access.stage == Stage.ASKED) {
                    return true;
                }
                i.remove();
                if (!askAgain(access, view, fault)) {
                    return false;
                }
                break;
            }
        }
        if (accesses.size() == MOST && !dropAnswered()) {
            return true;
        }
        Access access = new Access(fault, view, queuePair);
        accesses.add(access);
        reported++;
        ask.get().accept(access);
        return true;
    }

    /**
     * Whether this is another fault after a decision. It is not if the handler denied it, or reported MAPPED without
     * mapping it.
     */
    @SuppressWarnings("ReferenceEquality") // tables are immutable: a change creates a new one
    private static boolean askAgain(Access answered, AddressView view, PageFault fault) {
        return answered.stage == Stage.MAPPED
                && (view.table() != answered.answeredAt || fault.length() > answered.fault.length());
    }

    private boolean dropAnswered() {
        return accesses.removeIf(access -> access.stage != Stage.ASKED);
    }

    /** What the handler decided. */
    public synchronized void answer(Access access, PageFaultHandler.Answer answer) {
        if (access.orphan) {
            accesses.remove(access);
            return;
        }
        access.answeredAt = access.view.table();
        access.stage = answer == PageFaultHandler.Answer.MAPPED ? Stage.MAPPED : Stage.REFUSED;
    }

    /**
     * A queue pair has ended: its pending questions are removed. An access that has been passed to the handler counts
     * until the handler decides.
     */
    public synchronized void queuePairGone(int queuePair) {
        accesses.removeIf(access -> access.queuePair == queuePair && access.stage != Stage.ASKED);
        for (Access access : accesses) {
            access.orphan |= access.queuePair == queuePair;
        }
    }
}
