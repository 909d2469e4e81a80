package io.verbena.tools.observe;

import io.verbena.live.LiveRnics;
import io.verbena.tools.observe.Moment.Pair;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.Table;
import io.verbena.verbs.RnicFigures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The queue pairs of processes, in the order that the user wants, by what happened between two moments. */
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
    private final Order order;

    /** What the first row has most of; names and numbers ascend. */
    public enum Order {
        /** Bytes and operations per second. */
        BUSY(Comparator.comparingDouble(Row::busy).reversed()),
        /** Bytes sent per second. */
        SENT(Comparator.comparingDouble(Row::sentPerSecond).reversed()),
        /** Bytes received per second. */
        RECEIVED(Comparator.comparingDouble(Row::receivedPerSecond).reversed()),
        /** Operations per second. */
        OPS(Comparator.comparingDouble(Row::operationsPerSecond).reversed()),
        /** Requests that are not complete. */
        WAITING(Comparator.comparingInt(Row::waiting).reversed()),
        /** The process. */
        PID(Comparator.comparingLong(row -> Long.parseLong(row.pair.pid()))),
        /** The address of the peer. */
        PEER(Comparator.comparing(Row::peer)),
        /** The state of the queue pair. */
        STATE(Comparator.comparing(Row::state));

        private final Comparator<Row> rows;

        Order(Comparator<Row> rows) {
            this.rows = rows;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Row(
            Pair pair, Pair before, double sentPerSecond, double receivedPerSecond, double operationsPerSecond) {
        double busy() {
            return sentPerSecond + receivedPerSecond + operationsPerSecond;
        }

        int waiting() {
            return Math.toIntExact(pair.figures().number(RnicFigures.QUEUE_OUTSTANDING, "send"));
        }

        String peer() {
            return pair.figures().texts().getOrDefault("peer", "-");
        }

        String state() {
            return pair.figures().texts().getOrDefault("state", "");
        }
    }

    /**
     * A table.
     *
     * @param width of the terminal; 0 if there is none
     * @param rows maximum number of queue pairs to show
     * @param order of the queue pairs
     */
    public PairTable(int width, int rows, Order order) {
        this.width = width;
        this.rows = rows;
        this.order = order;
    }

    /** The lines for what has happened between two moments. */
    public List<String> lines(Moment before, Moment now) {
        if (now.processes().isEmpty()) {
            return List.of("No process of this user has an open RNIC, or all of them run with -D" + LiveRnics.PROPERTY
                    + "=false.");
        }
        List<Row> all = rows(before, now);
        List<String> lines = new ArrayList<>(table.head(width));
        all.stream().limit(rows).forEach(row -> {
            lines.add(line(row));
            PathHeat.line(row.before.figures(), row.pair.figures()).ifPresent(lines::add);
            TransportLine.of(row.pair.figures()).ifPresent(lines::add);
        });
        if (all.size() > rows) {
            lines.add("  and " + Figures.count(all.size() - rows) + " more queue pairs");
        }
        return lines;
    }

    private List<Row> rows(Moment before, Moment now) {
        Map<String, Pair> known = before.pairs();
        long spanNs = now.timeNs() - before.timeNs();
        List<Row> found = new ArrayList<>();
        now.pairs().forEach((key, pair) -> {
            Pair then = known.getOrDefault(key, pair);
            found.add(new Row(
                    pair,
                    then,
                    Figures.rate(bytes(pair, "transmit") - bytes(then, "transmit"), spanNs),
                    Figures.rate(bytes(pair, "receive") - bytes(then, "receive"), spanNs),
                    Figures.rate(operations(pair) - operations(then), spanNs)));
        });
        found.sort(order.rows);
        return found;
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
                        row.state(),
                        row.peer(),
                        Figures.bytesPerSecond(row.sentPerSecond),
                        Figures.bytesPerSecond(row.receivedPerSecond),
                        Figures.count(Math.round(row.operationsPerSecond)),
                        Figures.count(row.waiting())));
    }
}
