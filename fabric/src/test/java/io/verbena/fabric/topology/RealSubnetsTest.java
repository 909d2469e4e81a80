package io.verbena.fabric.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.topology.PrintedSubnet.Option;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every form that ibnetdiscover prints and that ibsim reads, generated and read back. */
class RealSubnetsTest {

    private static final List<String> WIDTHS = List.of("1x", "2x", "4x", "8x", "12x", "??");
    private static final List<String> SPEEDS =
            List.of("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR", "???");

    /** All kinds of nodes; adapters and routers are also connected to each other without a switch. */
    private static Topology everyKind(LinkRate rate, UnaryOperator<String> name) {
        TopologyBuilder builder = new TopologyBuilder(rate, Cable.DEFAULT_METRES);
        int one = builder.switchNode(name.apply("leaf-a"), 36);
        int two = builder.switchNode(name.apply("leaf-b"), 254);
        int router = builder.router(name.apply("router"), 2);
        int alone = builder.adapter(name.apply("alone"), 1);
        int direct = builder.adapter(name.apply("direct"), 2);
        builder.cable(one, 36, two, 254)
                .cable(builder.adapter(name.apply("n1 HCA-1"), 1), 1, one, 1)
                .cable(builder.adapter(name.apply("n2 HCA-1"), 2), 2, two, 100)
                .cable(router, 1, one, 5)
                .cable(router, 2, direct, 1)
                .cable(direct, 2, alone, 1);
        return builder.build();
    }

    private static Topology everyKind(UnaryOperator<String> name) {
        return everyKind(LinkRate.DEFAULT, name);
    }

    /** GUIDs, kinds, ports, addresses and cables; the order of nodes does not count. */
    private static Map<Long, String> content(Topology topology) {
        Map<Long, String> content = new TreeMap<>();
        for (Node node : topology.nodes()) {
            StringBuilder cables = new StringBuilder();
            for (int port = 1; port <= node.ports(); port++) {
                int cable = topology.cableAt(node.index(), port);
                if (cable >= 0) {
                    cables.append(port)
                            .append(" to ")
                            .append(topology.node(topology.peer(node.index(), port))
                                    .id())
                            .append(':')
                            .append(topology.peerPort(node.index(), port))
                            .append(' ')
                            .append(topology.cables().get(cable).rate())
                            .append(", ");
                }
            }
            content.put(
                    node.guid(),
                    node.kind() + " " + node.identity() + " " + node.ports() + " " + node.addresses() + " " + cables);
        }
        return content;
    }

    private static Topology read(String text, List<String> warnings) {
        return NetDiscoverReader.read(text, TopologyFiles.NONE, warnings::add);
    }

    @Test
    void everyOptionAndKindOfNode_printed_isReadBack() {
        Topology topology = everyKind(name -> name);
        Option[] all = Option.values();
        for (int mask = 0; mask < 1 << all.length; mask++) {
            Set<Option> options = EnumSet.noneOf(Option.class);
            for (Option option : all) {
                if ((mask >> option.ordinal() & 1) != 0) {
                    options.add(option);
                }
            }
            List<String> warnings = new ArrayList<>();
            assertEquals(
                    content(topology),
                    content(read(PrintedSubnet.print(topology, options), warnings)),
                    () -> "with " + options);
            boolean lines = options.contains(Option.SHOW) || options.contains(Option.STANDARD_ERROR);
            assertEquals(lines ? 1 : 0, warnings.size(), () -> options + ": " + warnings);
        }
    }

