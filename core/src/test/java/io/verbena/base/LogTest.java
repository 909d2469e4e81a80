package io.verbena.base;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What reaches the system's log, and that a logger of the application cannot end an engine. */
class LogTest {

    private static final Logger LOGGER = Logger.getLogger("io.verbena.rnic");

    private final List<LogRecord> records = new ArrayList<>();
    private boolean broken;

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (broken) {
                throw new AssertionError("the logger of the application is broken");
            }
            records.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
        LOGGER.setUseParentHandlers(false);
    }

    @AfterEach
    void leave() {
        LOGGER.setUseParentHandlers(true);
        LOGGER.removeHandler(handler);
    }

    @Test
    void bugCallbackAndNotice_haveTheirLevelSentenceAndCause() {
        IllegalStateException cause = new IllegalStateException("why");
        Log.callback("A listener", cause);
        Log.notice("A peer was refused.");
        assertEquals(
                List.of("A listener threw; the RNIC continues", "A peer was refused."),
                records.stream().map(LogRecord::getMessage).toList());
        assertEquals(
                List.of(Level.WARNING, Level.WARNING),
                records.stream().map(LogRecord::getLevel).toList());
        assertSame(cause, records.getFirst().getThrown());
    }

    @Test
    void loggerThrowsAnError_theCallerContinues() {
        broken = true;
        assertDoesNotThrow(() -> Log.callback("A listener", new IllegalStateException()));
        assertDoesNotThrow(() -> Log.notice("A peer was refused."));
    }
}
