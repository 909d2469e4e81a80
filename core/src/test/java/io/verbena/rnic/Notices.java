package io.verbena.rnic;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What RNICs that the calling thread drives write to the log, from now on until it is closed. */
public final class Notices extends Handler implements AutoCloseable {

    /** Referenced here, because the logging system discards unreferenced loggers together with their handlers. */
    private static final Logger LOGGER = Logger.getLogger("io.verbena.rnic");

    private final Thread thread = Thread.currentThread();
    private final List<String> lines = new ArrayList<>();

    public Notices() {
        LOGGER.addHandler(this);
    }

    /** The lines, the oldest first. */
    public List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord line) {
        if (Thread.currentThread() == thread) {
            lines.add(line.getMessage());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
    }
}
