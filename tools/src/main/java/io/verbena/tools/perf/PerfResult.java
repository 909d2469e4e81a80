package io.verbena.tools.perf;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Latencies;
import java.util.Locale;
import java.util.Optional;

/**
 * What a run showed.
 *
 * @param op what was measured
 * @param sizeBytes bytes of a message
 * @param messages how many there were
 * @param durationNs how long they took together
 * @param latencies the span of each, if that was measured
 * @param cpuNs processor time of this process
 * @param peerCpuNs processor time of the peer
 * @param inline whether this side's thread did the RNIC's work itself
 */
public record PerfResult(
        PerfOp op,
        int sizeBytes,
        long messages,
        long durationNs,
        Optional<Latencies> latencies,
        long cpuNs,
        long peerCpuNs,
        boolean inline) {

    private static final double[] PERCENTILES = {50, 90, 99, 99.9};

    /** Bytes of messages a second. */
    public double bytesPerSecond() {
        return messagesPerSecond() * sizeBytes;
    }

    /** Messages a second. */
    public double messagesPerSecond() {
        return Figures.rate(messages, durationNs);
    }

    private double perMessage(long ns) {
        return messages == 0 ? 0 : (double) ns / messages;
    }

    /** All figures. */
    public JsonObject json() {
        JsonObject json = new JsonObject()
                .put("op", op.word())
                .put("size", sizeBytes)
                .put("progress", inline ? "INLINE" : "ENGINE_THREAD")
                .put("messages", messages)
                .put("durationNs", durationNs);
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
                        .put("cpuNsPerMessage", perMessage(cpuNs))
                        .put("peerCpuNsPerMessage", perMessage(peerCpuNs)));
        return json;
    }

    /** Head of a table of such results. */
    public static String head(PerfOp op) {
        return op.latency()
                ? row("size", "messages", "min us", "50 %", "90 %", "99 %", "99.9 %", "max us")
                : row("size", "messages", "bandwidth", "messages/s", "CPU ns", "peer's", "", "");
    }

    /** A row of that table. */
    public String row() {
        if (latencies.isEmpty()) {
            return row(
                    Figures.bytes(sizeBytes).replace(".0 ", " "),
                    Figures.count(messages),
                    Figures.bytesPerSecond(bytesPerSecond()),
                    Figures.perSecond(messagesPerSecond()).replace("/s", ""),
                    nanoseconds(perMessage(cpuNs)),
                    nanoseconds(perMessage(peerCpuNs)),
                    "",
                    "");
        }
        Latencies spans = latencies.get();
        String[] cells = new String[8];
        cells[0] = Figures.bytes(sizeBytes).replace(".0 ", " ");
        cells[1] = Figures.count(messages);
        cells[2] = microseconds(spans.minNs());
        for (int i = 0; i < PERCENTILES.length; i++) {
            cells[3 + i] = microseconds(spans.percentileNs(PERCENTILES[i]));
        }
        cells[7] = microseconds(spans.maxNs());
        return row(cells);
    }

    private static String microseconds(long ns) {
        return String.format(Locale.ROOT, ns < 100_000 ? "%.2f" : "%,.0f", ns / 1e3);
    }

    private static String nanoseconds(double ns) {
        return String.format(Locale.ROOT, "%,.0f", ns);
    }

    private static String row(String... cells) {
        return String.format(Locale.ROOT, "  %10s %12s %12s %12s %10s %10s %10s %10s", (Object[]) cells)
                .stripTrailing();
    }
}
