package io.verbena.fabric.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** ibnetdiscover's text: read, written, read again; and text that is not valid. */
class NetDiscoverTest {

    /** What ibnetdiscover of infiniband-diags 44 prints for two switches and two adapters. */
    private static final String PRINTED = """
            #
            # Topology file: generated on Sun Nov 22 22:52:20 2026
            #
            # Initiated from node 0000000000200000 port 0000000000200000

            vendid=0x2c9
            devid=0xb924
            sysimgguid=0x200001
            switchguid=0x200001(200001)
            Switch\t8 "S-0000000000200001"\t\t# "Switch2" base port 0 lid 3 lmc 0
            [1]\t"H-0000000000100003"[1](100004) \t\t# "beta HCA-1" lid 4 4xSDR
            [3]\t"S-0000000000200000"[3]\t\t# "Switch1" lid 1 12xHDR

            vendid=0x0
            devid=0x0
            sysimgguid=0x200000
            switchguid=0x200000(200000)
            Switch\t8 "S-0000000000200000"\t\t# "Switch1" enhanced port 0 lid 1 lmc 0
            [1]\t"H-0000000000100000"[2](100002) \t\t# "alpha HCA-1" lid 8 4xFDR
            [3]\t"S-0000000000200001"[3]\t\t# "Switch2" lid 3 12xHDR

            vendid=0x0
            devid=0x0
            sysimgguid=0x100003
            caguid=0x100003
            Ca\t2 "H-0000000000100003"\t\t# "beta HCA-1"
            [1](100004) \t"S-0000000000200001"[1]\t\t# lid 4 lmc 0 "Switch2" lid 3 4xSDR

            vendid=0x0
            devid=0x0
            sysimgguid=0x100000
            caguid=0x100000
            Ca\t2 "H-0000000000100000"\t\t# "alpha HCA-1"
            [2](100002) \t"S-0000000000200000"[1]\t\t# lid 8 lmc 2 "Switch1" lid 1 4xFDR
            """;

    private static final String IBSIM = """
            # a file of ibsim
            Switch 8 "left"
            [1] "Hca1"[1]
            [3] "right"[3]

            Switch 8 "right"
            [1] "Hca2"[1]
            [3] "left"[3]

            Hca 2 "Hca1"
            [1] "left"[1]

            Hca 2 "Hca2"
            [1] "right"[1]
            """;

    @Test
    void textOfIbnetdiscover_read_hasNamesLidsAndRates() {
        Topology topology = NetDiscoverReader.read(PRINTED);
        assertEquals(2, topology.count(NodeKind.SWITCH));
        assertEquals(3, topology.cables().size());
        Node alpha = topology.find("alpha HCA-1").orElseThrow();
        assertEquals("alpha", alpha.unit());
        assertEquals(new PortAddress(0x100002, 8, 2), alpha.address(2));
        assertEquals(new PortAddress(0x100001, 0, 0), alpha.address(1));
        Node two = topology.find("S-0000000000200001").orElseThrow();
        assertEquals(new Identity(0x200001, 0x200001, 0x2c9, 0xb924, "Switch2"), two.identity());
        assertEquals(3, two.address(5).lid());
        assertEquals(
                "12xHDR",
                topology.cables().get(topology.cableAt(two.index(), 3)).rate().toString());
        assertEquals(two, topology.find("0x200001").orElseThrow());
    }

