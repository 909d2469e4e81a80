package io.verbena.bench;

import io.verbena.base.Times;
import io.verbena.bench.endpoint.Loopback;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;

/**
 * What the first messages of a new JVM cost: processor time of the thread that drives both ends of a connection, per
 * Write of 8 bytes, up to the message
 * with a number, and that of the whole process with its compilers. It hardly depends on what else the machine does.
 * Run:
 * {@code bench/launch io.verbena.bench.ColdMessages [PROVIDER]}
 */
public final class ColdMessages {

    private static final int[] UP_TO = {100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000};

    private ColdMessages() {}

    public static void main(String[] arguments) throws IOException {
        String provider = arguments.length > 0 ? arguments[0] : "shm";
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try (Loopback pair = new Loopback(provider, false, false)) {
            long beginNs = threads.getCurrentThreadCpuTime();
            long beforeNs = beginNs;
            int done = 0;
            for (int upTo : UP_TO) {
                int count = upTo - done;
                for (; done < upTo; done++) {
                    pair.writeUntilSeen();
                }
                long nowNs = threads.getCurrentThreadCpuTime();
                System.out.printf(
                        Locale.ROOT, "up to message %6d: %7.2f us each%n", upTo, (nowNs - beforeNs) / 1e3 / count);
                beforeNs = nowNs;
            }
            long processNs = Times.nanos(
                    ProcessHandle.current().info().totalCpuDuration().orElseThrow());
            System.out.printf(
                    Locale.ROOT,
                    "all: %.0f ms of the thread, %.0f ms of the process%n",
                    (beforeNs - beginNs) / 1e6,
                    processNs / 1e6);
        }
    }
}
