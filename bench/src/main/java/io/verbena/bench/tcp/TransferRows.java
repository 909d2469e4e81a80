package io.verbena.bench.tcp;

import io.verbena.bench.tcp.Table.Bound;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The TCP of the library over a TUN device with sockets of the system at the other end, beside two such sockets over veth. */
final class TransferRows {

    private static final int PORT = 9001;
    private static final int SEGMENTS_OUT = 100_000;
    private static final int SEGMENTS_IN = 200_000;
    private static final int ROUNDS = 20_000;

    private final Table table;
    private final int pairs;
    private final long milliseconds;
    private final Consumer<String> progress;

    TransferRows(Table table, int pairs, long milliseconds, Consumer<String> progress) {
        this.table = table;
        this.pairs = pairs;
        this.milliseconds = milliseconds;
        this.progress = progress;
    }

    void run(Programs programs) throws Exception {
        programs.kernelPeer(true, Wires.FAR, PORT);
        programs.kernelPeer(false, Wires.FIRST_SYSTEM, PORT);
        rows();
        TcpLink kernel = new KernelLink(Wires.far(PORT));
        try (EngineLink engine = new EngineLink(Wires.FIRST, Wires.system(PORT), true)) {
            kernel.out(milliseconds);
            engine.out(milliseconds);
            kernel.in(milliseconds);
            engine.in(milliseconds);
            for (int pair = 0; pair < pairs; pair++) {
                progress.accept("TCP alone, pair " + (pair + 1));
                table.sample("kernel out", kernel.out(milliseconds) / 1e9);
                table.sample("engine out", engine.out(milliseconds) / 1e9);
                table.sample("kernel in", kernel.in(milliseconds) / 1e9);
                table.sample("engine in", engine.in(milliseconds) / 1e9);
                table.sample("kernel latency", kernel.halfRoundTripUs(ROUNDS));
                table.sample("engine latency", engine.halfRoundTripUs(ROUNDS));
            }
        }
        try (EngineLink small = new EngineLink(Wires.FIRST, Wires.system(PORT), false)) {
            small.out(milliseconds);
            small.in(milliseconds);
            for (int pair = 0; pair < pairs; pair++) {
                progress.accept("single packets, run " + (pair + 1));
                countSegments(small, true);
                countSegments(small, false);
            }
        }
    }

    private void countSegments(EngineLink link, boolean out) throws Exception {
        // In the middle of a transfer, so that what a connection needs at its begin is not counted.
        CompletableFuture<Void> transfer = CompletableFuture.runAsync(() -> transfer(link, out));
        Thread.sleep(milliseconds / 4);
        EngineLink.Counts before = link.counts();
        Thread.sleep(milliseconds / 2);
        EngineLink.Counts after = link.counts();
        transfer.get(1, TimeUnit.MINUTES);
        double seconds = (after.atNs() - before.atNs()) / 1e9;
        long segments = out ? after.segmentsOut() - before.segmentsOut() : after.segmentsIn() - before.segmentsIn();
        String direction = out ? "out" : "in";
        table.sample("segments " + direction, segments / seconds);
        long allocated = after.allocatedBytes() - before.allocatedBytes();
        table.sample("allocated " + direction, (double) allocated / Math.max(1, segments));
    }

    private void transfer(EngineLink link, boolean out) {
        try {
            if (out) {
                link.out(milliseconds);
            } else {
                link.in(milliseconds);
            }
        } catch (Exception e) {
            throw new IllegalStateException("a transfer of single packets failed", e);
        }
    }

    private void rows() {
        table.row("TCP over TUN to the system", "GB/s", "engine out", "kernel out", Bound.AT_LEAST, 0.5);
        table.row("TCP over TUN from the system", "GB/s", "engine in", "kernel in", Bound.AT_LEAST, 0.5);
        table.row("TCP over TUN, 8 B, half a round trip", "us", "engine latency", "kernel latency", Bound.AT_MOST, 1);
        table.row("single packets out", "segments/s", "segments out", "", Bound.AT_LEAST, SEGMENTS_OUT);
        table.row("single packets in", "segments/s", "segments in", "", Bound.AT_LEAST, SEGMENTS_IN);
        table.row("allocated, single packets out", "B/segment", "allocated out", "", Bound.AT_MOST, 0.1);
        table.row("allocated, single packets in", "B/segment", "allocated in", "", Bound.AT_MOST, 0.1);
    }
}
