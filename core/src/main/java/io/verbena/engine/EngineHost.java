package io.verbena.engine;

import io.verbena.base.RandomSource;
import io.verbena.port.PacketLoop;
import io.verbena.port.StreamLoop;

/** What the outside gives to the engines of an RNIC: time, randomness, ports of each shape, and a thread that drives them. */
public interface EngineHost {

    /** Now, in nanoseconds. Only differences of instants have a meaning. */
    long nowNs();

    /** A source of unpredictable numbers; in a simulation, of seeded ones. */
    RandomSource random();

    /** The byte streams of one engine. */
    StreamLoop streams(int engine);

    /**
     * The packet ports of one engine.
     *
     * @throws UnsupportedOperationException where the environment has none
     */
    default PacketLoop packets(int engine) {
        throw new UnsupportedOperationException("This environment has no packet ports.");
    }

    /** The buffers of one engine; called once for each. Engines that one thread drives may share them, see {@link TurnBuffers}. */
    default TurnBuffers buffers(int engine) {
        return new TurnBuffers();
    }

    /**
     * An engine has work from another side than its ports: a doorbell or a command. It must be driven soon. When the calling
     * thread drives the engine itself (INLINE), this call drives it once, unless it is made inside a turn.
     */
    void wake(int engine);

    /**
     * Whether the calling thread drives this engine and is alone with it until it calls {@link #wake} or {@link #letGo}, one of
     * which must follow. Its work for the engine needs no queue between threads then.
     */
    default boolean hold(int engine) {
        return false;
    }

    /** Ends {@link #hold} in place of {@link #wake}: the calling thread has made no work for the engine. */
    default void letGo(int engine) {}

    /** The thread that holds an engine uses its streams until {@link #endPost}, outside of a turn. Returns false if it cannot now. */
    default boolean beginPost(int engine) {
        return true;
    }

    /** Ends what {@link #beginPost} began. */
    default void endPost(int engine) {}

    /**
     * Rejects a calling thread that may not use this engine, for operations that change something before they wake it.
     *
     * @throws IllegalStateException if the engine is INLINE and belongs to another thread
     */
    default void checkCaller(int engine) {}

    /** An engine waits for something that is available now, reported by a thread that does not own the engine. */
    default void nudge(int engine) {
        wake(engine);
    }
}
