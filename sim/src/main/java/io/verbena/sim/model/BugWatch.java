package io.verbena.sim.model;

import io.verbena.sim.World;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Observes the log records of an RNIC. An RNIC survives internal errors and continues; in a simulation each of them
 * fails the run.
 */
final class BugWatch extends Handler {

    /** A strong reference: the log system forgets unreferenced loggers and their handlers. */
    private static final Logger LOGGER = Logger.getLogger("io.verbena.rnic");

    private static final ThreadLocal<World> RUNNING = new ThreadLocal<>();

    static {
        LOGGER.addHandler(new BugWatch());
    }

    private BugWatch() {
        setLevel(Level.SEVERE);
    }

    /** From now on errors in this thread are failures of this world. */
    static void begin(World world) {
        RUNNING.set(world);
    }

    static void end() {
        RUNNING.remove();
    }

    @Override
    @SuppressWarnings("NullAway") // a thread without a world has none
    public void publish(LogRecord record) {
        World world = RUNNING.get();
        if (world != null && isLoggable(record)) {
            world.failed(new AssertionError(record.getMessage(), record.getThrown()));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
