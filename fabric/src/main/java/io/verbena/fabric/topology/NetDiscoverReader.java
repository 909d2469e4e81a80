package io.verbena.fabric.topology;

import io.verbena.fabric.topology.NodeSection.Lead;
import io.verbena.fabric.topology.TopologyWarnings.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what ibnetdiscover prints with any of its options, and the files of ibsim, whose nodes may have names instead of GUIDs. What the
 * text does not state is assigned: GUIDs and the rate of cables. Lines of other programs between those of the topology are ignored. Each kind
 * of assumption is reported by one warning.
 *
 * <p>Sources: the output functions of ibnetdiscover in rdma-core (infiniband-diags), and the reader of ibsim (sim_net.c).
 */
public final class NetDiscoverReader {

    private static final int LONGEST_LINE = 4096;
    /** The permissive LID: the port of an adapter to which no manager has given one. */
    private static final int NO_LID = 0xffff;

    private static final Pattern NODE = Pattern.compile("([\\w?]+)\\s+(\\d{1,9})\\s+\"([^\"]*)\"\\s*(.*)");
    private static final Pattern PORT =
            Pattern.compile("\\[(\\d{1,9})](?:\\[[^\\]]*])?(?:\\s*\\(([0-9a-fA-F]{1,16})\\))?\\s*"
                    + "\"([^\"]*)\"\\s*(?:\\[(\\d{1,9})])?(?:\\[[^\\]]*])?\\s*(?:\\(([0-9a-fA-F]{1,16})\\))?\\s*(.*)");
    private static final Pattern ALIAS = Pattern.compile("@\\[(\\d{1,9})]\\s*\"([^\"]*)\".*");
    private static final Pattern LISTED =
            Pattern.compile("(\\S+)\\s*: 0x([0-9a-fA-F]{16}) ports (\\d{1,9}) devid 0x([0-9a-fA-F]{1,8})"
                    + " vendid 0x([0-9a-fA-F]{1,8}) \"(.*)\"");
    private static final Pattern LOCATION = Pattern.compile("(?<!\\S)lid (\\d{1,9})(?:\\s+lmc (\\d{1,9}))?");
    private static final Pattern OWN_LOCATION = Pattern.compile("\\s*lid (\\d{1,9}) lmc (\\d{1,9})(?!\\S).*");
    private static final Pattern METRES = Pattern.compile("(?<!\\S)(\\d{1,9})m(?!\\S)");
    /** What ends a description without quotation marks. */
    private static final Pattern AFTER_DESCRIPTION = Pattern.compile("\\s(?:enhanced port|base port|lid|lmc)\\s");

    /** Where an alias of ibsim leads. */
    private record Alias(String id, int port) {}

    private final List<NodeSection> sections = new ArrayList<>();
    private final Map<String, NodeSection> byId = new LinkedHashMap<>();
    private final Map<String, Alias> aliases = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> ignored = new ArrayList<>();
    private final TopologyWarnings warnings = new TopologyWarnings();
    private final TextSettings settings = new TextSettings();
    private final PortsReport report = new PortsReport();
    private boolean listed;

    private NetDiscoverReader() {}

    /**
     * The topology that the text describes.
     *
     * @throws TopologyException if the text or its topology is not valid
     */
    public static Topology read(String text) {
        return read(text, TopologyFiles.NONE, warning -> {});
    }

    /**
     * The topology that the text describes.
     *
     * @param files the files that the text includes
     * @param warnings receives sentences about what was assumed or left out
     * @throws TopologyException if the text or its topology is not valid
     */
    public static Topology read(String text, TopologyFiles files, Consumer<String> warnings) {
        NetDiscoverReader reader = new NetDiscoverReader();
        new TopologyText(files, reader::line, reader::problem).read(text);
        Topology topology = reader.topology();
        reader.warnings.report(warnings);
        return topology;
    }

