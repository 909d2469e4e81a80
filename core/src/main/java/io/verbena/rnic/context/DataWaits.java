package io.verbena.rnic.context;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The wait points of an RNIC at which applications wait for data, events and peers. When the RNIC has ended, nothing arrives any
 * more: all waits end then, and later ones end at once. Every condition of such a wait includes {@link #ended}.
 *
 * <p>Waits of teardown and control are not among them, because they have to work while the RNIC is being closed.
 */
public final class DataWaits {

    private final Environment environment;
    private final Set<WaitPoint> points = Collections.newSetFromMap(new WeakHashMap<>());
    private volatile boolean ended;

    DataWaits(Environment environment) {
        this.environment = environment;
    }

    /** A wait point that is signalled when the RNIC has ended. */
    public WaitPoint newPoint() {
        WaitPoint waitPoint = environment.newWaitPoint();
        synchronized (points) {
            points.add(waitPoint);
        }
        return waitPoint;
    }

    /** Whether nothing arrives any more. */
    public boolean ended() {
        return ended;
    }

    /**
     * The failure of a set-up that has not ended when the wait for it has.
     *
     * @param what the beginning of a sentence: what was set up
     */
    public ConnectionException notEstablished(String what, Duration timeout) {
        return ended
                ? new ConnectionException(
                        Kind.FAILED, what + " was not established before the RNIC was closed.", new byte[0])
                : new ConnectionException(
                        Kind.TIMED_OUT, what + " was not established within " + Times.text(timeout) + ".", new byte[0]);
    }

    /** Nothing arrives any more. */
    public void end() {
        ended = true;
        signal();
    }

    /** Lets all waiting threads check their conditions again. */
    public void signal() {
        WaitPoint[] all;
        synchronized (points) {
            all = points.toArray(WaitPoint[]::new);
        }
        for (WaitPoint each : all) {
            each.signal();
        }
    }
}
