package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One side of a connection that loses its streams. It knows of each request what its completion must show: the n-th
 * fetch-and-add returns n, a Read returns a value that the counter can have had, the n-th Send or Write with
 * immediate data
 * arrives as the n-th.
 */
final class SurvivalProgram {

    private static final int OUTSTANDING = 24;
    private static final int RECEIVES = 32;
    private static final int SLOT = 512;
    private static final int MESSAGES = SLOT * OUTSTANDING;
    private static final int INBOX = 2 * MESSAGES;
    private static final int TARGET = INBOX + SLOT * RECEIVES;
    private static final int COUNTER = TARGET + SLOT * OUTSTANDING;
    private static final int SIZE = COUNTER + 8;

    /** A side that posts without end does not close. */
    private static final int MOST_LATE = 20;

    /** A request that is not complete. */
    private record Posted(CompletionOpcode kind, int slot, long expected) {}

    final QueuePair queuePair;
    private final MemoryRegion memory;
    private final CompletionCursor cursor;
    private final SimRandom random;
    private final Deque<Posted> posted = new ArrayDeque<>();
    private @Nullable SurvivalProgram peer;
    private @Nullable RemoteRegion remote;

    private int left;
    private int slot;
    private long additions;
    private long added;
    private long sent;
    private long received;
    private long receives;
    private long writes;
    private boolean closing;
    private int late;
    private int failedLate;

