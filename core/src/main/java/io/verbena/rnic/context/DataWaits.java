package io.verbena.rnic.context;

import io.verbena.base.WaitPoint;
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
