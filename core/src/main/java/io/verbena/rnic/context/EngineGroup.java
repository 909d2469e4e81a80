package io.verbena.rnic.context;

import io.verbena.base.Digest;
import io.verbena.base.WaitPoint;
import io.verbena.engine.RnicEngine;
import io.verbena.memory.EngineEpoch;
import io.verbena.memory.Revocation;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * The engines of an RNIC: chooses the engine of a new queue pair, and waits until all engines have left their turns.
 */
public final class EngineGroup {

    private static final long REVOCATION_LOOK_NS = 1_000_000L;

    private final Environment environment;
    private final RnicEngine[] engines;
    private final EngineCores cores;
    private final List<EngineEpoch> epochs = new ArrayList<>();
    private final WaitPoint turns;
    private final WaitPoint peers;
    private final AtomicInteger next = new AtomicInteger();

    /**
     * Creates the engines; the environment drives them.
     *
     * @param onFailure receives an engine that has failed, and the reason
     */
    EngineGroup(Environment environment, RnicOptions options, BiConsumer<RnicEngine, String> onFailure) {
        this.environment = environment;
        cores = new EngineCores(options);
        engines = new RnicEngine[options.engines()];
        for (int i = 0; i < engines.length; i++) {
            engines[i] = new RnicEngine(i, environment, onFailure);
            epochs.add(engines[i].epoch());
        }
        turns = environment.newWaitPoint();
        peers = environment.newHandlerWaitPoint();
    }

    public int size() {
        return engines.length;
    }

    public RnicEngine get(int index) {
        return engines[index];
    }

    List<EngineEpoch> epochs() {
        return epochs;
    }

    /** The cores that the engines are bound to. */
    public EngineCores cores() {
        return cores;
    }

    /** A hash that combines {@code digest} with the states of the engines. */
    public long digest(long digest) {
        long all = digest;
        for (RnicEngine engine : engines) {
            all = Digest.mix(all, engine.stateDigest());
        }
        return all;
    }

    // Choice.

    /**
     * The engine of a queue pair: the one that one of its CQs prefers, otherwise the next one in turn.
     *
     * @param first the engine that the first CQ prefers in this turn, if any
     * @param second the engine that the second CQ prefers in this turn, if any
     */
    public RnicEngine near(IntFunction<OptionalInt> first, IntFunction<OptionalInt> second) {
        int turn = next.getAndIncrement();
        OptionalInt home = first.apply(turn);
        if (home.isEmpty()) {
            home = second.apply(turn);
        }
        return working(home.orElse(Math.floorMod(turn, engines.length)));
    }

    /** The next engine in turn. */
    public RnicEngine next() {
        return working(Math.floorMod(next.getAndIncrement(), engines.length));
    }

    /** This engine, or the next one that has not failed. */
    public RnicEngine working(int first) {
        for (int i = 0; i < engines.length; i++) {
            RnicEngine engine = engines[(first + i) % engines.length];
            if (!engine.failed()) {
                return engine;
            }
        }
        throw new VerbsException("All engines of this RNIC have failed; close the RNIC and open another one.");
    }

    // Turns.

    /** Whether the calling thread is inside a turn of an engine, where it must not wait. */
    boolean insideTurn() {
        for (RnicEngine engine : engines) {
            if (engine.insideOnThisThread()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Rejects a thread inside a turn, before a change that a revocation must follow.
     *
     * @throws IllegalStateException as {@link Revocation#checkCaller} throws
     */
    public void checkOutsideTurn() {
        Revocation.checkCaller(epochs);
    }

    public Revocation beginRevocation() {
        return Revocation.begin(epochs);
    }

    /** Waits until every engine that was accessing memory has left its turn; returns false on timeout. */
    public boolean awaitRevocation(Revocation revocation, long timeoutNs) {
        return await(turns, revocation::settled, timeoutNs);
    }

    /**
     * Waits until peers have left memory that they access without an engine of this side; returns false on timeout. No engine
     * needs to be driven for that, and the calling thread may be one that must not, or the engines may have failed.
     */
    public boolean awaitPeers(BooleanSupplier left, long timeoutNs) {
        return await(peers, left, timeoutNs);
    }

    private boolean await(WaitPoint point, BooleanSupplier settled, long timeoutNs) {
        long deadlineNs = environment.nowNs() + timeoutNs;
        while (!settled.getAsBoolean()) {
            if (environment.nowNs() - deadlineNs >= 0) {
                return false;
            }
            // Poll at short intervals: a turn is short, and its end is not signalled.
            point.awaitUninterruptibly(settled, REVOCATION_LOOK_NS);
            Thread.onSpinWait();
        }
        return true;
    }

    /** Ends all remaining endpoints. Called after the environment has stopped driving the engines. */
    public void shutDown(String sentence) {
        for (RnicEngine engine : engines) {
            engine.shutDown(sentence);
        }
    }
}
