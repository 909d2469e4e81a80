package io.verbena.rnic;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Bugs that RNICs have logged in this thread. The RNIC survives them; a test that did not expect one fails. */
final class LoggedBugs extends Handler {

    /** Referenced here, because the logging system discards unreferenced loggers together with their handlers. */
    private static final Logger LOGGER = Logger.getLogger("io.verbena.rnic");

    private static final ThreadLocal<List<LogRecord>> OF_THREAD = ThreadLocal.withInitial(ArrayList::new);

    static {
        LOGGER.addHandler(new LoggedBugs());
    }

    private LoggedBugs() {
        setLevel(Level.SEVERE);
    }

    /** Removes the records of this thread. */
    static void clear() {
        OF_THREAD.get().clear();
    }

    /** The records of this thread. */
    static List<LogRecord> all() {
        return OF_THREAD.get();
    }

    /** Throws the first bug that was logged in this thread, if any. */
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
