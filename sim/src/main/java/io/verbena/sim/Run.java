package io.verbena.sim;

import io.verbena.base.Digest;
import io.verbena.engine.TurnBuffers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a simulation share: the clock and the queue of events, the decisions of the seed about network and
 * machines, the trace, the log, and the first failure.
 */
final class Run {

    /** A run with more events than this is considered an endless loop. */
    static final long MOST_EVENTS = 3_000_000;

    private final Weather weather;
    private final long startNs;
    private final Optional<Consumer<String>> log;
    private final EventQueue events = new EventQueue();
    private final List<IntSupplier> polled = new ArrayList<>();

    private Optional<PacketCarrier> carrier = Optional.empty();
    private Optional<TurnBuffers> shared = Optional.empty();
    private long mostEvents = MOST_EVENTS;
    private long nowNs;
    private long eventCount;
    private long traceHash;
    private boolean tracesStates = true;
    private long courseHash;
    private int depth;
    private int eventDepth;
    private @Nullable Throwable failure;

    /**
     * @param log receives a line for each event
     */
    Run(long seed, Weather weather, long startNs, Optional<Consumer<String>> log) {
        this.weather = weather;
        this.startNs = startNs;
        this.log = log;
        traceHash = seed;
        courseHash = seed;
        nowNs = startNs;
    }

    Weather weather() {
        return weather;
    }

    /**
     * The events of a carrier happen in this time, too. All engines belong to the thread of the World, and ports of a carrier never
     * block, so that they share their buffers: there may be thousands of hosts.
     */
    void carrier(PacketCarrier network) {
        carrier = Optional.of(network);
        shared = Optional.of(new TurnBuffers());
    }

    /** The buffers of an engine. */
    TurnBuffers buffers() {
        return shared.orElseGet(TurnBuffers::new);
    }

    void mostEvents(long most) {
        mostEvents = most;
    }

    // Time.

    long nowNs() {
        return nowNs;
    }

    /** Nanoseconds since the beginning. */
    long elapsedNs() {
        return nowNs - startNs;
    }

    /** Schedules an action. */
    void after(long delayNs, Runnable action) {
        events.add(nowNs + delayNs, action);
    }

    void atTime(long timeNs, Runnable action) {
        events.add(timeNs - nowNs < 0 ? nowNs : timeNs, action);
    }

    /** Runs the next event; returns false if there is none. */
    boolean step() {
        if (depth > 0) {
            throw new IllegalStateException("A callback that runs within an engine turn must not wait for the RNIC;"
                    + " wait after the callback has returned.");
        }
        rethrow();
        if (quiet()) {
            return false;
        }
        if (carrierIsNext()) {
            stepCarrier();
            return true;
        }
        nowNs = events.nextNs();
        mix(nowNs - startNs);
        if (++eventCount > mostEvents) {
            fail("more than " + mostEvents + " events: an endless loop");
        }
        execute(events.take());
        return true;
    }

    private void execute(Runnable event) {
        eventDepth++;
        try {
            event.run();
        } catch (Throwable e) {
            failed(e);
            throw e;
        } finally {
            eventDepth--;
        }
        rethrow();
    }

    /** Whether no event is left. */
    private boolean quiet() {
        return events.isEmpty() && (carrier.isEmpty() || carrier.get().nextNs() == PacketCarrier.NEVER);
    }

    /** Time of the next event; there is one. */
    private long nextNs() {
        return carrierIsNext() ? startNs + carrier.get().nextNs() : events.nextNs();
    }

    private boolean carrierIsNext() {
        if (carrier.isEmpty() || carrier.get().nextNs() == PacketCarrier.NEVER) {
            return false;
        }
        return events.isEmpty() || carrier.get().nextNs() < events.nextNs() - startNs;
    }

    /** The carrier has many small events; they are part of the trace by its digest. */
    private void stepCarrier() {
        PacketCarrier network = carrier.orElseThrow();
        nowNs = startNs + Math.max(elapsedNs(), network.nextNs());
        execute(() -> network.run(elapsedNs()));
    }

