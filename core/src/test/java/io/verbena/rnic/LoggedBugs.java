package io.verbena.rnic;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * What RNICs in this thread have logged as errors of their own. They survive those; a test that did not expect one does
 * not.
 */
final class LoggedBugs extends Handler {

    /** A strong reference: the log system forgets unreferenced loggers and their handlers. */
    private static final Logger LOGGER = Logger.getLogger("io.verbena.rnic");

    private static final ThreadLocal<List<LogRecord>> OF_THREAD = ThreadLocal.withInitial(ArrayList::new);

    static {
        LOGGER.addHandler(new LoggedBugs());
    }

    private LoggedBugs() {
        setLevel(Level.SEVERE);
    }

    /** Forgets what was logged in this thread. */
    static void clear() {
        OF_THREAD.get().clear();
    }

    /** What was logged in this thread. */
    static List<LogRecord> all() {
        return OF_THREAD.get();
    }

    /** Throws what was logged first in this thread. */
    static void check() {
        List<LogRecord> logged = OF_THREAD.get();
        if (!logged.isEmpty()) {
            LogRecord first = logged.getFirst();
            clear();
            throw new AssertionError(first.getMessage(), first.getThrown());
        }
    }

    @Override
    public void publish(LogRecord entry) {
        if (isLoggable(entry)) {
            OF_THREAD.get().add(entry);
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