    static Stream<String> rates() {
        return WIDTHS.stream().flatMap(width -> SPEEDS.stream().map(speed -> width + speed));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void everyRate_printed_isReadOrWarnedOf(String text) {
        for (Set<Option> options : List.of(EnumSet.noneOf(Option.class), EnumSet.of(Option.FULL, Option.GROUPING))) {
            List<String> warnings = new ArrayList<>();
            Topology read = read(PrintedSubnet.print(everyKind(name -> name), options, text), warnings);
            Optional<LinkRate> known = LinkRate.parse(text);
            assertEquals(!text.contains("?"), known.isPresent(), text);
            LinkRate expected = known.orElse(new LinkRate(
                    LinkWidth.parse(text.substring(0, text.length() - (text.endsWith("???") ? 3 : 3)))
                            .orElse(LinkRate.DEFAULT.width()),
                    LinkSpeed.parse(text.substring(2)).orElse(LinkRate.DEFAULT.speed())));
            for (Cable cable : read.cables()) {
                assertEquals(expected, cable.rate(), text);
            }
            assertEquals(known.isPresent(), warnings.isEmpty(), text + " " + warnings);
            assertTrue(known.isPresent() || warnings.getFirst().contains("unknown rate " + text), warnings.toString());
        }
    }

    static Stream<UnaryOperator<String>> descriptions() {
        String x63 = "x".repeat(63);
        return Stream.of(
                name -> "",
                name -> "   ",
                name -> "MT4123 ConnectX6   Mellanox Technologies",
                name -> name.equals("leaf-a") ? "leaf-b" : name,
                name -> "rack \"7\" " + name,
                name -> "\"" + name + "\"",
                name -> name + " #1 lid 99 lmc 3",
                name -> name + " # 4xSDR",
                name -> "[1] " + name,
                name -> "Switch 8 \"" + name + "\" ' - '",
                name -> "Schalter-äöü 測試 " + name,
                name -> x63.substring(name.length()) + name,
                name -> "y" + x63.substring(name.length()) + name,
                name -> "y" + x63,
                name -> "MF0;" + name + ":MQM9701/U1");
    }

    @ParameterizedTest
    @MethodSource("descriptions")
    void anyDescription_printed_isReadAndNodesHaveUniqueNames(UnaryOperator<String> name) {
        Topology plain = everyKind(n -> n);
        Topology topology = described(plain, name);
        for (Option option : Option.values()) {
            Topology read = read(PrintedSubnet.print(topology, EnumSet.of(option)), new ArrayList<>());
            assertEquals(content(topology), content(read), () -> "with " + option);
            Set<String> names =
                    new TreeSet<>(read.nodes().stream().map(Node::name).toList());
            assertEquals(topology.nodes().size(), names.size(), names.toString());
            assertEquals(read, NetDiscoverReader.read(NetDiscoverWriter.write(read)));
        }
    }

    /** The same nodes with other descriptions; their names remain. */
    private static Topology described(Topology topology, UnaryOperator<String> name) {
        List<Node> nodes = topology.nodes().stream()
                .map(node -> {
                    Identity i = node.identity();
                    Identity other =
                            new Identity(i.guid(), i.systemGuid(), i.vendor(), i.device(), name.apply(node.name()));
                    return new Node(node.index(), node.kind(), node.name(), other, node.ports(), node.addresses());
                })
                .toList();
        return new Topology(nodes, topology.cables());
    }

    static Stream<Topology> clusters() {
        return Stream.of(RealClusters.aggregation(), RealClusters.planes(), RealClusters.rails());
    }

    @ParameterizedTest
    @MethodSource("clusters")
    void realCluster_printed_isReadBack(Topology cluster) {
        for (Set<Option> options : List.of(
                EnumSet.noneOf(Option.class),
                EnumSet.of(Option.GROUPING, Option.ENHANCED),
                EnumSet.of(Option.FULL, Option.STANDARD_ERROR))) {
            Topology read = read(PrintedSubnet.print(cluster, options), new ArrayList<>());
            assertEquals(content(cluster), content(read));
            assertEquals(
                    cluster.nodes().stream().map(Node::name).sorted().toList(),
                    read.nodes().stream().map(Node::name).sorted().toList());
        }
    }

    /** sort(1) of a report, its reverse, and a mixture: the same nodes, ports and cables. */
    @ParameterizedTest
    @MethodSource("clusters")
    void portsReport_inAnyOrderOfLines_isTheSame(Topology cluster) {
        List<String> lines = PrintedSubnet.report(cluster).lines().collect(Collectors.toCollection(ArrayList::new));
        Map<Long, String> expected = content(read(PrintedSubnet.report(cluster), new ArrayList<>()));
        for (Comparator<String> order : List.of(
                Comparator.<String>naturalOrder(),
                Comparator.<String>reverseOrder(),
                Comparator.<String>comparingInt(String::hashCode))) {
            lines.sort(order);
            assertEquals(expected, content(read(String.join("\n", lines), new ArrayList<>())));
        }
    }

    @Test
    void portsReport_portOfASwitchTwice_isRefused() {
        String report = PrintedSubnet.report(everyKind(name -> name));
        String port =
                report.lines().filter(line -> line.startsWith("SW")).findFirst().orElseThrow();
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> read(report + port + "\n", new ArrayList<>()));
        assertTrue(String.valueOf(refused.getMessage()).contains("is described a second time"), refused::toString);
    }

