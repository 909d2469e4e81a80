package io.verbena.fabric.topology;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the text that ibnetdiscover prints, and the shorter text of ibsim's files, whose nodes have names instead of GUIDs. What the
 * text does not state is assigned: GUIDs and the rate of cables.
 */
public final class NetDiscoverReader {

    private static final int MOST_CHARACTERS = 64 << 20;
    private static final int LONGEST_LINE = 1024;
    /** A locally administered EUI-64 for nodes without GUID; its third byte differs from that of built topologies. */
    private static final long GUIDS = 0x0a56_4300_0000_0000L;

    private static final Pattern PROPERTY =
            Pattern.compile("(\\w+)=0x([0-9a-fA-F]{1,16})(?:\\(([0-9a-fA-F]{1,16})\\))?");
    private static final Pattern NODE = Pattern.compile("(\\w+)\\s+(\\d{1,9})\\s+\"([^\"]*)\"\\s*(?:#(.*))?");
    private static final Pattern PORT =
            Pattern.compile("\\[(\\d{1,9})](?:\\[[^\\]]*])?(?:\\(([0-9a-fA-F]{1,16})\\))?\\s+"
                    + "\"([^\"]*)\"\\[(\\d{1,9})](?:\\[[^\\]]*])?(?:\\(([0-9a-fA-F]{1,16})\\))?\\s*(?:#(.*))?");
    private static final Pattern NODE_COMMENT =
            Pattern.compile("\\s*\"(.*)\"(?:\\s+(?:base|enhanced) port 0 lid (\\d{1,9}) lmc (\\d{1,9}))?.*");
    private static final Pattern PORT_COMMENT =
            Pattern.compile("\\s*(?:lid (\\d{1,9}) lmc (\\d{1,9}))?.*?(?:(\\d{1,2}x\\w+))?(?:\\s+(\\d{1,9})m)?\\s*");

    private final List<Section> sections = new ArrayList<>();
    private final Map<String, Section> byId = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final Map<String, Long> properties = new LinkedHashMap<>();
    private int line;

    /** A line of a port: where its cable leads. */
    private record Lead(
            int line, String peer, int peerPort, Optional<LinkRate> rate, int lengthMetres, PortAddress address) {}

    /** The lines about one node. */
    private static final class Section {
        final NodeKind kind;
        final int ports;
        final Map<Integer, Lead> leads = new LinkedHashMap<>();
        String name = "";
        int index;
        Identity identity = new Identity(0, 0, 0, 0);
        PortAddress base = new PortAddress(0, 0, 0);

        Section(NodeKind kind, int ports) {
            this.kind = kind;
            this.ports = ports;
        }
    }

    private NetDiscoverReader() {}

