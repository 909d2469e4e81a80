package io.verbena.bench.profile;

import io.verbena.bench.side.Workloads;
import io.verbena.bench.side.peer.Contestant;
import io.verbena.verbs.Progress;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;

/**
 * The main class of a profile's JVM: runs Writes of one size in one mode, first unseen until they are warm, then recorded.
 * Prints {@code NAME VALUE} lines that {@link Budget} reads.
 */
public final class Workload {

    private static final long RUN_NS = 200_000_000;
    private static final Duration SAMPLE_EACH = Duration.ofMillis(1);
    private static final Duration SAMPLE_EACH_WALL = Duration.ofMillis(10);

    private Workload() {}

    /** Arguments: bytes of a message, mode of progress, seconds, bytes of a socket buffer, file for the recording. */
    public static void main(String[] arguments) throws Exception {
        int bytes = Integer.parseInt(arguments[0]);
        Progress progress = Progress.valueOf(arguments[1]);
        long lengthNs = (long) (Double.parseDouble(arguments[2]) * 1e9);
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        try (Contestant writes = Workloads.writes(bytes, progress, Integer.parseInt(arguments[3]));
                Recording recording = recording()) {
            long messages = warm(writes, lengthNs);
            long[] calls = systemCalls();
            long cpuNs = cpuNs();
            recording.start();
            long beginNs = System.nanoTime();
            long total = 0;
            while (System.nanoTime() - beginNs < lengthNs) {
                writes.run(messages);
                total += messages;
            }
            long ns = System.nanoTime() - beginNs;
            recording.stop();
            long cpu = cpuNs() - cpuNs;
            long[] after = systemCalls();
            recording.dump(Path.of(arguments[4]));
            // A ping-pong is two messages.
            long each = bytes <= Long.BYTES ? 2 : 1;
            out.println("messages " + total * each);
            out.println("ns " + ns);
            out.println("cpuNs " + cpu);
            out.println("reads " + (after[0] - calls[0]));
            out.println("writes " + (after[1] - calls[1]));
        }
        System.exit(0);
    }

    /** Runs until so much time has passed; returns how many messages make a run. */
    private static long warm(Contestant writes, long lengthNs) throws Exception {
        long messages = 16;
        long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < lengthNs) {
            long ns = Math.max(1, writes.run(messages));
            messages = Math.clamp((long) ((double) messages * RUN_NS / ns), 1, 16 * messages);
        }
        return messages;
    }

    private static Recording recording() {
        Recording recording = new Recording();
        boolean byCpu = FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .anyMatch(type -> type.getName().equals(Stacks.BY_CPU_TIME));
        if (byCpu) {
            recording.enable(Stacks.BY_CPU_TIME).with("throttle", SAMPLE_EACH.toMillis() + "ms");
        }
        recording.enable(Stacks.IN_JAVA).withPeriod(SAMPLE_EACH_WALL);
        recording.enable(Stacks.IN_NATIVE).withPeriod(SAMPLE_EACH_WALL);
        return recording;
    }

    private static long cpuNs() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    /** Calls of read and write (readv and writev too) by this process, as Linux counts them; zeros elsewhere. */
    private static long[] systemCalls() {
        long[] calls = new long[2];
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
                if (line.startsWith("syscr:")) {
                    calls[0] = Long.parseLong(line.substring("syscr:".length()).strip());
                } else if (line.startsWith("syscw:")) {
                    calls[1] = Long.parseLong(line.substring("syscw:".length()).strip());
                }
            }
        } catch (IOException e) {
            return calls; // no such file: another system
        }
        return calls;
    }
}
