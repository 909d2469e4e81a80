package io.verbena.tools.handlers;

import io.verbena.sim.handlers.Routing;
import io.verbena.sim.handlers.ScalingModel;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/** The load of {@link ScalingModel} on real handler processors, and what its parts cost here. */
final class RealProcessors {

    /** Cache lines that a stream's events work on: these, and two of its checksum. */
    static final int OWN_LINES = 10;

    private static final int TOUCHED_LINES = 8;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int LONGS_A_LINE = 8;

    /** Those of all streams of both processors fit into the first cache of one. */
    private static final int WORK_BYTES = 2048;

    private static final int WORK_LOOPS = 200_000;
    private static final int LINE_ROUNDS = 100;
    private static final int LINE_RUNS = 2_000;
    private static final int LOOKS_BEFORE_YIELD = 10_000;
    private static final Duration LINE_TIME = Duration.ofSeconds(2);

    /** A measurement lasts until the processors had this part of its time on their cores, or until patience ends. */
    private static final int LEAST_SHARE = 10;

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final List<Integer> cores;
    private final StopSignal stop;

    RealProcessors(List<Integer> cores, StopSignal stop) {
        this.cores = cores;
        this.stop = stop;
    }

    /**
     * Events per second of processor time, times the number of processors: what they handle if no other thread uses their
     * cores. Time in which the system runs other threads on a core does not count.
     */
    double eventsPerSecond(Routing routing, int count, boolean withWork, Duration time) throws Failure {
        List<HandlerProcessor> processors = new ArrayList<>();
        List<Stream> streams = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                Set<Integer> mine = cores.isEmpty() ? Set.of() : Set.of(cores.get(i % cores.size()));
                processors.add(HandlerProcessor.open(
                        ProcessorOptions.thread("verbena-scaling-" + i).withCores(mine)));
            }
            List<Long> threads = processors.stream().map(this::threadOf).toList();
            int used = routing == Routing.ONE_HANDLER ? 1 : count;
            for (int i = 0; i < count * ScalingModel.STREAMS_PER_PROCESSOR; i++) {
                streams.add(new Stream(routing, processors, i % count, withWork));
            }
            streams.forEach(Stream::begin);
            pause(time.dividedBy(4));
            long before = total(streams);
            long cpuBeforeNs = cpuNs(threads);
            long beganNs = System.nanoTime();
            long handled = 0;
            long cpuNs = 0;
            // On a busy machine the processors may not have run at all in this time.
            while (handled == 0 || cpuNs < time.toNanos() / LEAST_SHARE) {
                if (System.nanoTime() - beganNs > PATIENCE.toNanos()) {
                    throw new Failure("The machine is too busy: the handler processors had " + cpuNs / 1_000_000
                            + " ms of processor time in " + PATIENCE.toSeconds() + " s. Run the command again later.");
                }
                pause(time);
                handled = total(streams) - before;
                cpuNs = cpuNs(threads) - cpuBeforeNs;
            }
            return handled * 1e9 / Math.max(1, cpuNs) * used;
        } finally {
            streams.forEach(Stream::end);
            processors.forEach(HandlerProcessor::close);
        }
    }

    private long threadOf(HandlerProcessor processor) {
        AtomicLong id = new AtomicLong(-1);
        processor.signal(CqHandlerId.NONE, () -> id.set(Thread.currentThread().threadId()));
        while (id.get() < 0) {
            pause(Duration.ofNanos(100_000));
        }
        return id.get();
    }

    private static long cpuNs(List<Long> threads) {
        return threads.stream().mapToLong(THREADS::getThreadCpuTime).sum();
    }

    private void pause(Duration time) {
        long startNs = System.nanoTime();
        for (long leftNs = time.toNanos(); leftNs > 0; leftNs = time.toNanos() - (System.nanoTime() - startNs)) {
            stop.check();
            LockSupport.parkNanos(leftNs);
        }
    }

    private static long total(List<Stream> streams) {
        return streams.stream().mapToLong(Stream::handled).sum();
    }

    /** Nanoseconds of the work that an event does. */
    static double workNs() {
        Work work = new Work();
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
     */
    double lineNs() throws InterruptedException {
        Line line = new Line(System.nanoTime() + LINE_TIME.toNanos());
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            long mine = 1;
            while (line.handOver(mine)) {
                mine += 2;
            }
        });
        long[] runsNs = new long[LINE_RUNS];
        long beganNs = System.nanoTime();
        int runs = 0;
        long mine = 0;
        long startNs = beganNs;
        while (runs < LINE_RUNS && line.handOver(mine)) {
            mine += 2;
            if (mine % (2 * LINE_ROUNDS) == 0) {
                long nowNs = System.nanoTime();
                runsNs[runs++] = nowNs - startNs;
                startNs = nowNs;
            }
        }
        line.over = true;
        other.join();
        if (runs == 0) {
            return (System.nanoTime() - beganNs) / ((mine + 1.0) * (TOUCHED_LINES + 1));
        }
        Arrays.sort(runsNs, 0, runs);
        return runsNs[runs / 10] / (2.0 * LINE_ROUNDS * (TOUCHED_LINES + 1));
    }

    /** A block of lines that two threads hand to and fro. */
    private static final class Line {
        private static final int TURN = (TOUCHED_LINES + 1) * LONGS_A_LINE;

        private final long[] lines = new long[(TOUCHED_LINES + 3) * LONGS_A_LINE];
        private final long deadlineNs;
        private volatile boolean over;

        Line(long deadlineNs) {
            this.deadlineNs = deadlineNs;
        }

        /** Waits for this turn, and passes the lines on; false when it is over first. */
        @SuppressWarnings("ThreadPriorityCheck") // a courtesy: nothing depends on it
        boolean handOver(long mine) {
            for (int looks = 1; (long) LONGS.getAcquire(lines, TURN) != mine; looks++) {
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
            touch(lines);
            LONGS.setRelease(lines, TURN, mine + 1);
            return true;
        }
    }

    private static void touch(long[] lines) {
        for (int line = 1; line <= TOUCHED_LINES; line++) {
            lines[line * LONGS_A_LINE]++;
        }
    }

    /** A checksum over memory of its own. */
    private static final class Work {
        private final CRC32C crc = new CRC32C();
        private final byte[] bytes = new byte[WORK_BYTES];

        void run() {
            crc.update(bytes, 0, WORK_BYTES);
            bytes[0] = (byte) crc.getValue();
        }
    }

    /** Completions of one CQ, one after the other. */
    private static final class Stream implements EventSource {
        private final Work work = new Work();
        private final boolean withWork;
        private final boolean wanders;
        private final EventAddress[] addresses;
        private int at;

        /** What was handled, for who measures; a line before and one behind keep others away. */
        private final long[] handled = new long[3 * LONGS_A_LINE];

        private long count;

        private final long[] lines = new long[(TOUCHED_LINES + 2) * LONGS_A_LINE];

        private volatile boolean ended;

        Stream(Routing routing, List<HandlerProcessor> processors, int home, boolean withWork) {
            this.withWork = withWork;
            wanders = routing == Routing.WANDERING && processors.size() > 1;
            at = routing == Routing.ONE_HANDLER ? 0 : home;
            addresses = new EventAddress[processors.size()];
            for (int i = 0; i < addresses.length; i++) {
                if (wanders || i == at) {
                    addresses[i] = processors
                            .get(i)
                            .attach(new CqHandlerId(i + 1), HandlerOptions.defaults(), this)
                            .orElseThrow();
                }
            }
        }

        void begin() {
            addresses[at].signal();
        }

        void end() {
            ended = true;
        }

        long handled() {
            return (long) LONGS.getOpaque(handled, LONGS_A_LINE);
        }

        @Override
        public boolean serve() {
            if (ended) {
                return false;
            }
            LONGS.setOpaque(handled, LONGS_A_LINE, ++count);
            if (withWork) {
                touch(lines);
                work.run();
            }
            if (!wanders) {
                return true;
            }
            at = (at + 1) % addresses.length;
            wander(addresses[at]);
            return false;
        }

        private void wander(EventAddress next) {
            try {
                next.signal();
            } catch (IllegalStateException e) {
                if (!ended) {
                    throw e;
                }
                // Its processor was closed since this one looked: the stream ends here.
            }
        }

        @Override
        public void abandon() {}
    }
}
