package io.verbena.tools.handlers;

import io.verbena.base.Times;
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
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The load of {@link ScalingModel} on real handler processors. */
final class RealProcessors {

    /** Cache lines that a stream's events work on: these, and two of its checksum. */
    static final int OWN_LINES = 10;

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

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
                Set<Integer> own = cores.isEmpty() ? Set.of() : Set.of(cores.get(i % cores.size()));
                processors.add(HandlerProcessor.open(
                        ProcessorOptions.thread("verbena-scaling-" + i).withCores(own)));
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
            while (handled == 0 || cpuNs < Times.nanos(time) / LEAST_SHARE) {
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
        for (long leftNs = Times.nanos(time); leftNs > 0; leftNs = Times.nanos(time) - (System.nanoTime() - startNs)) {
            stop.check();
            LockSupport.parkNanos(leftNs);
        }
    }

    private static long total(List<Stream> streams) {
        return streams.stream().mapToLong(Stream::handled).sum();
    }

    /** Completions of one CQ, one after the other. */
    private static final class Stream implements EventSource {
        private final EventWork work = new EventWork();
        private final boolean withWork;
        private final boolean wanders;
        private final EventAddress[] addresses;
        private int at;

        /** What was handled, for who measures; a line before and one behind keep others away. */
        private final long[] handled = new long[3 * EventWork.LONGS_A_LINE];

        private long count;

        private final long[] lines = new long[(EventWork.TOUCHED_LINES + 2) * EventWork.LONGS_A_LINE];

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
            return (long) LONGS.getOpaque(handled, EventWork.LONGS_A_LINE);
        }

        @Override
        public boolean serve() {
            if (ended) {
                return false;
            }
            LONGS.setOpaque(handled, EventWork.LONGS_A_LINE, ++count);
            if (withWork) {
                EventWork.touch(lines);
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
