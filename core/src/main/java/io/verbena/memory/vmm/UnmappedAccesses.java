package io.verbena.memory.vmm;

import io.verbena.verbs.PageFault;
import io.verbena.verbs.PageFaultHandler;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Accesses of one process to what is not mapped, on their way to its error handler and back. An access asks, is told to
 * wait, and asks again until the handler has answered. An answer is for the access that asked: the next one asks again, also at the
 * same place. Bounded: a peer cannot make it grow.
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

        /** Its queue pair has ended: an answer is for nobody. */
        private boolean orphan;

        private Access(PageFault fault, AddressView view, int queuePair) {
            this.fault = fault;
            this.view = view;
            this.queuePair = queuePair;
        }

        /** What the handler is asked about. */
        public PageFault fault() {
            return fault;
        }

        /** Whether it is the same access at another attempt, which may have more bytes by now. */
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
    private long told;

    /** From here on this is asked, and answers later by {@link #answer}. */
    public synchronized void handler(Consumer<Access> asked) {
        ask = Optional.of(asked);
    }

    /** How many were told to the handler. */
    public synchronized long told() {
        return told;
    }

    /** Accesses that are remembered. */
    synchronized int size() {
        return accesses.size();
    }

    /**
     * Whether an access must wait: the handler is being asked. False: it is refused.
     *
     * @param view where nothing was found
     * @param queuePair whose access it is
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
        told++;
        ask.get().accept(access);
        return true;
    }

    /** After an answer: whether this is another fault. Not if the handler refused it, or said that it had mapped it and had not. */
    @SuppressWarnings("ReferenceEquality") // A table never changes: a change makes another one.
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

    /** A queue pair has ended: what it asked for is asked no more. An access that the handler has been told of counts until it answers. */
    public synchronized void queuePairGone(int queuePair) {
        accesses.removeIf(access -> access.queuePair == queuePair && access.stage != Stage.ASKED);
        for (Access access : accesses) {
            access.orphan |= access.queuePair == queuePair;
        }
    }
}
