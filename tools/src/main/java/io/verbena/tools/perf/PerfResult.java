package io.verbena.tools.perf;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Latencies;
import io.verbena.tools.text.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The result of one measurement.
 *
 * @param op the operation
 * @param sizeBytes message size
 * @param moved the messages and their time
 * @param latencies the latency of each message; empty for a bandwidth
 * @param cpu processor time of both sides
 * @param inline whether the RNIC of this side had INLINE progress
 */
public record PerfResult(
        PerfOp op, int sizeBytes, Moved moved, Optional<Latencies> latencies, Cpu cpu, boolean inline) {

    /**
     * Messages and their time.
     *
     * @param messages number of messages
     * @param durationNs total time
     */
    public record Moved(long messages, long durationNs) {}

    /**
     * Processor time.
     *
     * @param cpuNs processor time of this process
     * @param peerCpuNs processor time of the peer
     * @param compilerNs time that the compiler of Java has worked meanwhile, in the process in which it has worked longer
     */
    public record Cpu(long cpuNs, long peerCpuNs, long compilerNs) {}

    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    // Both tables fit 80 columns.
    private static final Table LATENCY = new Table(
            new Table.Column("size", 9),
            new Table.Column("messages", 11),
            new Table.Column("min µs", 8),
            new Table.Column("50 %", 8),
            new Table.Column("90 %", 8),
            new Table.Column("99 %", 8),
            new Table.Column("99.9 %", 8),
            new Table.Column("max µs", 8));
    private static final Table BANDWIDTH = new Table(
            new Table.Column("size", 9),
            new Table.Column("messages", 11),
            new Table.Column("bandwidth", 11),
            new Table.Column("messages/s", 12),
            new Table.Column("CPU ns", 10),
            new Table.Column("peer CPU ns", 11));

    /** Bytes per second. */
    public double bytesPerSecond() {
        return messagesPerSecond() * sizeBytes;
    }

    /** Messages per second. */
    public double messagesPerSecond() {
        return Figures.rate(moved.messages(), moved.durationNs());
    }

    private double perMessage(long ns) {
        return moved.messages() == 0 ? 0 : (double) ns / moved.messages();
    }

    /** All figures, as JSON. */
    public JsonObject json() {
        JsonObject json = new JsonObject()
                .put("op", op.word())
                .put("size", sizeBytes)
                .put("progress", inline ? "INLINE" : "ENGINE_THREAD")
                .put("messages", moved.messages())
                .put("durationNs", moved.durationNs());
        latencies.ifPresentOrElse(
                spans -> json.put(
                        "latencyNs",
                        new JsonObject()
                                .put("min", spans.minNs())
                                .put("p50", spans.percentileNs(50))
                                .put("p90", spans.percentileNs(90))
                                .put("p99", spans.percentileNs(99))
                                .put("p999", spans.percentileNs(99.9))
                                .put("max", spans.maxNs())),
                () -> json.put("bytesPerSecond", bytesPerSecond())
                        .put("messagesPerSecond", messagesPerSecond())
                        .put("cpuNsPerMessage", perMessage(cpu.cpuNs()))
                        .put("peerCpuNsPerMessage", perMessage(cpu.peerCpuNs())));
        return json;
    }

    /** The table of such results. */
    public static Table table(PerfOp op) {
        return op.latency() ? LATENCY : BANDWIDTH;
    }

    /** A row of that table. */
    public List<String> cells() {
        String size = Figures.bytes(sizeBytes).replace(".0 ", " ");
        if (latencies.isEmpty()) {
            return List.of(
                    size,
                    Figures.count(moved.messages()),
                    Figures.bytesPerSecond(bytesPerSecond()),
                    Figures.perSecond(messagesPerSecond()).replace("/s", ""),
                    nanoseconds(perMessage(cpu.cpuNs())),
                    nanoseconds(perMessage(cpu.peerCpuNs())));
        }
        Latencies spans = latencies.get();
        List<String> cells =
                new ArrayList<>(List.of(size, Figures.count(moved.messages()), microseconds(spans.minNs())));
        for (double percentile : PERCENTILES) {
            cells.add(microseconds(spans.percentileNs(percentile)));
        }
        cells.add(microseconds(spans.maxNs()));
        return cells;
    }

    /** The most important figure: the median latency, or the bandwidth and the rate of messages. */
    String summary() {
        return latencies
                .map(it -> microseconds(it.percentileNs(50)) + " µs (50 %), " + microseconds(it.percentileNs(99))
                        + " µs (99 %)")
                .orElseGet(
                        () -> Figures.bytesPerSecond(bytesPerSecond()) + ", " + Figures.perSecond(messagesPerSecond()));
    }

    private static String microseconds(long ns) {
        return String.format(Locale.ROOT, ns < 100_000 ? "%.2f" : "%,.0f", ns / 1e3);
    }

    private static String nanoseconds(double ns) {
        return String.format(Locale.ROOT, "%,.0f", ns);
    }
}
