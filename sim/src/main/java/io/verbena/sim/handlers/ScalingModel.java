package io.verbena.sim.handlers;

import io.verbena.notify.HandlerArbiter;
import io.verbena.sim.World;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.ProcessorPolicy;

/**
 * Processors and streams of completions in a {@link World}: the arbiters are real, only the serving time is modelled.
 * Every stream always has its next completion ready, as under unlimited load, so the processors are the bottleneck and
 * the result is their throughput.
 */
public final class ScalingModel {

    /** Streams per processor: enough that none is idle while others have work. */
    public static final int STREAMS_PER_PROCESSOR = 4;

    private static final long EVENTS_A_PROCESSOR = 4_000;

    private final World world = new World(1);
    private final ProcessorCosts costs;
    private final Routing routing;
    private final Processor[] processors;
    private long handled;

    private ScalingModel(ProcessorCosts costs, Routing routing, int processors) {
        this.costs = costs;
        this.routing = routing;
        this.processors = new Processor[processors];
        for (int i = 0; i < processors; i++) {
            this.processors[i] = new Processor();
        }
    }

    /** Events per second that this many processors handle. */
    public static double eventsPerSecond(ProcessorCosts costs, Routing routing, int processors) {
        return new ScalingModel(costs, routing, processors).run();
    }

    private double run() {
        for (int i = 0; i < STREAMS_PER_PROCESSOR * processors.length; i++) {
            new Stream(i % processors.length).begin();
        }
        long wanted = EVENTS_A_PROCESSOR * processors.length;
        long startNs = world.elapsedNs();
        if (!world.runUntil(() -> handled >= wanted, Long.MAX_VALUE / 4)) {
            throw new IllegalStateException("the processors stopped");
        }
        return handled * 1e9 / (world.elapsedNs() - startNs);
    }

    /** A virtual processor: serves what its arbiter selects, and is busy for the corresponding time. */
    private final class Processor {
        private final HandlerArbiter arbiter =
                new HandlerArbiter("virtual", ProcessorPolicy.defaults(), this::wake, e -> world.fail(e.toString()));
        private boolean busy;
        private double aheadNs;

        /** A signal arrived; a busy processor checks when it has finished. */
        void wake() {
            if (!busy) {
                busy = true;
                world.after(0, this::next);
            }
        }

        void spend(double ns) {
            aheadNs += ns;
        }

        private void next() {
            if (arbiter.run(1, () -> world.nowNs() + (long) aheadNs) == 0) {
                busy = false;
                return;
            }
            long wholeNs = (long) aheadNs; // the fraction is kept for later
            aheadNs -= wholeNs;
            world.after(wholeNs, this::next);
        }
    }

    /** Completions of one CQ, one after the other. */
    private final class Stream implements EventSource {
        private final EventAddress[] addresses = new EventAddress[processors.length];
        private int at;
        private int lastAt;

        Stream(int home) {
            at = routing == Routing.ONE_HANDLER ? 0 : home;
            lastAt = at;
            for (int i = 0; i < processors.length; i++) {
                if (routing == Routing.WANDERING || i == at) {
                    addresses[i] =
                            processors[i].arbiter.attach(new CqHandlerId(i + 1), HandlerOptions.defaults(), this);
                }
            }
        }

        void begin() {
            addresses[at].signal();
        }

        @Override
        public boolean serve() {
            int here = at;
            Processor processor = processors[here];
            processor.spend(costs.costNs(here != lastAt));
            lastAt = here;
            handled++;
            if (routing == Routing.WANDERING && processors.length > 1) {
                at = (at + 1) % processors.length;
                // The next completion is available when this one is finished.
                EventAddress next = addresses[at];
                world.after((long) costs.costNs(false), next::signal);
                return false;
            }
            return true;
        }

        @Override
        public void abandon() {}
    }
}
