package io.verbena.fabric.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The ports report of ibnetdiscover ({@code -p}): one line per port, in any order. It states no node GUIDs; that of the node's lowest port
 * takes their place.
 *
 * <p>The ports of a switch share a GUID. Those of an adapter have a name in common, which other adapters may have, too, if it is that of the
 * product: then the ports are one adapter whose GUIDs count up with the numbers of the ports, or whose lines follow each other in the order of the
 * numbers, as ibnetdiscover prints them.
 */
final class PortsReport {

    private static final Pattern LINE = Pattern.compile(
            "(SW|CA|RT|\\?\\?)\\s+(\\d{1,9})\\s+(\\d{1,3})\\s+0x([0-9a-fA-F]{16})\\s+(\\S+ \\S+)\\s+"
                    + "(?:-\\s+(?:SW|CA|RT|\\?\\?)\\s+\\d{1,9}\\s+(\\d{1,3})\\s+0x([0-9a-fA-F]{16})\\s+\\( (.*) \\)|'(.*)')");

    /** A port at a GUID: the ports of a switch share one. */
    private record Place(long guid, int port) {}

    private record End(int lid, String rate, String name) {}

    private record Line(int index, String where, NodeKind kind, Place here, Place peer, End end) {
        String name() {
            return end.name();
        }

        /** The GUID that port 0 of the node would have if the GUIDs of its ports count up. */
        long base() {
            return here.guid() - here.port();
        }
    }

    /** The ports of a node, the highest first. */
    private record Group(NodeKind kind, List<Line> lines) {
        Group {
            lines = lines.stream()
                    .sorted(Comparator.comparingInt((Line line) -> line.here().port())
                            .reversed())
                    .toList();
        }
    }

    private static final Place NOWHERE = new Place(0, 0);

    private final List<Line> lines = new ArrayList<>();

    /** Takes a line; whether it is one of a report. */
    boolean take(String where, String content) {
        Matcher match = LINE.matcher(content);
        if (!match.matches()) {
            return false;
        }
        if (match.group(1).equals("??")) {
            return true;
        }
        NodeKind kind = match.group(1).equals("SW")
                ? NodeKind.SWITCH
                : match.group(1).equals("CA") ? NodeKind.ADAPTER : NodeKind.ROUTER;
        boolean linked = match.group(7) != null;
        Line line = new Line(
                lines.size(),
                where,
                kind,
                place(match.group(4), match.group(3)),
                linked ? place(match.group(7), match.group(6)) : NOWHERE,
                new End(
                        Integer.parseInt(match.group(2)),
                        match.group(5).replace(" ", ""),
                        linked ? ownName(match.group(8)) : match.group(9)));
        lines.add(line);
        return true;
    }

    private static Place place(String guid, String port) {
        return new Place(Long.parseUnsignedLong(guid, 16), Integer.parseInt(port));
    }

    /** Of the text between the brackets, {@code 'a' - 'b'}. */
    private static String ownName(String names) {
        int middle = names.indexOf("' - '");
        return names.startsWith("'") && middle > 0 ? names.substring(1, middle) : "";
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** The lines by nodes, in the order of their first lines. */
    private List<Group> groups() {
        Map<List<Object>, List<Line>> byName = new LinkedHashMap<>();
        for (Line line : lines) {
            Object name = line.kind() == NodeKind.SWITCH ? line.here().guid() : line.name();
            byName.computeIfAbsent(List.of(line.kind(), name), _ -> new ArrayList<>())
                    .add(line);
        }
        List<List<Line>> nodes = new ArrayList<>();
        byName.values().forEach(same -> {
            if (distinctPorts(same)) {
                nodes.add(same);
            } else {
                nodes.addAll(same.getFirst().kind() == NodeKind.SWITCH ? repeated(same) : namesakes(same));
            }
        });
        nodes.sort(Comparator.comparingInt(node -> node.getFirst().index()));
        return nodes.stream()
                .map(node -> new Group(node.getFirst().kind(), node))
                .toList();
    }

    private static boolean distinctPorts(List<Line> same) {
        return same.stream().map(line -> line.here().port()).distinct().count() == same.size();
    }

    /** A switch, and the ports that are described again as a second one with its GUID, which the reader refuses. */
    private static List<List<Line>> repeated(List<Line> same) {
        Set<Integer> seen = new HashSet<>();
        Map<Boolean, List<Line>> parts = same.stream()
                .collect(Collectors.partitioningBy(line -> seen.add(line.here().port())));
        return List.of(parts.getOrDefault(true, List.of()), parts.getOrDefault(false, List.of()));
    }

    /** Divides the ports of several adapters of one name. */
    private static List<List<Line>> namesakes(List<Line> same) {
        Map<Long, List<Line>> byBase = new LinkedHashMap<>();
        same.forEach(line ->
                byBase.computeIfAbsent(line.base(), _ -> new ArrayList<>()).add(line));
        List<List<Line>> nodes = new ArrayList<>();
        List<Line> alone = new ArrayList<>();
        byBase.values().forEach(node -> {
            if (node.size() > 1) {
                nodes.add(node);
            } else {
                alone.add(node.getFirst());
            }
        });
        for (int i = 0; i < alone.size(); i++) {
            if (i > 0 && follows(alone.get(i - 1), alone.get(i))) {
                nodes.getLast().add(alone.get(i));
            } else {
                nodes.add(new ArrayList<>(List.of(alone.get(i))));
            }
        }
        return nodes;
    }

    /** Whether the lines are adjacent, and the ports in the descending order of ibnetdiscover. */
    private static boolean follows(Line before, Line line) {
        return line.index() == before.index() + 1
                && line.here().port() < before.here().port();
    }

    List<NodeSection> sections() {
        Map<Place, NodeSection> byPlace = new HashMap<>();
        List<NodeSection> sections = new ArrayList<>();
        List<Group> groups = groups();
        for (Group group : groups) {
            Line last = group.lines().getLast();
            long guid = last.here().guid();
            String id = group.kind().letter() + "-" + Node.hex(guid);
            Identity identity = new Identity(guid, guid, 0, 0, last.name());
            NodeSection section = new NodeSection(
                    group.kind(),
                    id,
                    group.lines().getFirst().here().port(),
                    identity,
                    new PortAddress(guid, NetDiscoverReader.lid(last.end().lid()), 0));
            group.lines().forEach(line -> byPlace.put(line.here(), section));
            sections.add(section);
        }
        for (int i = 0; i < sections.size(); i++) {
            for (Line line : groups.get(i).lines()) {
                lead(sections.get(i), line, byPlace);
            }
        }
        return sections;
    }

    private static void lead(NodeSection section, Line line, Map<Place, NodeSection> byPlace) {
        if (line.peer().equals(NOWHERE)) {
            return;
        }
        NodeSection peer = byPlace.get(line.peer());
        section.leads.put(
                line.here().port(),
                new NodeSection.Lead(
                        line.where(),
                        peer == null ? "?-" + Node.hex(line.peer().guid()) : peer.id,
                        line.peer().port(),
                        StatedRate.parse(line.end().rate(), StatedRate.Enabled.NONE),
                        Cable.DEFAULT_METRES,
                        new PortAddress(
                                line.here().guid(),
                                NetDiscoverReader.lid(line.end().lid()),
                                0)));
    }
}
