package io.verbena.tools.observe;

import io.verbena.tools.observe.Moment.Pair;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.Table;
import io.verbena.verbs.RnicFigures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The queue pairs of processes, the busiest first, by what happened between two moments. */
public final class PairTable {

    private final Table table = new Table(
            new Table.Column("PID", 7),
            new Table.Column("RNIC", 4),
            new Table.Column("QP", 8, true),
            new Table.Column("state", 9, true),
            new Table.Column("peer", 21, true),
            new Table.Column("sent", 11),
            new Table.Column("received", 11),
            new Table.Column("ops/s", 9),
            new Table.Column("waiting", 7));
    private final int width;
    private final int rows;

    private record Row(Pair pair, double sentPerSecond, double receivedPerSecond, double operationsPerSecond) {
        double busy() {
            return sentPerSecond + receivedPerSecond + operationsPerSecond;
        }
    }

    /**
     * A table.
     *
     * @param width of the terminal; 0 if there is none
     * @param rows maximum number of queue pairs to show
     */
    public PairTable(int width, int rows) {
        this.width = width;
        this.rows = rows;
    }

    /** The lines for what has happened between two moments. */
    public List<String> lines(Moment before, Moment now) {
        if (now.processes().isEmpty()) {
            return List.of("No process of this user shows an RNIC: 'verbena serve', 'verbena disk serve' and"
                    + " 'verbena perf --server' do.");
        }
        List<Row> all = rows(before, now);
        List<String> lines = new ArrayList<>(table.head(width));
        all.stream().limit(rows).map(this::line).forEach(lines::add);
        if (all.size() > rows) {
            lines.add("  and " + Figures.count(all.size() - rows) + " more queue pairs");
        }
        return lines;
    }

    private static List<Row> rows(Moment before, Moment now) {
        Map<String, Pair> known = before.pairs();
        long spanNs = now.timeNs() - before.timeNs();
        List<Row> rows = new ArrayList<>();
        now.pairs().forEach((key, pair) -> {
            Pair then = known.getOrDefault(key, pair);
            rows.add(new Row(
                    pair,
                    Figures.rate(bytes(pair, "transmit") - bytes(then, "transmit"), spanNs),
                    Figures.rate(bytes(pair, "receive") - bytes(then, "receive"), spanNs),
                    Figures.rate(operations(pair) - operations(then), spanNs)));
        });
        rows.sort(Comparator.comparingDouble(Row::busy).reversed());
        return rows;
    }

    /** What this side and its peer moved: a server whose peer reads and writes posts nothing itself. */
    private static long bytes(Pair pair, String direction) {
        return pair.figures().number(RnicFigures.IO, direction) + pair.figures().number(RnicFigures.PEER_IO, direction);
    }

    private static long operations(Pair pair) {
        return pair.figures().values().stream()
                .filter(value -> value.figure().equals(RnicFigures.OPERATIONS)
                        || value.figure().equals(RnicFigures.PEER_OPERATIONS))
                .mapToLong(io.verbena.verbs.Figures.Value::number)
                .sum();
    }

    private String line(Row row) {
        io.verbena.verbs.Figures figures = row.pair.figures();
        return table.row(
                width,
                List.of(
                        row.pair.pid(),
                        row.pair.rnic(),
                        figures.identity().getOrDefault("number", ""),
                        figures.texts().getOrDefault("state", ""),
                        figures.texts().getOrDefault("peer", "-"),
                        Figures.bytesPerSecond(row.sentPerSecond),
                        Figures.bytesPerSecond(row.receivedPerSecond),
                        Figures.count(Math.round(row.operationsPerSecond)),
                        Figures.count(figures.number(RnicFigures.QUEUE_OUTSTANDING, "send"))));
    }
}
