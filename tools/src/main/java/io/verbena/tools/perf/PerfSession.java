package io.verbena.tools.perf;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.base.Times;
import io.verbena.tools.base.CompletionWaiter;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.Stalled;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One side of a session: a protection domain, one CQ for everything, a control connection for {@link PerfMessage}s and the
 * connections that are measured. For one thread.
 */
final class PerfSession implements AutoCloseable {

    private static final int CONTROL_SLOTS = 8;
    /** Completions of the control connection that wait to be polled at most. */
    static final int CONTROL_COMPLETIONS = 2 * CONTROL_SLOTS;

    private static final Duration SLICE = Duration.ofMillis(100);

    /** Numbers of control work are negative, those of a connection are not. */
    private static final long CONTROL = Long.MIN_VALUE;

    private final Rnic rnic;
    private final boolean inline;
    private final StopSignal stop;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final Patience patience;
    private boolean stalled;
    private final QueuePair control;
    private final MemoryRegion controlMemory;
    private final Deque<PerfMessage> inbox = new ArrayDeque<>();
    private final PerfLink[] links;
    private int controlSent;

    PerfSession(Rnic rnic, Progress progress, PerfMessage.Open size, Duration timeout, StopSignal stop) {
        this.rnic = rnic;
        this.inline = progress == Progress.INLINE;
        this.stop = stop;
        pd = rnic.allocateProtectionDomain();
        int entries = size.queuePairs() * PerfLink.completions(size.depth()) + CONTROL_COMPLETIONS;
        cq = rnic.createCompletionQueue(entries);
        cursor = cq.cursor();
        patience = new Patience(cq, inline, timeout, stop);
        control = pd.createQueuePair(
                QueuePairOptions.of(cq).withDepths(CONTROL_SLOTS, CONTROL_SLOTS).withElements(1, 1));
        controlMemory = pd.allocate(2L * CONTROL_SLOTS * PerfMessage.MAX_BYTES, LOCAL_WRITE);
        for (int slot = 0; slot < CONTROL_SLOTS; slot++) {
            postControlReceive(slot);
        }
        links = new PerfLink[size.queuePairs()];
        for (int i = 0; i < links.length; i++) {
            links[i] = new PerfLink(pd, cq, i, size.maxBytes(), size.depth());
        }
    }

    QueuePair control() {
        return control;
    }

    PerfLink[] links() {
        return links;
    }

    boolean inline() {
        return inline;
    }

    Rnic rnic() {
        return rnic;
    }

    Patience patience() {
        return patience;
    }

    StopSignal stop() {
        return stop;
    }

    /** Shows the completion that {@link #poll} took. */
    CompletionCursor cursor() {
        return cursor;
    }

    /** The connection whose completion {@link #poll} took. */
    PerfLink link() {
        return links[PerfLink.index(cursor.wrId())];
    }

    /**
     * Takes the next completion of a measured connection, if there is one. What comes on the control connection is kept.
     *
     * @throws io.verbena.tools.base.ConnectionLost when work failed
     */
    boolean poll(String what) throws Failure {
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw CompletionWaiter.failure(cursor, what);
            }
            if (cursor.wrId() >= 0) {
                return true;
            }
            onControl();
        }
        return false;
    }

    /** Waits until there is something to poll; false when the time ran out. */
    boolean awaitWork(Duration longest) {
        return cq.await(longest);
    }

    // Control messages.

    void send(PerfMessage message) throws Failure {
        byte[] bytes = PerfMessage.bytes(message);
        long offset = (long) (CONTROL_SLOTS + controlSent++ % CONTROL_SLOTS) * PerfMessage.MAX_BYTES;
        MemorySegment.copy(bytes, 0, controlMemory.segment(), ValueLayout.JAVA_BYTE, offset, bytes.length);
        if (!control.postSend(CONTROL, controlMemory, offset, bytes.length, WrFlags.SIGNALLED)) {
            throw new Failure("Too many control messages are in flight");
        }
    }

    /** Whether a control message has come; {@link #await} then does not wait. */
    boolean hasMail() {
        return !inbox.isEmpty();
    }

    /** Waits for a control message of a kind. No message is being measured. */
    <M extends PerfMessage> M await(Class<M> kind, String what, Duration longest) throws Failure {
        PerfMessage message = await(what, longest);
        if (kind.isInstance(message)) {
            return kind.cast(message);
        }
        throw new Failure(
                message instanceof PerfMessage.Problem problem
                        ? "The peer reported: " + problem.sentence()
                        : "The peer sent " + message.getClass().getSimpleName() + " instead of " + what);
    }

    private PerfMessage await(String what, Duration longest) throws Failure {
        long deadlineNs = System.nanoTime() + Times.nanos(longest);
        while (inbox.isEmpty()) {
            if (poll(what)) {
                onStray();
            } else if (inbox.isEmpty() && !cq.await(SLICE)) {
                stop.check();
                if (System.nanoTime() - deadlineNs > 0) {
                    stalled = true;
                    throw new Stalled(longest, what);
                }
            }
        }
        return inbox.remove();
    }

    /** A completion between runs: the last credit, or messages that a client sends without having said so. */
    private void onStray() {
        if (cursor.opcode() == CompletionOpcode.RECEIVE) {
            PerfLink link = link();
            link.postReceive();
            if (cursor.byteCount() == 0) {
                link.onCredit();
            }
        }
    }

    private void onControl() throws Failure {
        if (cursor.opcode() != CompletionOpcode.RECEIVE) {
            return;
        }
        int slot = (int) (cursor.wrId() - CONTROL);
        byte[] bytes = controlMemory
                .segment()
                .asSlice((long) slot * PerfMessage.MAX_BYTES, cursor.byteCount())
                .toArray(ValueLayout.JAVA_BYTE);
        postControlReceive(slot);
        if (inbox.size() == CONTROL_SLOTS) {
            throw new Failure("The peer sent more control messages than the protocol allows");
        }
        inbox.add(PerfMessage.read(bytes));
    }

    private void postControlReceive(int slot) {
        long offset = (long) slot * PerfMessage.MAX_BYTES;
        control.postReceive(CONTROL + slot, controlMemory, offset, PerfMessage.MAX_BYTES);
    }

    /** Ends all connections and gives everything back. */
    @Override
    public void close() {
        if (!stalled && !patience.exhausted()) { // else a graceful end would take seconds more
            control.connection().ifPresent(connection -> connection.close());
        }
        for (PerfLink link : links) {
            link.close();
        }
        control.close();
        controlMemory.close();
        cq.close();
        pd.close();
    }
}