    @ParameterizedTest
    @MethodSource("clusters")
    void portsReport_ofACluster_hasItsCables(Topology cluster) {
        List<String> warnings = new ArrayList<>();
        Topology read = read(PrintedSubnet.report(cluster), warnings);
        assertEquals(cluster.toString(), read.toString());
        for (Node node : cluster.nodes()) {
            Node copy = node.isSwitch()
                    ? read.find(node.id()).orElseThrow()
                    : read.find("H-" + Node.hex(node.address(1).guid())).orElseThrow();
            assertEquals(node.addresses(), copy.addresses());
            for (int port = 1; port <= node.ports(); port++) {
                int cable = cluster.cableAt(node.index(), port);
                int other = read.cableAt(copy.index(), port);
                assertEquals(cable < 0, other < 0);
                assertEquals(cluster.peerPort(node.index(), port), read.peerPort(copy.index(), port));
                assertTrue(cable < 0
                        || cluster.cables()
                                .get(cable)
                                .rate()
                                .equals(read.cables().get(other).rate()));
            }
        }
        assertTrue(warnings.stream().anyMatch(warning -> warning.contains("no node GUIDs")), warnings.toString());
    }

    @Test
    void list_ofNodes_isATopologyWithoutCables() {
        List<String> warnings = new ArrayList<>();
        Topology topology = everyKind(name -> name);
        Topology read = read(PrintedSubnet.list(topology), warnings);
        assertEquals(topology.nodes().size(), read.nodes().size());
        assertEquals(List.of("The text is a list of nodes, without cables"), warnings);
    }

    /** ibnetdiscover -g prints no router that belongs to a chassis, and never a node of a kind that it does not know. */
    @Test
    void peer_thatIsNotPrinted_isLeftOutWithAWarning() {
        List<String> warnings = new ArrayList<>();
        Topology read = read("""
                Switch\t8 "S-0000000000200001"\t\t# "s" base port 0 lid 3 lmc 0
                [1]\t"R-0000000000300001"[1](300002) \t\t# "router" lid 4 4xSDR
                [2]\t"?-0000000000300009"[1](30000a) \t\t# "what" lid 4 4xSDR
                """, warnings);
        assertEquals(0, read.cables().size());
        assertEquals(
                List.of(
                        "Line 2: port 1 of 's' leads to 'R-0000000000300001', which the text does not describe; the cable is"
                                + " left out (and 1 more)"),
                warnings);
    }

    @Test
    void lid65535_ofAPortWithoutManager_isNone() {
        Topology read = read("Ca 1 \"a\"\n[1] \"b\"[1] # lid 65535 lmc 0\nCa 1 \"b\"\n", new ArrayList<>());
        assertEquals(0, read.node(0).address(1).lid());
    }

    @Test
    void cacheOrDifference_isRejectedWithTheCommandToUse() {
        assertTrue(assertThrows(TopologyException.class, () -> NetDiscoverReader.read("\u008f\u00e7\u0083\u002b\0\0"))
                .toString()
                .contains("--load-cache"));
        assertTrue(assertThrows(TopologyException.class, () -> NetDiscoverReader.read("< [1]\t\"S-1\"[2]"))
                .toString()
                .contains("--diff"));
    }