    /** Nanoseconds until the next event; {@link Long#MAX_VALUE} if there is none. */
    long nextInNs() {
        return quiet() ? Long.MAX_VALUE : Math.max(0, nextNs() - nowNs);
    }

    /** Runs events until a condition holds; returns false if the virtual time expired first. */
    boolean until(BooleanSupplier condition, long timeoutNs) {
        long deadlineNs = nowNs + timeoutNs;
        while (!condition.getAsBoolean()) {
            if (quiet() || nextNs() - deadlineNs > 0) {
                // An event that waited in its turn, and for longer, may have advanced the clock beyond this deadline.
                nowNs = deadlineNs - nowNs > 0 ? deadlineNs : nowNs;
                return condition.getAsBoolean();
            }
            step();
        }
        return true;
    }

    /** Runs events until none is left; returns false if the virtual time expired first. */
    boolean untilQuiet(long timeoutNs) {
        long deadlineNs = nowNs + timeoutNs;
        while (!quiet()) {
            if (nextNs() - deadlineNs > 0) {
                return false;
            }
            step();
        }
        return true;
    }

    /** Events so far. */
    long eventCount() {
        return eventCount;
    }

    // Engines at work.

    void enter() {
        depth++;
    }

    void leave() {
        depth--;
    }

    /** Whether an engine is at work now. */
    boolean inside() {
        return depth > 0;
    }

    /** Adds work that the program's own thread does when it polls or waits. Returns the amount of work done. */
    void onPoll(IntSupplier work) {
        polled.add(work);
    }

    /**
     * A program polls. Outside of events this also advances the time, because a polling loop would hang otherwise.
     */
    int poll() {
        if (inside()) {
            return 0;
        }
        int work = 0;
        for (int i = 0; i < polled.size(); i++) {
            work += polled.get(i).getAsInt();
        }
        if (eventDepth == 0 && step()) {
            work++;
        }
        return work;
    }

    // Log and trace.

    /** Mixes a value into the hashes of the trace and of the course. */
    void mix(long value) {
        traceHash = Digest.mix(traceHash, value);
        courseHash = Digest.mix(courseHash, value);
    }

    /** Whether the states of engines go into the trace hash: over iWARP their digests are a fifth of the time of a run. */
    boolean tracesStates() {
        return tracesStates;
    }

    /** The states of engines go into no hash from now on. */
    void withoutStates() {
        tracesStates = false;
    }

    /** Mixes the state of an engine after a turn into the trace hash, and only its work into that of the course. */
    void mixTurn(int work, long state) {
        traceHash = Digest.mix(traceHash, state);
        courseHash = Digest.mix(courseHash, work);
    }

    /** A hash of what happened so far, and when: it does not depend on how engines keep their state. */
    long courseHash() {
        return carrier.isEmpty()
                ? courseHash
                : Digest.mix(courseHash, carrier.get().hash());
    }

    /** A hash of everything that happened so far. */
    long traceHash() {
        return carrier.isEmpty()
                ? traceHash
                : Digest.mix(traceHash, carrier.get().hash());
    }

    /** Whether there is a log. */
    boolean logging() {
        return log.isPresent();
    }

    /** Writes a line into the log, with the time before it. */
    void log(Supplier<String> line) {
        if (log.isPresent()) {
            log.get().accept(time(elapsedNs()) + "  " + line.get());
        }
    }

    private static String time(long ns) {
        return String.format(Locale.ROOT, "%,15.3f µs", ns / 1000.0);
    }

    // Failure.

    /** Fails the run with a sentence. */
    void fail(String sentence) {
        AssertionError error = new AssertionError(sentence);
        failed(error);
        throw error;
    }

    /** Records the first failure, so that a callback that catches it does not hide it. */
    void failed(Throwable e) {
        if (failure == null) {
            failure = e;
        }
    }

    /** Whether the run ended by this failure. */
    boolean endedBy(Throwable e) {
        return e == failure;
    }

    private void rethrow() {
        switch (failure) {
            case null -> {}
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new AssertionError(failure);
        }
    }
}
