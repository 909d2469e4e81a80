package io.verbena.fabric.topology;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ports report of ibnetdiscover ({@code -p}): one line per port, from the last port of a node to its first one. It states no node
 * GUIDs; that of the node's lowest port takes their place.
 */
final class PortsReport {

    private static final Pattern LINE = Pattern.compile(
            "(SW|CA|RT|\\?\\?)\\s+(\\d{1,9})\\s+(\\d{1,3})\\s+0x([0-9a-fA-F]{16})\\s+(\\S+ \\S+)\\s+"
                    + "(?:-\\s+(?:SW|CA|RT|\\?\\?)\\s+\\d{1,9}\\s+(\\d{1,3})\\s+0x([0-9a-fA-F]{16})\\s+\\( (.*) \\)|'(.*)')");

    /** A port at a GUID: the ports of a switch share one. */
    private record Place(long guid, int port) {}

    private record Line(String where, int lid, Place here, String rate, Place peer, String name) {}

    private record Group(NodeKind kind, List<Line> lines) {
        boolean continues(NodeKind otherKind, Line line) {
            Line last = lines.getLast();
            return kind == otherKind
                    && line.here().port() < last.here().port()
                    && (kind == NodeKind.SWITCH
                            ? line.here().guid() == last.here().guid()
                            : line.name().equals(last.name()));
        }
    }

    private static final Place NOWHERE = new Place(0, 0);

    private final List<Group> groups = new ArrayList<>();

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
                where,
                Integer.parseInt(match.group(2)),
                place(match.group(4), match.group(3)),
                match.group(5).replace(" ", ""),
                linked ? place(match.group(7), match.group(6)) : NOWHERE,
                linked ? ownName(match.group(8)) : match.group(9));
        if (groups.isEmpty() || !groups.getLast().continues(kind, line)) {
            groups.add(new Group(kind, new ArrayList<>()));
        }
        groups.getLast().lines().add(line);
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
        return groups.isEmpty();
    }

    List<NodeSection> sections() {
        Map<Place, NodeSection> byPlace = new HashMap<>();
        List<NodeSection> sections = new ArrayList<>();
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
                    new PortAddress(guid, NetDiscoverReader.lid(last.lid()), 0));
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
                        StatedRate.parse(line.rate(), StatedRate.Enabled.NONE),
                        Cable.DEFAULT_METRES,
                        new PortAddress(line.here().guid(), NetDiscoverReader.lid(line.lid()), 0)));
    }
}