    @Test
    void textOfIbsim_read_getsGuids() {
        Topology topology = NetDiscoverReader.read(IBSIM);
        assertEquals("2 adapters, 2 switches, 0 routers, 3 cables", topology.toString());
        Node left = topology.find("left").orElseThrow();
        assertEquals("Hca1", topology.node(topology.peer(left.index(), 1)).name());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fat-tree:4",
                "torus:3x3,length=40",
                "dragonfly:1x3x1,sanics=2,ports=2",
                "machine-room",
                "ring:3,rate=12xNDR"
            })
    void topology_writtenAndRead_isEqual(String specification) {
        Topology topology = TopologySpecification.parse(specification);
        assertEquals(topology, NetDiscoverReader.read(NetDiscoverWriter.write(topology)));
    }

    @Test
    void textOfIbnetdiscover_readWrittenAndRead_isEqual() {
        Topology topology = NetDiscoverReader.read(PRINTED);
        assertEquals(topology, NetDiscoverReader.read(NetDiscoverWriter.write(topology)));
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                Arguments.of("", "The topology has no nodes"),
                Arguments.of(
                        "garbage",
                        "Line 1: 'garbage' is neither a node, a port, nor a property of ibnetdiscover's text"),
                Arguments.of("[1] \"x\"[1]", "Line 1: a port before the first node"),
                Arguments.of("Toaster 2 \"x\"", "Line 1: 'Toaster' is no kind of node; use Switch, Ca, Hca or Rt"),
                Arguments.of(
                        "Ca 1 \"a\"\n[1] \"b\"[1]",
                        "Line 2: port 1 of 'a' leads to 'b', which the text does not describe"),
                Arguments.of("Ca 1 \"a\"\n[2] \"a\"[1]", "Line 2: 'a' has no port 2; it has 1"),
                Arguments.of("Ca 1 \"a\"\nCa 1 \"a\"", "Line 2: the node 'a' is described a second time"),
                Arguments.of(
                        "Ca 1 \"a\"\n[1] \"b\"[7]\nCa 2 \"b\"",
                        "A cable ends at port 7 of 'b', which has ports 1 to 2"),
                Arguments.of(
                        "Ca 1 \"a\"\n[1] \"b\"[1]\nCa 1 \"b\"\n[1] \"c\"[1]\nCa 1 \"c\"\n",
                        "Line 2: port 1 of 'a' leads to port 1 of 'b', which line 4 connects to something else"),
                Arguments.of(
                        "Ca 1 \"a\"\n[1] \"b\"[1]\nCa 1 \"b\"\nCa 1 \"c\"\n[1] \"b\"[1]",
                        "Port 1 of 'b' has two cables"),
                Arguments.of("Ca 1 \"a\"\n[1] \"a\"[1]", "Port 1 of 'a' has two cables"),
                Arguments.of("Ca 255 \"a\"", "Node 'a' has 255 ports; 1 to 254 are possible"),
                Arguments.of("Ca 1 \"H-0000000000000000\"", "Node 'H-0000000000000000' has no GUID"),
                Arguments.of(
                        "caguid=0x5\nCa 1 \"a\"\ncaguid=0x5\nCa 1 \"b\"",
                        "The nodes 'a' and 'b' have the same GUID 0x0000000000000005 (and 1 more)"),
                Arguments.of(
                        "Ca 1 \"a\"\n[1](5) \"s\"[1]\nCa 1 \"b\"\n[1](5) \"s\"[2]\nSwitch 2 \"s\"",
                        "Two ports have the port GUID 0x0000000000000005, one of 'a' and one of 'b'"),
                Arguments.of(
                        "Ca 1 \"a\"\n[1] \"s\"[1] # lid 4 lmc 1\nCa 1 \"b\"\n[1] \"s\"[2] # lid 5 lmc 0\nSwitch 2 \"s\"",
                        "'a' and 'b' have the same LID 5"),
                Arguments.of(
                        "Ca 1 \"a\"\n[1] \"s\"[1] # lid 5 lmc 1\nSwitch 2 \"s\"",
                        "Node 'a' has the LID 5, which is no multiple of the 2 LIDs that its LMC 1 gives it"),
                Arguments.of(
                        "Ca 1 \"a\"\n[1] \"s\"[1] # lid 49152 lmc 0\nSwitch 2 \"s\"",
                        "Node 'a' has the LID 49152; 1 to 49151 are possible"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void text_malformed_failsWithASentence(String text, String sentence) {
        TopologyException problem = assertThrows(TopologyException.class, () -> NetDiscoverReader.read(text));
        assertEquals(sentence, problem.getMessage());
    }

    @Test
    void lids_ofTwoSubnets_mayBeEqual() {
        Topology topology = NetDiscoverReader.read("""
                Ca 1 "a"
                [1] "r"[1] # lid 7 lmc 0
                Ca 1 "b"
                [1] "r"[2] # lid 7 lmc 0
                Rt 2 "r"
                """);
        assertEquals(3, topology.nodes().size());
    }

    /** Any change of a valid text is read, or fails with sentences; nothing else. */
    @Tag(Seeds.TAG)
    @Test
    void text_changedAtRandom_isReadOrFailsWithSentences() {
        List<String> texts = List.of(PRINTED, IBSIM, NetDiscoverWriter.write(Shapes.machineRoom()));
        Seeds.each(300, seed -> {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder(texts.get(random.nextInt(texts.size())));
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                int at = random.nextInt(text.length());
                int length = Math.min(random.nextInt(40), text.length() - at);
                switch (random.nextInt(4)) {
                    case 0 -> text.setCharAt(at, (char) random.nextInt(256));
                    case 1 -> text.delete(at, at + length);
                    case 2 -> text.insert(at, text.substring(at, at + length));
                    default -> text.insert(random.nextInt(text.length()), text.substring(at, at + length));
                }
            }
            try {
                Topology topology = NetDiscoverReader.read(text.toString());
                assertEquals(topology, NetDiscoverReader.read(NetDiscoverWriter.write(topology)), "seed " + seed);
            } catch (TopologyException e) {
                assertTrue(!e.problems().isEmpty() && e.problems().size() <= 20, "seed " + seed);
            }
        });
    }
}
