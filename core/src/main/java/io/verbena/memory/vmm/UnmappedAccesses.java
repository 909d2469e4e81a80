package io.verbena.memory.vmm;

import io.verbena.verbs.PageFault;
import io.verbena.verbs.PageFaultHandler;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Accesses of one process to what is not mapped, on their way to its error handler and back. An access asks, is told
 * WAIT, and asks again: until the handler has answered it waits. Bounded: a peer cannot make it grow.
 */
public final class UnmappedAccesses {

    /** Most that are remembered. */
    static final int MOST = 256;

    private enum Stage {
        ASKED,
        MAPPED,
        REFUSED
    }

    private static final class Access {
        final PageFault fault;
        Stage stage = Stage.ASKED;

        Access(PageFault fault) {
            this.fault = fault;
        }

        boolean is(long address, long length, boolean write) {
            return fault.address() == address && fault.length() == length && fault.write() == write;
        }
    }

    private final ArrayDeque<Access> accesses = new ArrayDeque<>();
    private Optional<Consumer<PageFault>> ask = Optional.empty();
    private long told;

    /** From here on this is asked, and answers later by {@link #answer}. */
    public synchronized void handler(Consumer<PageFault> asked) {
        ask = Optional.of(asked);
    }

    /** Whether there is somebody to ask. */
    public synchronized boolean hasHandler() {
        return ask.isPresent();
    }

    /** How many were told to the handler. */
    public synchronized long told() {
        return told;
    }

    /** Whether an access must wait: the handler is being asked. False: it is refused. */
    synchronized boolean mustWait(long address, long length, boolean write) {
        if (ask.isEmpty()) {
            return false;
        }
        for (Iterator<Access> i = accesses.iterator(); i.hasNext(); ) {
            Access access = i.next();
            if (access.is(address, length, write)) {
                if (access.stage == Stage.ASKED) {
                    return true;
                }
                // Refused, or the handler said that it had mapped it and has not: asking again would not help.
                i.remove();
                return false;
            }
        }
        if (accesses.size() == MOST && !dropAnswered()) {
            return true;
        }
        Access access = new Access(new PageFault(address, length, write, 0));
        accesses.add(access);
        told++;
        ask.get().accept(access.fault);
        return true;
    }

    private boolean dropAnswered() {
        return accesses.removeIf(access -> access.stage != Stage.ASKED);
    }

    /** What the handler decided. */
    public synchronized void answer(PageFault fault, PageFaultHandler.Answer answer) {
        for (Access access : accesses) {
            if (access.fault.equals(fault)) {
                access.stage = answer == PageFaultHandler.Answer.MAPPED ? Stage.MAPPED : Stage.REFUSED;
            }
        }
    }
}