    private Topology topology() {
        if (!report.isEmpty()) {
            for (NodeSection section : report.sections()) {
                add(section, "The ports report");
            }
            warnings.add(Kind.NO_NODE_GUID, "A ports report states no node GUIDs; port GUIDs take their place");
        }
        if (sections.isEmpty() && problems.isEmpty() && !ignored.isEmpty()) {
            problem(ignored.getFirst());
        }
        check();
        if (listed) {
            warnings.add(Kind.NO_CABLES, "The text is a list of nodes, without cables");
        }
        List<String> names = NodeLabels.names(sections);
        List<Node> nodes = new ArrayList<>();
        for (NodeSection section : sections) {
            section.index = nodes.size();
            nodes.add(section.node(names.get(section.index)));
            if (!section.label().equals(names.get(section.index))) {
                warnings.add(
                        Kind.SAME_NAME,
                        "Several nodes have the description '" + section.label() + "'; one of them is named '"
                                + names.get(section.index) + "'");
            }
        }
        List<Cable> cables = new SectionCables(byId, warnings, this::problem).of(sections);
        check();
        return new Topology(nodes, cables);
    }

    private void check() {
        if (!problems.isEmpty()) {
            throw new TopologyException(problems);
        }
    }

    private void problem(String sentence) {
        if (problems.size() < TopologyException.MOST) {
            problems.add(sentence);
        }
    }

    private void line(String where, String content) {
        if (content.isEmpty() || content.startsWith("#")) {
            return;
        }
        if (content.length() > LONGEST_LINE) {
            problem(where + ": the line has " + content.length() + " characters; the maximum is " + LONGEST_LINE);
            return;
        }
        if (content.startsWith("[")) {
            Matcher port = PORT.matcher(content);
            if (port.matches()) {
                port(where, port);
            } else {
                problem(where + ": '" + content + "' is not a port of ibnetdiscover's text");
            }
            return;
        }
        Matcher node = NODE.matcher(content);
        Matcher listedNode = LISTED.matcher(content);
        Matcher alias = ALIAS.matcher(content);
        if (node.matches()) {
            node(where, node);
        } else if (listedNode.matches()) {
            listed(where, listedNode);
        } else if (alias.matches()) {
            alias(where, alias);
        } else if (!report.take(where, content) && !settings.take(content)) {
            other(where, content);
        }
    }

    private void other(String where, String content) {
        if (content.startsWith("< ") || content.startsWith("> ")) {
            problem(where
                    + ": the text is the output of ibnetdiscover --diff, which shows changes instead of a subnet");
        } else if (content.startsWith("do ")) {
            warnings.add(Kind.COMMAND, where + ": '" + content + "' is a command of ibsim, which is not executed");
        } else if (content.matches("(Switch|Ca|Hca|Rt|Router)\\s.*")) {
            problem(where + ": '" + content + "' is not a node of ibnetdiscover's text");
        } else if (!content.matches("(Chassis \\d+|Non-Chassis Nodes|Hostname: ).*")) {
            String what =
                    where + ": '" + content + "' is neither a node, a port, nor a property of ibnetdiscover's text";
            ignored.add(what);
            warnings.add(Kind.IGNORED_LINE, what + "; the line is ignored");
        }
    }

    private static Optional<NodeKind> kind(String word) {
        return switch (word) {
            case "Switch" -> Optional.of(NodeKind.SWITCH);
            case "Ca", "Hca" -> Optional.of(NodeKind.ADAPTER);
            case "Rt", "Router" -> Optional.of(NodeKind.ROUTER);
            default -> Optional.empty();
        };
    }

