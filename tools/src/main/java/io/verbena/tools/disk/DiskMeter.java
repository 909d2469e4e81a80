package io.verbena.tools.disk;

import io.verbena.storage.subsystem.CommandCounts;
import io.verbena.storage.subsystem.TargetFigures;
import io.verbena.storage.subsystem.TargetFigures.OfNamespace;
import io.verbena.storage.subsystem.TargetFigures.OfQueue;
import io.verbena.tools.text.Figures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What hosts did between two moments, as lines for people. */
public final class DiskMeter {
    private TargetFigures before;
    private long beforeNs;

    /** Begins to measure. */
    public DiskMeter(TargetFigures start, long nowNs) {
        before = start;
        beforeNs = nowNs;
    }

    private record Line(long commands, String text) {}

    /**
     * Rates since the last call: a line for each disk, then one for each of the busiest queues.
     *
     * @param mostQueues how many queues are shown
     */
    public List<String> lines(TargetFigures now, long nowNs, int mostQueues) {
        List<String> lines = new ArrayList<>(disks(now, nowNs));
        queues(now, nowNs).stream()
                .sorted(Comparator.comparingLong(Line::commands).reversed())
                .limit(mostQueues)
                .forEach(line -> lines.add(line.text()));
        before = now;
        beforeNs = nowNs;
        return lines;
    }

    private List<String> disks(TargetFigures now, long nowNs) {
        Map<String, CommandCounts> earlier =
                before.namespaces().stream().collect(Collectors.toMap(DiskMeter::key, OfNamespace::counts));
        return now.namespaces().stream()
                .map(each -> ending(each.subsystem()) + " disk "
                        + each.namespace().id() + ": "
                        + rates(since(each.counts(), earlier, key(each)), nowNs - beforeNs))
                .toList();
    }

    private List<Line> queues(TargetFigures now, long nowNs) {
        Map<String, CommandCounts> earlier = before.queues().stream()
                .collect(Collectors.toMap(DiskMeter::key, OfQueue::counts, (_, newer) -> newer));
        List<Line> lines = new ArrayList<>();
        for (OfQueue each : now.queues()) {
            if (each.queueId() != 0) {
                CommandCounts counts = since(each.counts(), earlier, key(each));
                String text = "  " + ending(each.host()) + " queue " + each.queueId() + ": depth "
                        + each.depth().now() + ", " + rates(counts, nowNs - beforeNs);
                lines.add(new Line(counts.commands(), text));
            }
        }
        return lines;
    }

    /** Hosts with how many queues each of their controllers has. */
    public static SortedMap<String, Integer> hosts(TargetFigures figures) {
        SortedMap<String, Integer> hosts = new TreeMap<>();
        for (OfQueue each : figures.queues()) {
            hosts.merge(each.host() + " at " + each.subsystem(), each.queueId() == 0 ? 0 : 1, Integer::sum);
        }
        return hosts;
    }

    private static String key(OfNamespace each) {
        return each.namespace().id() + " " + each.subsystem();
    }

    private static String key(OfQueue each) {
        return each.controllerId() + " " + each.queueId();
    }

    private static CommandCounts since(CommandCounts counts, Map<String, CommandCounts> earlier, String key) {
        return Optional.ofNullable(earlier.get(key))
                .filter(older -> older.commands() <= counts.commands()) // otherwise a new one of this name
                .map(counts::since)
                .orElse(counts);
    }

    /** A name after its last colon, which is what tells names apart. */
    private static String ending(String nqn) {
        return nqn.substring(nqn.lastIndexOf(':') + 1);
    }

    private static String rates(CommandCounts counts, long spanNs) {
        return direction("read", counts.reads(), spanNs) + ", " + direction("written", counts.writes(), spanNs)
                + ", median " + Figures.microseconds(counts.latencies().quantileNs(0.5)) + ", 99 % "
                + Figures.microseconds(counts.latencies().quantileNs(0.99)) + " µs"
                + (counts.failures() == 0 ? "" : ", " + Figures.count(counts.failures()) + " failed");
    }

    private static String direction(String word, CommandCounts.Transfers transfers, long spanNs) {
        return Figures.perSecond(Figures.rate(transfers.commands(), spanNs)) + " "
                + Figures.bytesPerSecond(Figures.rate(transfers.bytes(), spanNs)) + " " + word;
    }
}
