package io.verbena.host.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class UnmappingTest {

    private static final Logger LOGGER = Logger.getLogger("io.verbena.rnic");

    /** An arena that reports or fails when it is closed. */
    private record Watched(Runnable onClose) implements Arena {

        @Override
        public MemorySegment allocate(long bytes, long alignment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MemorySegment.Scope scope() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            onClose.run();
        }
    }

    private static final class Records extends Handler {
        private final BlockingQueue<LogRecord> records = new LinkedBlockingQueue<>();

        @Override
        public void publish(LogRecord entry) {
            if (entry.getMessage().contains("unmapping")) {
                records.add(entry);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void largeMemory_thatCannotBeUnmapped_isLogged() throws InterruptedException {
        Records records = new Records();
        LOGGER.addHandler(records);
        try {
            Unmapping.unmap(
                    new Watched(() -> {
                        throw new IllegalStateException("it is in use");
                    }),
                    Unmapping.LATER_BYTES);
            LogRecord logged = records.records.poll(10, TimeUnit.SECONDS);
            assertTrue(logged != null, "nothing was logged");
            assertEquals("it is in use", logged.getThrown().getMessage());
        } finally {
            LOGGER.removeHandler(records);
        }
    }

    @Test
    void largeMemory_afterAFailure_isUnmappedByTheThread() throws InterruptedException {
        BlockingQueue<String> threads = new LinkedBlockingQueue<>();
        Unmapping.unmap(new Watched(() -> threads.add(Thread.currentThread().getName())), Unmapping.LATER_BYTES);
        assertEquals("verbena-unmap", threads.poll(10, TimeUnit.SECONDS));
    }

    @Test
    void smallMemory_isUnmappedByTheCaller() {
        BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
        Unmapping.unmap(new Watched(() -> threads.add(Thread.currentThread())), Unmapping.LATER_BYTES - 1);
        assertEquals(Thread.currentThread(), threads.poll());
    }
}
