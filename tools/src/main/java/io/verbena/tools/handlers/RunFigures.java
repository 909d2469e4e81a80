package io.verbena.tools.handlers;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Latencies;
import io.verbena.tools.text.Table;
import io.verbena.verbs.HandlerFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The figures of one arrangement.
 *
 * @param arrangement the handlers and processors of the consumers
 * @param messages figures of the messaging consumer's CQ
 * @param storage figures of the storage consumer's CQ with the longest 99th percentile
 * @param ages time from the send of a message to its handler
 * @param writes disk writes of the run
 * @param notes remarks, such as a processor that could not be bound
 */
public record RunFigures(
        Arrangement arrangement,
        HandlerFigures messages,
        HandlerFigures storage,
        Latencies ages,
        Writes writes,
        List<String> notes) {

    /**
     * Disk writes.
     *
     * @param blocks completed disk writes
     * @param wallNs duration
     */
    public record Writes(long blocks, long wallNs) {}

    /** Fits 80 columns. */
    private static final Table TABLE = new Table(
            new Table.Column("consumer", 9, true),
            new Table.Column("events", 8),
            new Table.Column("compl./event", 12),
            new Table.Column("50 % µs", 9),
            new Table.Column("99 % µs", 9),
            new Table.Column("max µs", 9),
            new Table.Column("in handler µs", 13));

    /** The figures for people, on a terminal of this width; 0 if there is none. */
    public List<String> lines(int width) {
        List<String> lines = new ArrayList<>();
        lines.add("With " + arrangement.words() + ":");
        lines.addAll(TABLE.head(width));
        lines.add(TABLE.row(width, cells("messages", messages)));
        lines.add(TABLE.row(width, cells("storage", storage)));
        lines.add("  " + Figures.count(Math.round(Figures.rate(writes.blocks(), writes.wallNs())))
                + " disk writes/s of 64 KiB ("
                + Figures.bytesPerSecond(Figures.rate(writes.blocks() * HandlersSettings.BLOCK_BYTES, writes.wallNs()))
                + "); 99 % of the messages were handled within " + Figures.microseconds(ages.p99Ns())
                + " µs after they were sent");
        notes.forEach(note -> lines.add("  " + note));
        return lines;
    }

    private static List<String> cells(String name, HandlerFigures figures) {
        return List.of(
                name,
                Figures.count(figures.events()),
                String.format(Locale.ROOT, "%.1f", figures.completionsPerEvent()),
                Figures.microseconds(figures.toHandlerMedianNs()),
                Figures.microseconds(figures.toHandlerP99Ns()),
                Figures.microseconds(figures.toHandlerMaxNs()),
                Figures.microseconds(figures.inHandlerNs() / Math.max(1, figures.events())));
    }

    /** The same for programs. */
    public JsonObject json() {
        return new JsonObject()
                .put("arrangement", arrangement.name())
                .put("messages", json(messages))
                .put("storage", json(storage))
                .put("messageAgeNs", ages.json())
                .put("diskWrites", writes.blocks())
                .put("wallNs", writes.wallNs())
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
