package io.verbena.tools.impair;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a forwarder has done, as one line, as a table, and as JSON. */
final class Report {

    private static final Table TABLE = new Table(
            new Table.Column("matched", 9),
            new Table.Column("lost", 8),
            new Table.Column("delayed", 9),
            new Table.Column("reord.", 7),
            new Table.Column("dupl.", 7),
            new Table.Column("corr.", 7),
            new Table.Column("trimmed", 7),
            new Table.Column("marked", 7),
            new Table.Column("unfit", 7),
            new Table.Column("rule", 4, true));

    private final Impairment impairment;
    private final Forwarder forwarder;
    private final Bridge bridge;

    Report(Impairment impairment, Forwarder forwarder, Bridge bridge) {
        this.impairment = impairment;
        this.forwarder = forwarder;
        this.bridge = bridge;
    }

    /** The state now: {@code 12.000 s, a 1,234, b 1,230 packets, 12 lost, 3 held}. */
    String line(long nowNs) {
        long lost = impairment.rules().stream().mapToLong(each -> each.lost).sum();
        return Figures.seconds(impairment.elapsedNs(nowNs)) + ", " + Figures.count(impairment.side(Side.A).packets)
                + " packets from a, " + Figures.count(impairment.side(Side.B).packets) + " from b, "
                + Figures.count(lost) + " lost by rules, " + Figures.count(impairment.held()) + " held";
    }

    /** The summary for people, on a terminal with this number of columns or 0. */
    List<String> summary(int columns) {
        List<String> lines = new ArrayList<>();
        for (Side each : Side.values()) {
            Impairment.SideFigures side = impairment.side(each);
            lines.add("From " + each.word() + ": " + Figures.count(side.packets) + " packets, "
                    + Figures.bytes(side.bytes) + "; " + Figures.count(side.passed) + " passed to "
                    + each.other().word() + ".");
        }
        if (impairment.overflowed() > 0) {
            lines.add(Figures.count(impairment.overflowed())
                    + " packets were lost because too many were held: their delay times"
                    + " their rate exceeds --hold.");
        }
        if (forwarder.refused() > 0) {
            lines.add(Figures.count(forwarder.refused()) + " packets were lost because an end accepted none.");
        }
        lines.addAll(bridge.findings());
        if (!impairment.rules().isEmpty()) {
            lines.addAll(TABLE.head(columns));
        }
        impairment.rules().forEach(each -> lines.add(TABLE.row(columns, cells(each))));
        return lines;
    }

    private static List<String> cells(RuleFigures rule) {
        List<String> cells = new ArrayList<>();
        for (long each : new long[] {
            rule.matched,
            rule.lost,
            rule.delayed,
            rule.reordered,
            rule.duplicated,
            rule.corrupted,
            rule.trimmed,
            rule.marked,
            rule.unfit
        }) {
            cells.add(Figures.count(each));
        }
        cells.add(rule.rule() + period(rule));
        return cells;
    }

    private static String period(RuleFigures rule) {
        String from = rule.sinceNs() == 0 ? "" : " from " + Figures.seconds(rule.sinceNs());
        return from + (rule.untilNs() < 0 ? "" : " to " + Figures.seconds(rule.untilNs()));
    }

    /** Adds the members of the JSON object. */
    void put(JsonObject figures, long nowNs) {
        figures.put("seconds", impairment.elapsedNs(nowNs) / 1e9);
        for (Side each : Side.values()) {
            Impairment.SideFigures side = impairment.side(each);
            figures.put(
                    "from" + each.word().toUpperCase(Locale.ROOT),
                    new JsonObject()
                            .put("packets", side.packets)
                            .put("bytes", side.bytes)
                            .put("passed", side.passed));
        }
        figures.put("held", impairment.held())
                .put("overflowed", impairment.overflowed())
                .put("refused", forwarder.refused())
                .putStrings("findings", bridge.findings())
                .putObjects(
                        "rules", impairment.rules().stream().map(Report::json).toList());
    }

    private static JsonObject json(RuleFigures rule) {
        JsonObject object = new JsonObject().put("rule", rule.rule()).put("fromSecond", rule.sinceNs() / 1e9);
        if (rule.untilNs() >= 0) {
            object.put("toSecond", rule.untilNs() / 1e9);
        }
        return object.put("matched", rule.matched)
                .put("lost", rule.lost)
                .put("delayed", rule.delayed)
                .put("reordered", rule.reordered)
                .put("duplicated", rule.duplicated)
                .put("corrupted", rule.corrupted)
                .put("trimmed", rule.trimmed)
                .put("marked", rule.marked)
                .put("unfit", rule.unfit);
    }
}
