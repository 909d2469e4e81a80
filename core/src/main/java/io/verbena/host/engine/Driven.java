package io.verbena.host.engine;

import io.verbena.base.Times;
import io.verbena.engine.RnicEngine;
import io.verbena.port.faults.FaultyLoop;
import io.verbena.port.faults.FaultyPacketLoop;
import io.verbena.tcp.CarriedTcp;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** An object that a driver drives in addition to the streams: an engine of an RNIC. */
public interface Driven {

    /** Result of {@link #nextDeadlineNs} if there is no deadline. */
    long NEVER = Times.NEVER;

    /** Does what there is to do; returns a measure of it, 0 for nothing. Only in the driving thread. */
    int turn(long nowNs);

    /** Whether a turn would find work, not counting deadlines. */
    boolean hasWork();

    /** Whether another thread has made work that no turn has found yet. Any thread. */
    default boolean rung() {
        return hasWork();
    }

    /** Whether turns do more than {@link #hasWork} and deadlines ask for: each round takes one. */
    default boolean needsTurns() {
        return false;
    }

    /**
     * The time of the next turn that is needed without another event, or {@link #NEVER}. Only in the driving thread.
     */
    long nextDeadlineNs();

    /**
     * Reports that the driver or a turn has failed. Only in the driving thread.
     *
     * @return whether turns continue, without the streams; otherwise the driver ends
     */
    default boolean onFailure(Throwable cause) {
        return false;
    }

    /** The engine of an RNIC. */
    static Driven of(RnicEngine engine) {
        return new Driven() {
            @Override
            public int turn(long nowNs) {
                return engine.turn(nowNs);
            }

            @Override
            public boolean hasWork() {
                return engine.hasWork();
            }

            @Override
            public boolean rung() {
                return engine.rung();
            }

            @Override
            public long nextDeadlineNs() {
                return engine.nextDeadlineNs();
            }

            @Override
            public boolean onFailure(Throwable cause) {
                return engine.onFailure(cause);
            }
        };
    }

    /** This one, and the timers of the faults on its streams before it. */
    default Driven withFaults(FaultyLoop faults) {
        return after(faults::turn, faults::nextDeadlineNs);
    }

    /** This one, and the timers of the faults on its packets before it. */
    default Driven withFaults(FaultyPacketLoop faults) {
        return after(faults::turn, faults::nextDeadlineNs);
    }

    /**
     * This one over the TCP of the library: its packets and timers before each turn, and after it the packets that the turn has
     * caused.
     *
     * @param first is called before all of that, with the time, and when {@code firstDeadlineNs} has passed
     */
    default Driven over(CarriedTcp tcp, LongConsumer first, LongSupplier firstDeadlineNs) {
        return around(
                nowNs -> {
                    first.accept(nowNs);
                    return tcp.turn(nowNs);
                },
                tcp::flush,
                () -> Times.earlier(firstDeadlineNs.getAsLong(), tcp.nextDeadlineNs()));
    }

    /** What happens before a turn; returns a measure of it. */
    @FunctionalInterface
    interface Before {
        int turn(long nowNs);
    }

    private Driven after(Before before, LongSupplier deadlineNs) {
        return around(before, nowNs -> {}, deadlineNs);
    }

    private Driven around(Before before, LongConsumer after, LongSupplier deadlineNs) {
        Driven engine = this;
        return new Driven() {
            @Override
            public int turn(long nowNs) {
                int work = before.turn(nowNs) + engine.turn(nowNs);
                after.accept(nowNs);
                return work;
            }

            @Override
            public boolean hasWork() {
                return engine.hasWork();
            }

            @Override
            public boolean rung() {
                return engine.rung();
            }

            @Override
            public boolean needsTurns() {
                return true;
            }

            @Override
            public long nextDeadlineNs() {
                return Times.earlier(deadlineNs.getAsLong(), engine.nextDeadlineNs());
            }

            @Override
            public boolean onFailure(Throwable cause) {
                return engine.onFailure(cause);
            }
        };
    }
}
