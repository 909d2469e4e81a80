package io.verbena.rnic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.Digest;
import io.verbena.port.FrameStream;
import io.verbena.rnic.iwarp.ConnectionPhase;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.rnic.iwarp.IwarpView;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * One side of an explored connection: a real RNIC that is used for many runs, and its actions and results in the
 * current run.
 */
final class ExploredSide {

    static final int BYTES = 64;

    /** Maximum number of work requests. Their IDs are assigned in the order of the script. */
    private static final int MAX_WORK = 16;

    private final String name;
    final SoftRnic rnic;
    private final ProtectionDomain domain;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    final MemoryRegion memory;
    private final ExploredEnvironment environment = new ExploredEnvironment();

    // State of the current run.
    SoftQueuePair queuePair;
    Connection connection = Unconnected.NONE;
    ExploredStream stream;
    private int scriptAt;
    private int posted;
    private final int[] completions = new int[MAX_WORK];
    private final Map<AsyncEventType, Integer> observed = new EnumMap<>(AsyncEventType.class);
    private int sent;
    private int received;
    private long history;
    private Optional<byte[]> memoryAtEnd = Optional.empty();

    ExploredSide(String name) {
        this.name = name;
        // The other side sends thousands of bad keys and must still be accepted.
        RnicOptions options = RnicOptions.defaults()
                .withIwarp(it -> it.withMaxFpduPayloadBytes(64))
                .withSettings(Map.of("violation-limit", "0"));
        rnic = new SoftRnic(environment, options, new IwarpTransport());
        environment.engine(rnic.engine(0));
        domain = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(64);
        cursor = cq.cursor();
        memory = domain.allocate(
                BYTES,
                AccessRight.LOCAL_WRITE,
                AccessRight.REMOTE_READ,
                AccessRight.REMOTE_WRITE,
                AccessRight.REMOTE_ATOMIC);
        stream = ExploredStream.pair()[0];
        queuePair = newQueuePair();
    }

    private SoftQueuePair newQueuePair() {
        return (SoftQueuePair) domain.createQueuePair(QueuePairOptions.of(cq).withDepths(4, 4));
    }

    /** Resets everything except the RNIC. */
    void restart(ExploredStream end, boolean initiator) {
        queuePair.close();
        // Lingering streams deliver the last bytes until their deadline.
        for (int i = 0; i < 20 && rnic.engine(0).members() > 0; i++) {
            environment.nowNs += 1_000_000_000L;
            rnic.engine(0).turn(environment.nowNs);
        }
        assert rnic.engine(0).members() == 0 : "members left";
        drain();
        environment.restart(initiator ? 7 : 8);
        environment.alone = end instanceof FrameStream;
        stream = end;
        scriptAt = 0;
        posted = 0;
        Arrays.fill(completions, 0);
        observed.clear();
        sent = 0;
        received = 0;
        history = 0;
        memoryAtEnd = Optional.empty();
        for (int i = 0; i < BYTES; i++) {
            memory.segment().set(JAVA_BYTE, i, (byte) ((initiator ? 0x10 : 0x50) + i));
        }
        queuePair = newQueuePair();
    }

    void start(boolean initiator, boolean keepAlive) {
        ConnectionOptions options = ConnectionOptions.defaults()
                .withTimeout(Duration.ofSeconds(1))
                .withKeepAlive(keepAlive ? Duration.ofSeconds(2) : Duration.ZERO);
        StreamConversion conversion =
                (initiator ? StreamConversion.asInitiator() : StreamConversion.asResponder()).withOptions(options);
        connection = IwarpTransport.takeOver(queuePair, stream, conversion, (back, following) -> Optional.empty());
    }

    private void drain() {
        while (cursor.next()) {
            cursor.wrId();
        }
        rnic.pollAsyncEvents(Duration.ZERO);
    }

    long nowNs() {
        return environment.nowNs;
    }

    void nowNs(long timeNs) {
        environment.nowNs = timeNs;
    }

    // Actions.

    boolean hasWork() {
        return rnic.engine(0).hasWork();
    }

    void turn() {
        rnic.engine(0).turn(environment.nowNs);
        look();
    }

