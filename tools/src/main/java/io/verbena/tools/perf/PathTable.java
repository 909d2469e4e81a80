package io.verbena.tools.perf;

import io.verbena.tools.picture.Unit;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Table;
import io.verbena.verbs.ConnectionPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The paths of connections as a table, and as JSON. */
public final class PathTable {

    private static final Table TABLE = new Table(
            new Table.Column("path", 4),
            new Table.Column("state", 8),
            new Table.Column("round trip", 11),
            new Table.Column("bytes", 10),
            new Table.Column("lost", 9),
            new Table.Column("marked", 9));

    private PathTable() {}

    /** A table; no line for no paths. */
    public static List<String> lines(List<ConnectionPath> paths, int columns) {
        if (paths.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>(List.of(""));
        lines.addAll(TABLE.head(columns));
        paths.forEach(it -> lines.add(TABLE.row(columns, cells(it))));
        return lines;
    }

    private static List<String> cells(ConnectionPath path) {
        return List.of(
                String.valueOf(path.number()),
                path.state().name().toLowerCase(Locale.ROOT),
                path.roundTripNs() < 0 ? "-" : Unit.NANOSECONDS.text(path.roundTripNs()),
                Figures.bytes(path.bytes()),
                Figures.count(path.losses()),
                Figures.count(path.marks()));
    }

    /** Adds the same to an object as the member "paths"; nothing for no paths. */
    public static void put(JsonObject target, List<ConnectionPath> paths) {
        if (!paths.isEmpty()) {
            target.putObjects("paths", json(paths));
        }
    }

    private static List<JsonObject> json(List<ConnectionPath> paths) {
        return paths.stream()
                .map(it -> new JsonObject()
                        .put("path", it.number())
                        .put("state", it.state().name())
                        .put("roundTripNs", it.roundTripNs())
                        .put("bytes", it.bytes())
                        .put("losses", it.losses())
                        .put("marks", it.marks()))
                .toList();
    }
}
