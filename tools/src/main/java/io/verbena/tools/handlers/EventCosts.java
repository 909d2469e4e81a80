package io.verbena.tools.handlers;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/** What the parts of an event cost on this machine: its work, and a cache line that another processor has written. */
final class EventCosts {

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int WORK_LOOPS = 200_000;
    private static final int LINE_ROUNDS = 100;
    private static final int LINE_RUNS = 2_000;
    private static final int LOOKS_BEFORE_YIELD = 10_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private EventCosts() {}

    /** Nanoseconds of the work that an event does. */
    static double workNs() {
        EventWork work = new EventWork();
        long startNs = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < WORK_LOOPS; i++) {
            work.run();
        }
        return (THREADS.getCurrentThreadCpuTime() - startNs) / (double) WORK_LOOPS;
    }

    /**
     * Nanoseconds to fetch a line that another processor has written: two threads pass a block of lines back and forth. Of
     * many short runs one of the fastest counts, because both threads must be on a core all the time. If they share a core, or
     * other threads need it, a run takes long; the number of runs is limited by time.
     *
     * @param longestNs time of the measurement
     */
    static double lineNs(long longestNs) throws InterruptedException {
        Line line = new Line(System.nanoTime() + longestNs);
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            long turn = 1;
            while (line.handOver(turn)) {
                turn += 2;
            }
        });
        long[] runsNs = new long[LINE_RUNS];
        long beganNs = System.nanoTime();
        int runs = 0;
        long turn = 0;
        long startNs = beganNs;
        while (runs < LINE_RUNS && line.handOver(turn)) {
            turn += 2;
            if (turn % (2 * LINE_ROUNDS) == 0) {
                long nowNs = System.nanoTime();
                runsNs[runs++] = nowNs - startNs;
                startNs = nowNs;
            }
        }
        line.over = true;
        other.join();
        if (runs == 0) {
            return (System.nanoTime() - beganNs) / ((turn + 1.0) * (EventWork.TOUCHED_LINES + 1));
        }
        Arrays.sort(runsNs, 0, runs);
        return runsNs[runs / 10] / (2.0 * LINE_ROUNDS * (EventWork.TOUCHED_LINES + 1));
    }

    /** A block of lines that two threads hand to and fro. */
    private static final class Line {
        private static final int TURN = (EventWork.TOUCHED_LINES + 1) * EventWork.LONGS_A_LINE;

        private final long[] lines = new long[(EventWork.TOUCHED_LINES + 3) * EventWork.LONGS_A_LINE];
        private final long deadlineNs;
        private volatile boolean over;

        Line(long deadlineNs) {
            this.deadlineNs = deadlineNs;
        }

        /** Waits for this turn, and passes the lines on; false when it is over first. */
        @SuppressWarnings("ThreadPriorityCheck") // a courtesy: nothing depends on it
        boolean handOver(long turn) {
            for (int looks = 1; (long) LONGS.getAcquire(lines, TURN) != turn; looks++) {
                if (looks % LOOKS_BEFORE_YIELD != 0) {
                    Thread.onSpinWait();
                    continue;
                }
                over |= System.nanoTime() - deadlineNs > 0;
                if (over) {
                    return false;
                }
                Thread.yield(); // the other one may want this core
            }
            EventWork.touch(lines);
            LONGS.setRelease(lines, TURN, turn + 1);
            return true;
        }
    }
}