    SurvivalProgram(VirtualHost host, SimRandom random, int requests) {
        ProtectionDomain domain = host.rnic().allocateProtectionDomain();
        CompletionQueue cq = host.rnic().createCompletionQueue(4 * (OUTSTANDING + RECEIVES));
        cursor = cq.cursor();
        queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(OUTSTANDING, RECEIVES));
        memory = domain.allocate(
                SIZE,
                AccessRight.LOCAL_WRITE,
                AccessRight.REMOTE_READ,
                AccessRight.REMOTE_WRITE,
                AccessRight.REMOTE_ATOMIC);
        this.random = random;
        left = requests;
        for (int i = 0; i < RECEIVES; i++) {
            postReceive();
        }
    }

    private void postReceive() {
        assertTrue(queuePair.postReceive(receives, memory, INBOX + SLOT * (receives % RECEIVES), SLOT));
        receives++;
    }

    void meet(SurvivalProgram other) {
        peer = other;
        remote = other.memory.remote();
    }

    boolean done() {
        return left == 0 && posted.isEmpty();
    }

    /** Posts all requests that are left, which must fit the queue. Receives without a message are flushed after it. */
    void postLast() {
        closing = true;
        while (left > 0) {
            post();
        }
    }

    /** Posts an addition after the close has begun: it may be flushed. */
    void postLate() {
        RemoteRegion target = Objects.requireNonNull(remote);
        long sink = MESSAGES + (long) SLOT * slot;
        if (late < MOST_LATE
                && posted.size() < OUTSTANDING
                && queuePair.postFetchAndAdd(
                        slot, memory, sink, target.address() + COUNTER, target.rkey(), 1, WrFlags.SIGNALLED)) {
            posted.add(new Posted(CompletionOpcode.FETCH_AND_ADD, slot, additions++));
            slot = (slot + 1) % OUTSTANDING;
            late++;
        }
    }

    /** Whether a late addition was not executed, or this side does not know that it was. */
    boolean failedLate() {
        return failedLate > 0;
    }

    /** Posts what can be posted, and takes completions. */
    void pump() {
        while (left > 0 && posted.size() < OUTSTANDING && !random.oneIn(5)) {
            post();
        }
        while (cursor.next()) {
            if (closing && !cursor.ok() && cursor.opcode() == CompletionOpcode.RECEIVE) {
                continue;
            }
            if (!cursor.ok() && posted.size() <= late - failedLate) {
                posted.remove();
                failedLate++;
                continue;
            }
            assertTrue(cursor.ok(), () -> this + ": " + cursor.status() + ": " + cursor.reason());
            switch (cursor.opcode()) {
                case RECEIVE -> onMessage(word(INBOX + SLOT * (cursor.wrId() % RECEIVES)));
                case RECEIVE_WRITE_IMMEDIATE, RECEIVE_IMMEDIATE -> {
                    assertEquals(CompletionOpcode.RECEIVE_WRITE_IMMEDIATE, cursor.opcode());
                    assertEquals(SLOT / 2, cursor.byteCount());
                    onMessage(cursor.immediate());
                }
                default -> onCompletion();
            }
        }
    }

    private void onMessage(long number) {
        assertEquals(received, number, this + ": messages arrive once, in order");
        received++;
        if (!closing) {
            postReceive();
        }
    }

    private long word(long offset) {
        return memory.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    private void word(long offset, long value) {
        memory.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }

    private void post() {
        SurvivalProgram other = Objects.requireNonNull(peer);
        RemoteRegion target = Objects.requireNonNull(remote);
        int own = slot;
        long source = (long) SLOT * own;
        long sink = MESSAGES + source;
        long there = TARGET + source;
        WrFlags flags = random.oneIn(6) ? WrFlags.SIGNALLED.withFence() : WrFlags.SIGNALLED;
        boolean mayMessage = sent < other.receives;
        CompletionOpcode kind;
        long expected = 0;
        switch (random.nextInt(mayMessage ? 8 : 5)) {
            case 0, 1 -> {
                kind = CompletionOpcode.FETCH_AND_ADD;
                expected = additions++;
                assertTrue(queuePair.postFetchAndAdd(
                        own, memory, sink, target.address() + COUNTER, target.rkey(), 1, flags));
            }
            case 2 -> {
                kind = CompletionOpcode.READ;
                expected = added;
                assertTrue(queuePair.postRead(
                        own, memory, sink, Long.BYTES, target.address() + COUNTER, target.rkey(), flags));
            }
            case 3, 4 -> {
                kind = CompletionOpcode.WRITE;
                expected = ++writes;
                word(source, expected);
                assertTrue(
                        queuePair.postWrite(own, memory, source, SLOT, target.address() + there, target.rkey(), flags));
            }
            case 5, 6 -> {
                kind = CompletionOpcode.SEND;
                word(source, sent++);
                assertTrue(queuePair.postSend(own, memory, source, 8 + random.nextInt(SLOT - 8), flags));
            }
            default -> {
                kind = CompletionOpcode.WRITE;
                expected = ++writes;
                word(source, expected);
                assertTrue(queuePair.post(queuePair
                        .newWorkRequest()
                        .writeWithImmediate(target.address() + there, target.rkey(), sent++)
                        .element(memory, source, SLOT / 2)
                        .id(own)
                        .flags(flags)));
            }
        }
        posted.add(new Posted(kind, own, expected));
        slot = (slot + 1) % OUTSTANDING;
        left--;
    }

    private void onCompletion() {
        Posted oldest = posted.remove();
        assertEquals(oldest.slot(), cursor.wrId(), this + ": requests complete in order");
        assertEquals(oldest.kind(), cursor.opcode());
        SurvivalProgram other = Objects.requireNonNull(peer);
        long sink = MESSAGES + (long) SLOT * oldest.slot();
        switch (oldest.kind()) {
            case FETCH_AND_ADD -> {
                assertEquals(oldest.expected(), word(sink), this + ": each addition happens once, in order");
                added++;
            }
            case READ -> {
                long value = word(sink);
                assertTrue(value >= oldest.expected() && value <= additions, () -> this + " has read " + value);
            }
            case WRITE -> {
                long there = other.word(TARGET + (long) SLOT * oldest.slot());
                assertEquals(oldest.expected(), there, this + ": a complete Write can be seen");
            }
            default -> {}
        }
    }

    void check(String where) {
        long executed = Objects.requireNonNull(peer).word(COUNTER);
        assertTrue(executed >= additions - failedLate && executed <= additions, () -> where + ": " + executed);
        assertEquals(sent, Objects.requireNonNull(peer).received, where);
        assertTrue(additions > 0 && sent > 0, where);
    }

    @Override
    public String toString() {
        return queuePair + " with " + left + " requests left, " + posted.size() + " outstanding";
    }
}
