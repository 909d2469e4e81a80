package io.verbena.sim.model;

import io.verbena.sim.World;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Hears what an RNIC writes into the system's log. It survives errors of its own and goes on; in a simulation each of them
 * is a failure of the run.
 */
final class BugWatch extends Handler {

    /** Kept here: the system forgets loggers that nobody holds, and their handlers with them. */
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