    @Test
    void linesThatBeginLikeAPortOrNode_mustBeWhole() {
        assertEquals(
                List.of(
                        "Line 2: '[1' is not a port of ibnetdiscover's text",
                        "Line 3: 'Ca\t2 \"x' is not a node of ibnetdiscover's text"),
                assertThrows(TopologyException.class, () -> NetDiscoverReader.read("Switch 8 \"s\"\n[1\nCa\t2 \"x\n"))
                        .problems());
    }

    /** The width and speed that two ends of a cable of ibsim agree on. */
    @ParameterizedTest
    @CsvSource({
        "'', '', 4xEDR",
        "w=12, '', 12xSDR",
        "w=4 s=1, '', 4xSDR",
        "s=4, '', 4xQDR",
        "w=3, w=1, 1xSDR",
        "w=2 s=7, w=11 s=3, 4xDDR",
        "w=16, w=16, 2xSDR",
        "w=0x8 e=15, w=8 e=7, 12xHDR",
        "e=8, e=8, 4xNDR",
        "s=4 e=1, s=4, 4xFDR",
        "w=1, '', 1xSDR"
    })
    void optionsOfIbsim_ofBothEnds_giveARate(String one, String two, String rate) {
        Topology read = read(
                "Switch 8 \"s\"\n[1] \"a\"[1] " + one + "\nHca 1 \"a\"\n[1] \"s\"[1] " + two + "\n", new ArrayList<>());
        assertEquals(rate, read.cables().getFirst().rate().toString());
    }

    @Test
    void fileOfIbsim_withEverySetting_isRead() {
        List<String> warnings = new ArrayList<>();
        String included = """
                hcaguids=0x500000
                Hca\t2 "A"
                [1]\t"Sw1"
                [2]\t"Sw1" [7]
                Ca\t1 "B"
                """;
        Topology read = NetDiscoverReader.read(
                """
                # a file of ibsim
                module = "net"
                pdebug=0
                width=8
                speed=4
                extspeed=0
                switchguids=0x300000
                devid=0x1234
                Switch\t8 "Sw1"\t# A switch without quotation marks enhanced port 0 lid 5 lmc 0
                @[8]\t"uplink"
                Switch\t8 "Sw2"
                # a comment between its ports
                [3]\t"@uplink"
                caguid+0x10
                include "nodes.net"
                do Error "Sw1"[1] 10
                quit
                """, name -> name.equals("nodes.net") ? Optional.of(included) : Optional.empty(), warnings::add);
        assertEquals("2 adapters, 2 switches, 0 routers, 3 cables", read.toString());
        Node one = read.find("A switch without quotation marks").orElseThrow();
        assertEquals(0x300000, one.guid());
        assertEquals(5, one.address(0).lid());
        Node two = read.find("net#Sw2").orElseThrow();
        assertEquals(0x300001, two.guid());
        assertEquals(one.index(), read.peer(two.index(), 3));
        assertEquals(8, read.peerPort(two.index(), 3));
        Node a = read.find("net#A").orElseThrow();
        assertEquals(0x500000, a.guid());
        assertEquals(0x500003, read.find("net#B").orElseThrow().guid());
        assertEquals(1, read.peerPort(a.index(), 1));
        assertEquals(7, read.peerPort(a.index(), 2));
        assertEquals(
                Set.of("12xQDR"),
                new TreeSet<>(read.cables().stream()
                        .map(cable -> cable.rate().toString())
                        .toList()));
        assertEquals(
                List.of(
                        "Line 17: 'quit' is neither a node, a port, nor a property of ibnetdiscover's text; the line is ignored",
                        "Line 16: 'do Error \"Sw1\"[1] 10' is a command of ibsim, which is not executed"),
                warnings);
    }

    @Test
    void include_ofItselfOrOfNothing_isAProblem() {
        for (String name : Arrays.asList("self.net", "absent.net")) {
            TopologyException problem = assertThrows(
                    TopologyException.class,
                    () -> NetDiscoverReader.read(
                            "include \"" + name + "\"\n",
                            file -> file.equals("self.net") ? Optional.of("include \"self.net\"") : Optional.empty(),
                            warning -> {}));
            assertTrue(problem.toString().contains("'" + name + "' cannot be included"), problem::toString);
        }
    }
}