    /**
     * The topology that the text describes.
     *
     * @throws TopologyException if the text or its topology is not valid
     */
    public static Topology read(String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new TopologyException(
                    "The text has " + text.length() + " characters; the maximum is " + MOST_CHARACTERS);
        }
        NetDiscoverReader reader = new NetDiscoverReader();
        text.lines().forEach(reader::line);
        reader.check();
        List<Node> nodes = reader.nodes();
        List<Cable> cables = reader.cables();
        reader.check();
        return new Topology(nodes, cables);
    }

    private void check() {
        if (!problems.isEmpty()) {
            throw new TopologyException(problems);
        }
    }

    private void problem(int at, String sentence) {
        if (problems.size() < TopologyException.MOST) {
            problems.add("Line " + at + ": " + sentence);
        }
    }

    private void line(String text) {
        line++;
        String content = text.strip();
        if (content.isEmpty() || content.startsWith("#")) {
            return;
        }
        if (content.length() > LONGEST_LINE) {
            problem(line, "the line has " + content.length() + " characters; the maximum is " + LONGEST_LINE);
            return;
        }
        Matcher property = PROPERTY.matcher(content);
        Matcher node = NODE.matcher(content);
        Matcher port = PORT.matcher(content);
        if (property.matches()) {
            properties.put(property.group(1), Long.parseUnsignedLong(property.group(2), 16));
            if (property.group(3) != null) {
                properties.put("port0guid", Long.parseUnsignedLong(property.group(3), 16));
            }
        } else if (port.matches()) {
            port(port);
        } else if (node.matches()) {
            node(node);
        } else if (!content.startsWith("Chassis ") && !content.startsWith("Non-Chassis")) {
            // ibnetdiscover -g prints the chassis as headings.
            problem(line, "'" + content + "' is neither a node, a port, nor a property of ibnetdiscover's text");
        }
    }

    private void node(Matcher match) {
        Optional<NodeKind> kind = kind(match.group(1));
        String id = match.group(3);
        int ports = Integer.parseInt(match.group(2));
        if (kind.isEmpty()) {
            problem(line, "'" + match.group(1) + "' is no kind of node; use Switch, Ca, Hca or Rt");
            return;
        }
        Section section = new Section(kind.get(), ports);
        sections.add(section);
        if (byId.putIfAbsent(id, section) != null) {
            problem(line, "the node '" + id + "' is described a second time");
        }
        long guid = guid(kind.get(), id);
        section.identity = new Identity(
                guid,
                properties.getOrDefault("sysimgguid", guid),
                (int) (properties.getOrDefault("vendid", 0L) & 0xff_ffff),
                (int) (properties.getOrDefault("devid", 0L) & 0xffff));
        Matcher comment = NODE_COMMENT.matcher(match.group(4) == null ? "" : match.group(4));
        boolean described = comment.matches();
        section.name = described ? comment.group(1).strip() : id;
        if (section.name.isEmpty()) {
            section.name = id;
        }
        boolean located = described && comment.group(2) != null;
        section.base = new PortAddress(
                properties.getOrDefault("port0guid", guid),
                located ? Integer.parseInt(comment.group(2)) : 0,
                located ? Integer.parseInt(comment.group(3)) : 0);
        properties.clear();
    }

    private static Optional<NodeKind> kind(String word) {
        return switch (word) {
            case "Switch" -> Optional.of(NodeKind.SWITCH);
            case "Ca", "Hca" -> Optional.of(NodeKind.ADAPTER);
            case "Rt", "Router" -> Optional.of(NodeKind.ROUTER);
            default -> Optional.empty();
        };
    }

    /** The GUID: a property of the node, or part of its identification, or an assigned one. */
    private long guid(NodeKind kind, String id) {
        String word = kind == NodeKind.ADAPTER ? "caguid" : kind == NodeKind.SWITCH ? "switchguid" : "rtguid";
        if (properties.containsKey(word)) {
            return properties.get(word);
        }
        if (id.matches("[SHR]-[0-9a-fA-F]{16}")) {
            return Long.parseUnsignedLong(id.substring(2), 16);
        }
        return GUIDS | (long) kind.code() << 32 | (long) sections.size() << 8;
    }

    private void port(Matcher match) {
        if (sections.isEmpty()) {
            problem(line, "a port before the first node");
            return;
        }
        Section section = sections.getLast();
        int port = Integer.parseInt(match.group(1));
        Matcher comment = PORT_COMMENT.matcher(match.group(6) == null ? "" : match.group(6));
        boolean commented = comment.matches();
        boolean located = commented && comment.group(1) != null;
        long guid =
                match.group(2) == null ? section.identity.guid() + port : Long.parseUnsignedLong(match.group(2), 16);
        PortAddress address = new PortAddress(
                guid,
                located ? Integer.parseInt(comment.group(1)) : 0,
                located ? Integer.parseInt(comment.group(2)) : 0);
        Lead lead = new Lead(
                line,
                match.group(3),
                Integer.parseInt(match.group(4)),
                commented && comment.group(3) != null ? LinkRate.parse(comment.group(3)) : Optional.empty(),
                commented && comment.group(4) != null ? Integer.parseInt(comment.group(4)) : Cable.DEFAULT_METRES,
                address);
        if (section.leads.putIfAbsent(port, lead) != null) {
            problem(line, "port " + port + " of '" + section.name + "' is described a second time");
        }
        if (port < 1 || port > section.ports) {
            problem(line, "'" + section.name + "' has no port " + port + "; it has " + section.ports);
        }
    }

    private List<Node> nodes() {
        List<Node> nodes = new ArrayList<>();
        for (Section section : sections) {
            section.index = nodes.size();
            List<PortAddress> addresses = new ArrayList<>();
            if (section.kind == NodeKind.SWITCH) {
                addresses.add(section.base);
            }
            for (int port = 1; section.kind != NodeKind.SWITCH && port <= Math.min(section.ports, 255); port++) {
                Lead lead = section.leads.get(port);
                addresses.add(lead != null ? lead.address() : new PortAddress(section.identity.guid() + port, 0, 0));
            }
            nodes.add(new Node(section.index, section.kind, section.name, section.identity, section.ports, addresses));
        }
        return nodes;
    }

    private List<Cable> cables() {
        List<Cable> cables = new ArrayList<>();
        for (Section section : sections) {
            section.leads.forEach((port, lead) -> cable(cables, section, port, lead));
        }
        return cables;
    }

    /** Most cables are described at both ends, which must agree; the first one counts. */
    private void cable(List<Cable> cables, Section section, int port, Lead lead) {
        Section peer = byId.get(lead.peer());
        if (peer == null) {
            problem(
                    lead.line(),
                    "port " + port + " of '" + section.name + "' leads to '" + lead.peer()
                            + "', which the text does not describe");
            return;
        }
        Lead back = peer.leads.get(lead.peerPort());
        if (back != null && (byId.get(back.peer()) != section || back.peerPort() != port)) {
            problem(
                    lead.line(),
                    "port " + port + " of '" + section.name + "' leads to port " + lead.peerPort() + " of '" + peer.name
                            + "', which line " + back.line() + " connects to something else");
            return;
        }
        if (back == null || lead.line() < back.line() || peer == section && port == lead.peerPort()) {
            LinkRate rate = lead.rate()
                    .or(() -> back == null ? Optional.empty() : back.rate())
                    .orElse(LinkRate.DEFAULT);
            cables.add(new Cable(section.index, port, peer.index, lead.peerPort(), rate, lead.lengthMetres()));
        }
    }
}
