package io.verbena.tools.demo;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Latencies;

/**
 * What a stage achieved.
 *
 * @param name for people
 * @param key for programs
 * @param operations work requests that were complete
 * @param bytes bytes moved; 0 where they do not matter
 * @param durationNs from the first post to the last completion
 * @param latencies from the post of a request to its completion
 */
public record StageFigures(String name, String key, long operations, long bytes, long durationNs, Latencies latencies) {

    /** Bytes a second. */
    public double bytesPerSecond() {
        return Figures.rate(bytes, durationNs);
    }

    /** Operations a second. */
    public double operationsPerSecond() {
        return Figures.rate(operations, durationNs);
    }

    /** How much was done: bytes if they matter, else operations. */
    public String amount() {
        return bytes > 0 ? Figures.bytes(bytes) : Figures.count(operations);
    }

    /** How fast: bytes if they matter, else operations. */
    public String rate() {
        return bytes > 0 ? Figures.bytesPerSecond(bytesPerSecond()) : Figures.perSecond(operationsPerSecond());
    }

    /** One line. */
    public String sentence() {
        return amount() + " in " + Figures.seconds(durationNs) + ", " + rate();
    }

    /** All of it. */
    public JsonObject json() {
        return new JsonObject()
                .put("name", key)
                .put("operations", operations)
                .put("bytes", bytes)
                .put("durationNs", durationNs)
                .put("bytesPerSecond", bytesPerSecond())
                .put("operationsPerSecond", operationsPerSecond())
                .put("latencyNs", latencies.json());
    }
}
