package io.verbena.tools.sockets;

import io.verbena.sockets.nio.ProcessFigures;
import io.verbena.sockets.nio.SocketFigures;
import io.verbena.sockets.nio.SocketTransport;
import io.verbena.sockets.stream.StreamFigures;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The table of {@code verbena sockets top}: the processes, and their busiest connections. */
public final class TopTable {

    private static final int LONGEST_COMMAND = 50;

    /** Of a connection that was made since. */
    private static final StreamFigures NOTHING =
            StreamFigures.plain(new StreamFigures.Direction(0, 0, 0, 0), new StreamFigures.Direction(0, 0, 0, 0));

    private final Table table = new Table(
            new Table.Column("PID", 7),
            new Table.Column("via", 5, true),
            new Table.Column("peer", 21, true),
            new Table.Column("sent", 11),
            new Table.Column("received", 11),
            new Table.Column("stalls", 6),
            new Table.Column("buffers", 7, true));
    private final int width;
    private final int rows;

    private record Row(long pid, SocketFigures now, double sentPerSecond, double receivedPerSecond) {
        double busy() {
            return sentPerSecond + receivedPerSecond;
        }
    }

    /**
     * A table.
     *
     * @param width of the terminal; 0 if there is none
     * @param rows the most connections to show
     */
    public TopTable(int width, int rows) {
        this.width = width;
        this.rows = rows;
    }

    /** The lines for what has happened between two moments. */
    public List<String> lines(Snapshot before, Snapshot now) {
        List<String> lines = new ArrayList<>();
        if (now.processes().isEmpty()) {
            return List.of("No process of this user shows sockets: start one with 'verbena sockets run -- COMMAND'.");
        }
        now.processes().forEach((pid, process) -> {
            lines.add(line(pid, process));
            reasons(process)
                    .forEach((why, count) -> lines.add("  " + Figures.count(count) + " by TCP: " + why
                            + ended(process.byTcp().getOrDefault(why, 0L) - count)));
            process.leftOut().forEach(each -> lines.add("  by TCP in any case: " + each));
        });
        List<Row> all = rows(before, now);
        lines.addAll(table.head(width));
        all.stream().limit(rows).map(this::row).forEach(lines::add);
        if (all.size() > rows) {
            lines.add("  and " + Figures.count(all.size() - rows) + " more connections");
        }
        return lines;
    }

    private static String line(long pid, ProcessFigures process) {
        long tcp = process.connections().stream().filter(TopTable::isTcp).count();
        String command = process.command();
        return "Process " + pid + ", "
                + (command.length() > LONGEST_COMMAND ? command.substring(0, LONGEST_COMMAND) + "..." : command) + ": "
                + Figures.count(process.connections().size() - tcp) + " connections by RDMA, " + Figures.count(tcp)
                + " by TCP";
    }

    /** Why connections are and were by TCP, each with the number of those that are. */
    private static SortedMap<String, Long> reasons(ProcessFigures process) {
        SortedMap<String, Long> all = process.connections().stream()
                .map(SocketFigures::why)
                .filter(why -> !why.isEmpty())
                .collect(Collectors.groupingBy(why -> why, TreeMap::new, Collectors.counting()));
        process.byTcp().keySet().forEach(why -> all.putIfAbsent(why, 0L));
        return all;
    }

    private static String ended(long count) {
        return count > 0 ? " (" + Figures.count(count) + " more have ended)" : "";
    }

    private static boolean isTcp(SocketFigures connection) {
        return connection.transport() == SocketTransport.TCP || connection.transport() == SocketTransport.UNDECIDED;
    }

    private static List<Row> rows(Snapshot before, Snapshot now) {
        List<Row> all = new ArrayList<>();
        long spanNs = now.timeNs() - before.timeNs();
        for (Map.Entry<Long, ProcessFigures> process : now.processes().entrySet()) {
            Map<Long, StreamFigures> known = before.connections(process.getKey());
            for (SocketFigures connection : process.getValue().connections()) {
                StreamFigures then = known.getOrDefault(connection.id(), NOTHING);
                StreamFigures stream = connection.stream();
                all.add(new Row(
                        process.getKey(),
                        connection,
                        Figures.rate(stream.sent().bytes() - then.sent().bytes(), spanNs),
                        Figures.rate(stream.received().bytes() - then.received().bytes(), spanNs)));
            }
        }
        all.sort(Comparator.comparingDouble(Row::busy).reversed());
        return all;
    }

    private String row(Row row) {
        StreamFigures stream = row.now.stream();
        return table.row(
                width,
                List.of(
                        String.valueOf(row.pid),
                        name(row.now.transport()),
                        row.now.route().remote(),
                        Figures.bytesPerSecond(row.sentPerSecond),
                        Figures.bytesPerSecond(row.receivedPerSecond),
                        Figures.count(stream.stalls().count()),
                        stream.buffers().phase().name().toLowerCase(Locale.ROOT)));
    }

    private static String name(SocketTransport transport) {
        return switch (transport) {
            case SHARED_MEMORY -> "shm";
            case UNDECIDED, NONE -> "-";
            case TCP, IWARP, ROCE -> transport.name().toLowerCase(Locale.ROOT);
        };
    }
}