    private void node(String where, Matcher match) {
        Optional<NodeKind> kind = kind(match.group(1));
        if (kind.isEmpty()) {
            problem(where + ": '" + match.group(1) + "' is no kind of node; use Switch, Ca, Hca or Rt");
            return;
        }
        String id = settings.qualified(match.group(3));
        String tail = match.group(4);
        String comment = tail.startsWith("#") ? tail.substring(1).strip() : "";
        String rest = tail.startsWith("#") ? comment : tail;
        String description = "";
        if (comment.startsWith("\"")) {
            int end = Math.max(1, comment.lastIndexOf('"'));
            description = comment.substring(1, end);
            rest = comment.substring(end);
        } else if (!comment.isEmpty()) {
            Matcher after = AFTER_DESCRIPTION.matcher(comment + " ");
            int end = after.find() ? after.start() : comment.length();
            description = comment.substring(0, end);
            rest = comment.substring(end);
        }
        boolean named = !id.matches("[SHR]-[0-9a-fA-F]{16}");
        Matcher location = LOCATION.matcher(rest);
        PortAddress base = location.find()
                ? new PortAddress(0, lid(number(location.group(1))), number(location.group(2)))
                : new PortAddress(0, 0, 0);
        add(
                settings.section(
                        kind.get(),
                        id,
                        Integer.parseInt(match.group(2)),
                        description.isBlank() && named ? id : description,
                        base),
                where);
    }

    private void add(NodeSection section, String where) {
        sections.add(section);
        if (byId.putIfAbsent(section.id, section) != null) {
            problem(where + ": the node '" + section.id + "' is described a second time");
        }
    }

    private void listed(String where, Matcher match) {
        Optional<NodeKind> kind = kind(match.group(1));
        if (kind.isPresent()) {
            long guid = Long.parseUnsignedLong(match.group(2), 16);
            Identity identity = new Identity(
                    guid,
                    guid,
                    (int) (Long.parseLong(match.group(5), 16) & 0xff_ffff),
                    (int) (Long.parseLong(match.group(4), 16) & 0xffff),
                    match.group(6));
            String id = kind.get().letter() + "-" + Node.hex(guid);
            int ports = Integer.parseInt(match.group(3));
            add(new NodeSection(kind.get(), id, ports, identity, new PortAddress(guid, 0, 0)), where);
            listed = true;
        }
    }

    private void alias(String where, Matcher match) {
        if (sections.isEmpty()) {
            problem(where + ": a port before the first node");
            return;
        }
        aliases.put(settings.alias(match.group(2)), new Alias(sections.getLast().id, number(match.group(1))));
    }

    private void port(String where, Matcher match) {
        if (sections.isEmpty()) {
            problem(where + ": a port before the first node");
            return;
        }
        NodeSection section = sections.getLast();
        int port = Integer.parseInt(match.group(1));
        String tail = match.group(6);
        int quote = tail.indexOf('"');
        String after = tail.substring(tail.lastIndexOf('"') + 1);
        Matcher own = OWN_LOCATION.matcher(
                tail.substring(0, quote < 0 ? tail.length() : quote).replaceFirst("#", " "));
        boolean located = own.matches();
        PortAddress address = new PortAddress(
                match.group(2) == null ? section.identity.guid() + port : Long.parseUnsignedLong(match.group(2), 16),
                located ? lid(number(own.group(1))) : 0,
                located ? number(own.group(2)) : 0);
        Matcher metres = METRES.matcher(after);
        int peerPort = match.group(4) == null ? 1 : Integer.parseInt(match.group(4));
        Alias peer = aliases.getOrDefault(
                settings.alias(match.group(3)), new Alias(settings.qualified(match.group(3)), peerPort));
        Lead lead = new Lead(
                where,
                match.group(3).contains("@") ? peer.id() : settings.qualified(match.group(3)),
                match.group(3).contains("@") ? peer.port() : peerPort,
                StatedRate.parse(after.replace('#', ' '), settings.enabled()),
                metres.find() ? number(metres.group(1)) : Cable.DEFAULT_METRES,
                address);
        if (section.leads.putIfAbsent(port, lead) != null) {
            problem(where + ": port " + port + " of '" + section.label() + "' is described a second time");
        }
        if (port < 1 || port > section.ports) {
            problem(where + ": '" + section.label() + "' has no port " + port + "; it has " + section.ports);
        }
    }

    private static int number(String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    /** The LID that a text states; 0 for none. */
    static int lid(int stated) {
        return stated == NO_LID ? 0 : stated;
    }
}
