package io.verbena.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.side.peer.Peer;
import io.verbena.tools.text.Latencies;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Locale;

/**
 * How much the latencies of single messages of 8 bytes differ, and how much of that is the machine: two threads that
 * poll exchange Writes, Sends, and the contents of two cache lines in turns, in one run. Half of each round trip, and
 * the part of them within twice the median. Run: {@code bench/launch io.verbena.bench.LatencySpread [PROVIDER [SECONDS
 * [DIRECT]]]}
 */
public final class LatencySpread {

    private static final VarHandle WORD = JAVA_LONG.varHandle();
    private static final int BYTES = 8;
    private static final int IN = 128;
    private static final int DEPTH = 64;
    private static final long SLICE_NS = 500_000_000;
    private static final int CHECK_EACH = 64;
    private static final long END = -1;

    /** Seconds that are not counted: those of the compilers. */
    private static final int WARM_UP = 6;

    /** A way of the word from one side to the other. */
    private interface Side {
        void send(long value);

        /** Waits for the next number of the peer. */
        long await();
    }

    /** A way in both directions, and what it took. */
    private record Lane(String name, Side here, Side there, Latencies spans) {}

    private LatencySpread() {}

    public static void main(String[] arguments) throws Exception {
        String provider = arguments.length > 0 ? arguments[0] : "shm";
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 6;
        boolean direct = arguments.length > 2 && Boolean.parseBoolean(arguments[2]);
        RnicOptions options = RnicOptions.defaults()
                .withProvider(provider)
                .withProgress(Progress.INLINE)
                .withIwarp(iwarp -> iwarp.withDirect(direct));
        try (Endpoint here = new Endpoint(options, 1 << 16, DEPTH);
                Endpoint there = new Endpoint(options, 1 << 16, DEPTH)) {
            Endpoint.connect(here, there);
            here.queuePair.postReceive(1, here.region, IN, BYTES);
            there.queuePair.postReceive(1, there.region, IN, BYTES);
            MemorySegment lines = Arena.global().allocate(4 * IN, IN);
            Lane[] lanes = {
                new Lane("two cache lines", new Lines(lines, 0), new Lines(lines, 2 * IN), new Latencies()),
                new Lane("write_lat", new Writes(here, there), new Writes(there, here), new Latencies()),
                new Lane("send_lat", new Sends(here), new Sends(there), new Latencies())
            };
            run(lanes, there, WARM_UP);
            for (Lane lane : lanes) {
                lane.spans.clear();
            }
            run(lanes, there, seconds);
            for (Lane lane : lanes) {
                print(lane.name, lane.spans);
            }
            there.rnic.adopt();
        }
    }

    private static void run(Lane[] lanes, Endpoint there, int seconds) throws Exception {
        long beginNs = System.nanoTime();
        for (int turn = 0; turn % lanes.length != 0 || System.nanoTime() - beginNs < seconds * 1_000_000_000L; turn++) {
            slice(lanes[turn % lanes.length], there);
        }
    }

    private static void slice(Lane lane, Endpoint there) throws Exception {
        Peer echo = Peer.start(() -> {
            there.rnic.adopt();
            long value;
            do {
                value = lane.there.await();
                lane.there.send(value);
            } while (value != END);
        });
        long beginNs = System.nanoTime();
        long beforeNs = beginNs;
        for (long value = 1; value % CHECK_EACH != 0 || beforeNs - beginNs < SLICE_NS; value++) {
            lane.here.send(value);
            lane.here.await();
            long nowNs = System.nanoTime();
            lane.spans.record((nowNs - beforeNs) / 2);
            beforeNs = nowNs;
        }
        lane.here.send(END);
        lane.here.await();
        echo.join();
    }

    private static void print(String name, Latencies spans) {
        System.out.printf(
                Locale.ROOT,
                "%-16s %9d round trips, half of one %5d ns in the middle, %5d at 90 %%, %6d at 99 %%, %6d at 99.9 %%; within twice the median %6.2f %%%n",
                name,
                spans.count(),
                spans.medianNs(),
                spans.percentileNs(90),
                spans.percentileNs(99),
                spans.percentileNs(99.9),
                spans.percentWithin(2 * spans.medianNs()));
    }

    /** A cache line for each direction, without a library. */
    private static final class Lines implements Side {
        private final MemorySegment memory;
        private final long out;
        private final long in;
        private long seen;

        Lines(MemorySegment memory, long out) {
            this.memory = memory;
            this.out = out;
            in = 2 * IN - out;
        }

        @Override
        public void send(long value) {
            WORD.setRelease(memory, out, value);
        }

        @Override
        public long await() {
            long now;
            do {
                now = (long) WORD.getAcquire(memory, in);
            } while (now == seen);
            seen = now;
            return now;
        }
    }

    private static final class Writes implements Side {
        private final Endpoint from;
        private final long address;
        private final int key;
        private long seen;

        Writes(Endpoint from, Endpoint to) {
            this.from = from;
            address = to.region.address() + IN;
            key = to.region.rkey();
        }

        @Override
        public void send(long value) {
            from.region.segment().set(JAVA_LONG, 0, value);
            while (!from.queuePair.postWrite(1, from.region, 0, BYTES, address, key, WrFlags.UNSIGNALLED)) {
                from.rnic.progress();
            }
        }

        @Override
        public long await() {
            long now;
            while ((now = (long) WORD.getAcquire(from.region.segment(), (long) IN)) == seen) {
                from.rnic.progress();
            }
            seen = now;
            return now;
        }
    }

    private static final class Sends implements Side {
        private final Endpoint end;

        Sends(Endpoint end) {
            this.end = end;
        }

        @Override
        public void send(long value) {
            end.region.segment().set(JAVA_LONG, 0, value);
            while (!end.queuePair.postSend(2, end.region, 0, BYTES, WrFlags.UNSIGNALLED)) {
                end.rnic.progress();
            }
        }

        @Override
        public long await() {
            while (end.poll() == 0) {
                Thread.onSpinWait();
            }
            long now = end.region.segment().get(JAVA_LONG, IN);
            end.queuePair.postReceive(1, end.region, IN, BYTES);
            return now;
        }
    }
}
