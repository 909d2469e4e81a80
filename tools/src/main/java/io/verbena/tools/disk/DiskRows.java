package io.verbena.tools.disk;

import io.verbena.storage.subsystem.CommandCounts;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.TargetFigures;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The figures of a server as lines of words, which another process reads, and as JSON. */
public final class DiskRows {
    private static final String DISK = "disk";
    private static final String QUEUE = "queue";
    private static final String SERVER = "server";
    private static final String KIND = "kind";

    private DiskRows() {}

    /** The rows of a server. */
    public static List<Map<String, String>> of(String address, TargetFigures figures, ServedDisks disks) {
        List<Map<String, String>> rows = new ArrayList<>();
        Map<String, String> server = row(SERVER);
        server.put("address", address);
        server.put("memoryBytes", String.valueOf(figures.memoryBytes()));
        rows.add(server);
        for (TargetFigures.OfNamespace each : figures.namespaces()) {
            Namespace namespace = each.namespace();
            Map<String, String> row = row(DISK);
            row.put("nqn", each.subsystem());
            row.put("namespace", String.valueOf(namespace.id()));
            row.put("uuid", namespace.uuid().toString());
            long blockBytes = namespace.device().blockBytes();
            row.put("bytes", String.valueOf(namespace.device().blocks() * blockBytes));
            row.put("blockBytes", String.valueOf(blockBytes));
            row.put("readOnly", String.valueOf(namespace.device().readOnly()));
            row.put("visibleTo", String.join(",", namespace.hosts()));
            row.put("file", disks.file(each.subsystem(), namespace.id()));
            counts(row, each.counts());
            rows.add(row);
        }
        for (TargetFigures.OfQueue each : figures.queues()) {
            Map<String, String> row = row(QUEUE);
            row.put("nqn", each.subsystem());
            row.put("host", each.host());
            row.put("controller", String.valueOf(each.controllerId()));
            row.put("queue", String.valueOf(each.queueId()));
            row.put("depth", String.valueOf(each.depth().now()));
            row.put("mostDepth", String.valueOf(each.depth().most()));
            row.put("entries", String.valueOf(each.depth().entries()));
            counts(row, each.counts());
            rows.add(row);
        }
        return rows;
    }

    private static Map<String, String> row(String kind) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put(KIND, kind);
        return row;
    }

    private static void counts(Map<String, String> row, CommandCounts counts) {
        row.put("reads", String.valueOf(counts.reads().commands()));
        row.put("readBytes", String.valueOf(counts.reads().bytes()));
        row.put("writes", String.valueOf(counts.writes().commands()));
        row.put("writtenBytes", String.valueOf(counts.writes().bytes()));
        row.put("flushes", String.valueOf(counts.flushes()));
        row.put("others", String.valueOf(counts.others()));
        row.put("failures", String.valueOf(counts.failures()));
        row.put("medianNs", String.valueOf(counts.latencies().quantileNs(0.5)));
        row.put("p99Ns", String.valueOf(counts.latencies().quantileNs(0.99)));
    }

    /** Adds the rows to an object, as arrays of disks and queues. */
    public static JsonObject json(JsonObject into, List<Map<String, String>> rows) {
        rows.stream().filter(row -> SERVER.equals(row.get(KIND))).forEach(row -> put(into, row));
        into.putObjects("disks", objects(rows, DISK));
        return into.putObjects("queues", objects(rows, QUEUE));
    }

    private static List<JsonObject> objects(List<Map<String, String>> rows, String kind) {
        return rows.stream()
                .filter(row -> kind.equals(row.get(KIND)))
                .map(row -> put(new JsonObject(), row))
                .toList();
    }

    private static JsonObject put(JsonObject into, Map<String, String> row) {
        row.forEach((name, value) -> {
            if (value.matches("\\d{1,18}")) {
                into.put(name, Long.parseLong(value));
            } else if (value.matches("true|false")) {
                into.put(name, Boolean.parseBoolean(value));
            } else if (!name.equals(KIND)) {
                into.put(name, value);
            }
        });
        return into;
    }

    /** The rows for people. */
    public static List<String> text(List<Map<String, String>> rows) {
        List<String> lines = new ArrayList<>();
        for (Map<String, String> row : rows) {
            switch (row.getOrDefault(KIND, "")) {
                case SERVER ->
                    lines.add(row.get("address") + ", " + bytes(row, "memoryBytes") + " of memory for queues");
                case DISK -> {
                    lines.add("  " + row.get("nqn"));
                    lines.add("    disk " + row.get("namespace") + "  " + bytes(row, "bytes")
                            + ("true".equals(row.get("readOnly")) ? ", read-only" : "") + "  " + row.get("file")
                            + "  UUID " + row.get("uuid"));
                    lines.add("      " + commands(row));
                }
                case QUEUE ->
                    lines.add("  " + row.get("host") + " at " + row.get("nqn") + ", controller " + row.get("controller")
                            + ", queue " + row.get("queue") + ": depth " + row.get("depth") + " of "
                            + row.get("entries") + " (most " + row.get("mostDepth") + "), " + commands(row));
                default -> lines.addAll(List.of());
            }
        }
        return lines;
    }

    private static String commands(Map<String, String> row) {
        return count(row, "reads") + " reads (" + bytes(row, "readBytes") + "), " + count(row, "writes") + " writes ("
                + bytes(row, "writtenBytes") + "), " + count(row, "flushes") + " flushes, " + count(row, "failures")
                + " failed; median " + microseconds(row, "medianNs") + ", 99 % " + microseconds(row, "p99Ns") + " µs";
    }

    private static long number(Map<String, String> row, String name) {
        String value = row.getOrDefault(name, "");
        return value.matches("\\d{1,18}") ? Long.parseLong(value) : 0;
    }

    private static String count(Map<String, String> row, String name) {
        return Figures.count(number(row, name));
    }

    private static String bytes(Map<String, String> row, String name) {
        return Figures.bytes(number(row, name));
    }

    private static String microseconds(Map<String, String> row, String name) {
        return Figures.microseconds(number(row, name));
    }
}
