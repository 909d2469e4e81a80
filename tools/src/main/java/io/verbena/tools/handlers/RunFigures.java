package io.verbena.tools.handlers;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Latencies;
import io.verbena.verbs.HandlerFigures;
import java.util.List;
import java.util.Locale;

/**
 * What one arrangement came to.
 *
 * @param arrangement how the consumers got their handlers
 * @param messages figures of the messaging consumer's CQ
 * @param storage figures of the storage consumer's CQs, the one with the longest 99th percentile
 * @param ages from sending a message to handling it
 * @param blocks disk writes done
 * @param wallNs time that took
 * @param notes what a person should know, such as a processor that could not be bound
 */
public record RunFigures(
        Arrangement arrangement,
        HandlerFigures messages,
        HandlerFigures storage,
        Latencies ages,
        long blocks,
        long wallNs,
        List<String> notes) {

    private static final String ROW = "  %-10s %9s %14s %10s %10s %10s %12s%n";

    /** A table for people. */
    public String table() {
        StringBuilder out = new StringBuilder();
        out.append("With ").append(arrangement.words()).append(":\n");
        out.append(String.format(
                Locale.ROOT,
                ROW,
                "consumer",
                "events",
                "completions/ev",
                "50 % us",
                "99 % us",
                "max us",
                "in handler us"));
        row(out, "messages", messages);
        row(out, "storage", storage);
        out.append(String.format(
                Locale.ROOT,
                "  %s disk writes/s of 64 KiB (%s); 99 %% of the messages were handled within %s us after they were sent%n",
                Figures.count(Math.round(Figures.rate(blocks, wallNs))),
                Figures.bytesPerSecond(Figures.rate(blocks * HandlersSettings.BLOCK_BYTES, wallNs)),
                Figures.microseconds(ages.p99Ns())));
        notes.forEach(note -> out.append("  ").append(note).append('\n'));
        return out.toString();
    }

    private static void row(StringBuilder out, String name, HandlerFigures figures) {
        out.append(String.format(
                Locale.ROOT,
                ROW,
                name,
                Figures.count(figures.events()),
                String.format(Locale.ROOT, "%.1f", figures.completionsPerEvent()),
                Figures.microseconds(figures.toHandlerMedianNs()),
                Figures.microseconds(figures.toHandlerP99Ns()),
                Figures.microseconds(figures.toHandlerMaxNs()),
                Figures.microseconds(figures.inHandlerNs() / Math.max(1, figures.events()))));
    }

    /** The same for programs. */
    public JsonObject json() {
        return new JsonObject()
                .put("arrangement", arrangement.name())
                .put("messages", json(messages))
                .put("storage", json(storage))
                .put("messageAgeNs", ages.json())
                .put("diskWrites", blocks)
                .put("wallNs", wallNs)
                .putStrings("notes", notes);
    }

    private static JsonObject json(HandlerFigures figures) {
        JsonObject percentiles = new JsonObject();
        figures.toHandlerNs().forEach((percent, ns) -> percentiles.put(String.valueOf(percent), ns));
        return new JsonObject()
                .put("events", figures.events())
                .put("completions", figures.completions())
                .put("failures", figures.failures())
                .put("toHandlerNs", percentiles)
                .put("inHandlerNs", figures.inHandlerNs())
                .put("inHandlerMaxNs", figures.inHandlerMaxNs());
    }
}
