package io.verbena.examples;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.RdmaPeer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.*;
import java.time.Duration;
import java.util.concurrent.*;

/**
 * A monitor that tells a program that hangs from one that is gone. A program counts its turns in a word of its memory, and the
 * monitor reads the word. The RNIC answers the Read also if the program hangs: then the word stays the same. If the Read fails, the
 * process or its machine is gone.
 */
final class FailureDetection {

    private static final int SUSPICIOUS_READS = 50; // in a row without a new value

    /** What the monitor finds. */
    private enum Health {
        ALIVE,
        HANGS,
        GONE
    }

    private FailureDetection() {}

    public static void main(String... args) throws Exception {
        try (RdmaPeer program = RdmaPeer.open(Long.BYTES, AccessRight.REMOTE_READ);
                RdmaPeer monitor = RdmaPeer.open(Long.BYTES, AccessRight.LOCAL_WRITE);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            SocketAddress address = program.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Future<?> connecting = threads.submit(() -> {
                monitor.connect(address);
                return true;
            });
            program.accept(Duration.ofMinutes(1));
            connecting.get();
            Thread worker = Thread.ofVirtual().start(() -> work(program.memory().segment()));
            show("The program works.", health(monitor), Health.ALIVE);
            worker.interrupt(); // it stops counting, and its connection remains
            worker.join();
            show("The program hangs.", health(monitor), Health.HANGS);
            program.close();
            show("The program is closed.", health(monitor), Health.GONE);
        }
    }

    private static void work(MemorySegment turns) {
        while (!Thread.currentThread().isInterrupted()) {
            turns.set(ValueLayout.JAVA_LONG, 0, turns.get(ValueLayout.JAVA_LONG, 0) + 1);
            Thread.yield();
        }
    }

    private static Health health(RdmaPeer monitor) throws InterruptedException {
        MemorySegment word = monitor.memory().segment();
        try {
            monitor.read(0, Long.BYTES, 0).join();
            long first = word.get(ValueLayout.JAVA_LONG, 0);
            for (int i = 0; i < SUSPICIOUS_READS; i++) {
                Thread.sleep(1);
                monitor.read(0, Long.BYTES, 0).join();
                if (word.get(ValueLayout.JAVA_LONG, 0) != first) {
                    return Health.ALIVE;
                }
            }
            return Health.HANGS;
        } catch (CompletionException | IllegalStateException e) {
            return Health.GONE;
        }
    }

    private static void show(String event, Health found, Health expected) {
        Check.that(found == expected, event + " The monitor found " + found);
        System.out.println(event + " The monitor found: " + found);
    }
}