    boolean scriptLeft(ExploredStep[] script) {
        return scriptAt < script.length && script[scriptAt].possible(this);
    }

    ExploredStep step(ExploredStep[] script) {
        ExploredStep step = script[scriptAt++];
        step.run(this);
        look();
        return step;
    }

    /** ID of the next work request. */
    int nextWork() {
        return posted++;
    }

    /** Takes completions and asynchronous events. */
    private void look() {
        while (cursor.next()) {
            int id = (int) cursor.wrId();
            if (cursor.status() == CompletionStatus.SUCCESS) {
                sent += cursor.opcode() == CompletionOpcode.SEND ? 1 : 0;
                received += cursor.opcode() == CompletionOpcode.RECEIVE ? 1 : 0;
            }
            history = Digest.mix(history, id * 100L + cursor.status().ordinal());
            if (++completions[id] > 1) {
                throw new AssertionError(name + ": work request " + id + " completed twice");
            }
        }
        for (AsyncEvent event : rnic.pollAsyncEvents(Duration.ZERO)) {
            history = Digest.mix(history, 5000L + event.type().ordinal());
            if (observed.merge(event.type(), 1, Integer::sum) > 1) {
                throw new AssertionError(name + ": event " + event.type() + " was reported twice");
            }
            if (event.sentence().isBlank()) {
                throw new AssertionError(name + ": event " + event.type() + " has no sentence");
            }
        }
        checkStates();
    }

    private void checkStates() {
        ConnectionPhase phase = IwarpView.phase(queuePair);
        if (queuePair.state() != phase.queuePair()) {
            throw new AssertionError(name + ": " + queuePair.state() + " in " + phase);
        }
        if (connection.state().ended() && memoryAtEnd.isEmpty()) {
            memoryAtEnd = Optional.of(memory.segment().toArray(JAVA_BYTE));
        }
        if (memoryAtEnd.isPresent()
                && Arrays.mismatch(memoryAtEnd.get(), memory.segment().toArray(JAVA_BYTE)) >= 0) {
            throw new AssertionError(name + ": memory was accessed after the disconnect was complete");
        }
    }

    /** Checks an end: no event is possible any more. */
    void checkFinal() {
        ConnectionState state = connection.state();
        if (!state.ended()) {
            throw new AssertionError(name + ": no event is possible, and the connection is " + state + ", "
                    + IwarpView.phase(queuePair));
        }
        if (rnic.engine(0).members() != 0 || !stream.closed()) {
            throw new AssertionError(name + ": the connection has ended but its stream was not released");
        }
        if (IwarpView.wasEstablished(queuePair) || queuePair.state().failed()) {
            for (int i = 0; i < posted; i++) {
                if (completions[i] != 1) {
                    throw new AssertionError(name + ": work request " + i + " completed " + completions[i] + " times");
                }
            }
        }
        int causes = 0;
        for (AsyncEventType type : observed.keySet()) {
            causes += type == AsyncEventType.CLOSE_COMPLETE || type == AsyncEventType.LAST_WQE_REACHED ? 0 : 1;
        }
        boolean good = state == ConnectionState.CLOSED;
        if (causes > 1 || good && causes > 0 || observed.containsKey(AsyncEventType.CLOSE_COMPLETE) != good) {
            throw new AssertionError(name + ": " + state + " with events " + observed);
        }
    }

    /** The outcome of this side, for the count of outcomes. */
    String outcome() {
        return connection.state() + "/" + queuePair.state() + observed.keySet();
    }

    /** Number of Sends that completed with success. */
    int sent() {
        return sent;
    }

    /** Number of messages that arrived. */
    int received() {
        return received;
    }

    long stateDigest() {
        long d = Digest.mix(
                rnic.engine(0).stateDigest(), IwarpView.phase(queuePair).ordinal());
        d = Digest.mix(d, connection.state().ordinal() * 100L + scriptAt);
        d = Digest.mix(d, history);
        d = Digest.mix(d, Arrays.hashCode(memory.segment().toArray(JAVA_BYTE)));
        return stream.stateDigest(d);
    }
}
