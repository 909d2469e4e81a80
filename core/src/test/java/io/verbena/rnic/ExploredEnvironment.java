package io.verbena.rnic;

import io.verbena.base.RandomSource;
import io.verbena.engine.RnicEngine;
import io.verbena.fixture.StillEnvironment;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** The environment of an explored RNIC: nothing happens without a step of the explorer. */
final class ExploredEnvironment extends StillEnvironment implements StreamLoop {

    private static final int TURNS_OF_A_WAIT = 4;

    private SplittableRandom random = new SplittableRandom(1);
    private Optional<RnicEngine> engine = Optional.empty();
    long nowNs;

    /** Whether a step that posts may hold the engine. */
    boolean alone;

    void engine(RnicEngine driven) {
        engine = Optional.of(driven);
    }

    /** The beginning of another run. */
    void restart(long seed) {
        random = new SplittableRandom(seed);
        nowNs = 1_000_000_000L;
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public RandomSource random() {
        return () -> random.nextLong();
    }

    @Override
    public boolean hold(int index) {
        return alone;
    }

    @Override
    public StreamLoop streams(int index) {
        return this;
    }

    @Override
    protected boolean awaitUninterruptibly(BooleanSupplier condition, long timeoutNs) {
        for (int i = 0; i < TURNS_OF_A_WAIT && !condition.getAsBoolean() && timeoutNs > 0; i++) {
            engine.orElseThrow().turn(nowNs);
        }
        return condition.getAsBoolean();
    }

    @Override
    public void notice(String sentence) {
        // The events contain the same information; a log of hundreds of thousands of states is useless.
    }

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        throw new AssertionError("explored streams are provided by the test; the RNIC must not connect");
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
        throw new IOException("not here");
    }

    @Override
    public void attach(ByteStream attached, StreamEvents events) {
        ((ExploredStream) attached).events(Optional.of(events));
    }

    @Override
    public void detach(ByteStream detached) {
        ((ExploredStream) detached).events(Optional.empty());
    }
}
