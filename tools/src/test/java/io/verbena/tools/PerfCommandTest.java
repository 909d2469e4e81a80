package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.picture.Pictures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;

class PerfCommandTest {

    private static final String[] OPS = {
        "write_lat", "read_lat", "send_lat", "fetch_add_lat", "write_bw", "read_bw", "send_bw"
    };

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void all_withItsOwnServer_measuresEverythingAndDrawsIt() throws Exception {
        Path svg = folder.resolve("perf.svg");
        CliRun run = perf("all --size 64,4KiB --iterations 50 --warm-up 0 --json --pin 0-1,0-1 --svg " + svg);
        assertEquals(0, run.code(), run.err());
        assertEquals(1, run.out().lines().count());
        assertTrue(run.out().startsWith("{\"ok\":true,\"role\":\"client\","), run.out());
        for (String op : OPS) {
            assertTrue(run.out().contains("{\"op\":\"" + op + "\",\"size\":"), run.out());
        }
        for (String figure : List.of("p999", "bytesPerSecond", "cpuNsPerMessage", "peerCpuNsPerMessage")) {
            assertTrue(run.out().contains("\"" + figure + "\":"), run.out());
        }
        assertTrue(run.out().contains("\"progress\":\"INLINE\",\"messages\":50,"), run.out());
        assertTrue(run.out().contains("\"progress\":\"ENGINE_THREAD\",\"messages\":50,"), run.out());
        List<String> texts = Pictures.texts(Pictures.parse(Files.readString(svg)));
        for (String op : OPS) {
            assertTrue(
                    texts.contains(op) || texts.contains(op + " shared-memory") && texts.contains(op + " tcp"),
                    texts::toString);
        }
        assertTrue(texts.containsAll(List.of("Bandwidth", "Latency, median", "Message size")), texts::toString);
        assertTrue(texts.contains("One message in N took longer"), texts::toString);
    }

    @Test
    void all_oneSize_drawsDistributionsAndABarForEachBandwidth() throws Exception {
        Path svg = folder.resolve("perf.svg");
        CliRun run = perf("all --iterations 50 --warm-up 0 --json --svg " + svg);
        assertEquals(0, run.code(), run.err());
        Element picture = Pictures.parse(Files.readString(svg));
        long measured = Pattern.compile("\"op\":").matcher(run.out()).results().count();
        long curves = Pictures.elements(picture, "polyline").size();
        long bars = Pictures.elements(picture, "rect").stream()
                .filter(rect -> rect.getTextContent().contains("_bw, "))
                .count();
        assertEquals(measured, curves + bars, "every measurement is a curve or a bar");
        assertTrue(
                Pictures.elements(picture, "polyline").stream()
                        .allMatch(curve -> curve.getAttribute("points").split(" ").length > 3),
                "a curve has more than one point");
    }

    @Test
    void paths_oneIsCut_theOthersGoOn_andThePictureShowsIt() throws Exception {
        Path svg = folder.resolve("cut.svg");
        CliRun run =
                perf("write_bw --provider roce --paths 4 --cut 2@0.2s --seconds 0.6 --warm-up 0 --json --svg " + svg);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("\"timeline\":{\"intervalNs\":10000000,"), run.out());
        assertTrue(run.out().contains("\"cuts\":[\"2@0.2s\"]"), run.out());
        assertTrue(run.out().contains("{\"path\":3,\"state\":"), run.out());
        assertTrue(Pictures.texts(Pictures.parse(Files.readString(svg))).contains("cut 2@0.2s"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void survive_transportIsCut_theBandwidthGoesOn_andThePictureShowsIt(String provider) throws Exception {
        Path svg = folder.resolve("survive.svg");
        CliRun run = perf("write_bw --provider " + provider
                + " --survive 127.0.0.1 --cut 0.2s --seconds 0.6 --warm-up 0 --json --svg " + svg);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("\"cuts\":[\"0.2s\"],\"gapsNs\":["), run.out());
        // The connection that is measured, and the one that controls it; more if the machine was busy.
        assertTrue(
                Pattern.compile("\"transportChanges\":\\{\"changes\":([2-9]|\\d{2,}),")
                        .matcher(run.out())
                        .find(),
                run.out());
        assertTrue(Pictures.texts(Pictures.parse(Files.readString(svg))).contains("cut 0.2s"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write_bw --cut 1s",
                "write_bw --survive 127.0.0.1 --cut 1@1s",
                "write_bw --survive 127.0.0.1 --cut 1",
                "write_bw --survive 127.0.0.1 --cut 2s --seconds 2",
                "write_bw --survive 127.0.0.1:70000",
                "write_bw --survive 127.0.0.1 --paths 8 --provider roce",
                "write_bw --survive 127.0.0.1 --no-p2p",
                "write_lat --survive 127.0.0.1 --cut 1s"
            })
    void survive_wrongOptions_areRefused(String arguments) {
        CliRun run = perf(arguments);
        assertEquals(2, run.code(), run.out());
        assertTrue(run.err().contains("--survive") || run.err().contains("--cut"), run.err());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write_bw --cut 1@1s",
                "write_bw --paths 8",
                "write_bw --paths 8 --provider iwarp",
                "write_bw --paths 0 --provider roce",
                "write_bw --paths 65 --provider roce",
                "write_bw --paths 8 --cut 8@1s --provider roce",
                "write_bw --paths 8 --cut 0@1s --provider roce",
                "write_bw --paths 8 --cut 1@2s-1s --provider roce",
                "write_lat --paths 8 --cut 1@1s --provider roce",
                "write_bw,read_bw --paths 8 --cut 1@1s --provider roce"
            })
    void paths_wrongOptions_areRefused(String arguments) {
        CliRun run = perf(arguments);
        assertEquals(2, run.code(), run.err());
        assertTrue(run.err().contains("--paths") || run.err().contains("--cut"), run.err());
    }

    @Test
    void osu_all_printTheColumnsOfTheOsuBenchmarks() {
        List<String> ops = List.of(
                "osu_latency",
                "osu_bw",
                "osu_bibw",
                "osu_put_latency",
                "osu_get_latency",
                "osu_bcast",
                "osu_allreduce",
                "osu_alltoall",
                "osu_barrier");
        CliRun run = perf(String.join(",", ops) + " --size 64 --iterations 20 --warm-up 0 --ranks 2");
        assertEquals(0, run.code(), run.err());
        List<String> rows =
                run.out().lines().filter(line -> !line.startsWith("#")).toList();
        assertEquals(ops.size(), rows.size(), run.out());
        for (String row : rows.subList(0, rows.size() - 1)) {
            String[] columns = row.split(" +");
            assertEquals("64", columns[0]);
            assertTrue(Double.parseDouble(columns[1]) > 0, row);
        }
        assertTrue(run.out().contains("# Size          Latency (us)"), run.out());
    }

    @Test
    void osu_mistakes_areNamed() {
        assertEquals(2, perf("osu_nothing").code());
        assertEquals(2, perf("osu_latency --ranks 1").code());
        assertEquals(2, perf("osu_allreduce --size 3").code());
        assertEquals(2, perf("osu_latency 127.0.0.1").code());
    }

    @Test
    void overRoce_withItsOwnServer_measures() {
        CliRun run =
                perf("write_lat,read_lat,write_bw,read_bw,send_bw --size 64,64KiB --iterations 50 --warm-up 0 --json"
                        + " --provider roce");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("\"progress\":\"INLINE\",\"messages\":50,"), run.out());
        assertTrue(run.out().contains("\"progress\":\"ENGINE_THREAD\",\"messages\":50,"), run.out());
    }

    @ParameterizedTest
    @CsvSource({"--inline, --inline --crc", "--engine-thread --markers, --inline", "--crc, --engines 2"})
    void serverAndClient_anyModes_measureForPeople(String server, String client) throws Exception {
        try (CliRun serving = perf("--server --listen 127.0.0.1:0 " + server)) {
            String host = " 127.0.0.1:" + serving.port();
            CliRun run = perf("all --iterations 100 --warm-up 0.01 --qps 3 --depth 8 --batch 3 " + client + host);
            assertEquals(0, run.code(), run.err());
            for (String op : OPS) {
                assertTrue(run.out().contains(op + ": "), run.out());
            }
            assertTrue(run.out().contains("99.9 %"), run.out());
            assertTrue(run.out().contains("messages/s"), run.out());
            serving.awaitErr("connected, with 3 connection(s).");
            serving.interrupt();
            assertEquals(0, serving.code(), serving.err());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 70, 80, 120})
    void onATerminal_anyWidth_noLineIsWider(int columns) throws Exception {
        try (CliRun serving = perf("--server --listen 127.0.0.1:0")) {
            measureOnTerminal(columns, "127.0.0.1:" + serving.port());
        }
    }

    @Test
    void onANarrowTerminal_withItsOwnServer_noLineIsWider() {
        measureOnTerminal(40);
    }

    private static void measureOnTerminal(int columns, String... server) {
        List<String> arguments = new ArrayList<>(List.of("perf", "write_lat,write_bw", "--size", "64,1MiB"));
        arguments.addAll(List.of("--iterations", "20", "--warm-up", "0"));
        arguments.addAll(List.of(server));
        CliRun run = CliRun.onTerminal(columns, arguments.toArray(String[]::new));
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().lines().allMatch(line -> line.length() <= columns), run.out());
        boolean table = columns >= 80;
        assertEquals(table, run.out().contains("     size    messages"), run.out());
        assertEquals(!table, run.out().contains("size 64 B, messages 20"), run.out());
    }

    @Test
    void onATerminal_longRun_showsABar() {
        CliRun run = CliRun.onTerminal("perf", "write_bw", "--seconds", "0.05", "--warm-up", "0");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.err().contains("write_bw 64.0 KiB"), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"write_bw", "send_bw", "write_lat --inline", "read_lat"})
    void server_goesAwayInARun_clientSaysSoAndEnds(String op) throws Exception {
        try (CliRun serving = perf("--server --listen 127.0.0.1:0 " + (op.contains("inline") ? "--inline" : ""))) {
            CliRun run = perf(op + " --seconds 100 --timeout 5 127.0.0.1:" + serving.port());
            serving.awaitErr(" connected, with ");
            run.awaitOut("size");
            serving.interrupt();
            assertEquals(1, run.code());
            assertEquals(1, run.err().lines().count(), run.err());
            assertTrue(run.err().startsWith("verbena perf: "), run.err());
        }
    }

    @Test
    void ctrlC_inARun_endsItWithWhatThereIs() throws Exception {
        CliRun run = perf("read_bw,write_bw --size 64,128 --seconds 100 --warm-up 0 --json");
        run.interrupt();
        assertEquals(130, run.code());
        assertTrue(run.out().contains("\"ok\":false"), run.out());
        assertTrue(run.err().contains("Stopped before the end"), run.err());
    }

    @Test
    void client_serverOfAnotherKind_saysSo() throws Exception {
        try (CliRun ping = CliRun.start("ping", "--server", "-p", "0")) {
            CliRun run = perf("write_lat --timeout 2 127.0.0.1:" + ping.port());
            assertEquals(1, run.code());
            assertEquals(1, run.err().lines().count(), run.err());
        }
    }

    @Test
    void client_nobodyThere_saysHowToStartAServer() {
        CliRun run = perf("write_lat 127.0.0.1:1");
        assertEquals(1, run.code());
        assertTrue(run.err().contains("'verbena perf --server' starts a server there"), run.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | perf needs an operation",
                "write | There is no operation 'write'; use one of write_lat,",
                "write_bw read_bw | by commas: write_bw,read_bw",
                "write_bw,x | There is no operation",
                "write_bw --size 0 | --size must be",
                "write_bw --size 1GiB | --size must be",
                "write_bw --size 64x | is not a size",
                "write_bw --size 64 --all-sizes | not both",
                "write_bw --iterations 0 | --iterations must be",
                "write_bw --seconds 0 | --seconds must be",
                "write_bw --seconds 4000 | an hour",
                "write_bw --warm-up -1 | --warm-up must be",
                "write_bw --qps 0 | --qps must be 1 to 256, not 0",
                "write_bw --depth 10000 | --depth must be",
                "write_bw --batch 0 | --batch must be",
                "write_bw --size 128MiB --qps 8 | of memory on each side",
                "write_bw --pin x | is not a core",
                "write_bw --pin 0,1,2 | --pin takes",
                "write_bw --pin 0,1 127.0.0.1 | --pin takes",
                "write_bw --listen :1 | --listen goes with --server",
                "write_bw 127.0.0.1:99999 | HOST must be",
                "all --capture x.pcapng | --capture records one RNIC",
                "--server write_bw | A server takes no operation",
                "--server --pin 0,1 | A server is one process",
                "write_bw --inline --engine-thread | not both"
            })
    void arguments_wrong_areExplained(String arguments, String sentence) {
        CliRun run = perf(arguments);
        assertEquals(2, run.code());
        assertTrue(run.err().contains(sentence), run.err());
        assertTrue(run.err().endsWith("Try 'verbena perf --help'.\n"), run.err());
    }

    @Test
    void svg_folderMissing_failsBeforeTheMeasurement() {
        CliRun run = perf("write_bw --svg " + folder.resolve("no/perf.svg"));
        assertEquals(1, run.code());
        assertTrue(run.err().contains("Cannot write the chart"), run.err());
        assertFalse(run.out().contains("write_bw"));
    }

    @Test
    void pin_coreThatIsNotThere_isASentence() {
        CliRun run = perf("write_lat --pin 8000");
        assertEquals(1, run.code());
        assertTrue(run.err().startsWith("verbena perf: "), run.err());
    }

    @Test
    void hostPort_anyForm_isUnderstood() throws Exception {
        assertEquals(new HostPort("host", 5), HostPort.parse("HOST", "host", 5));
        assertEquals(new HostPort("192.0.2.7", 80), HostPort.parse("HOST", "192.0.2.7:80", 5));
        assertEquals(new HostPort("::1", 5), HostPort.parse("HOST", "::1", 5));
        assertEquals(new HostPort("2001:db8::1", 80), HostPort.parse("HOST", "[2001:db8::1]:80", 5));
        for (String wrong : List.of("", "a:b", "a:70000", "[::1", ":5")) {
            assertThrows(UsageProblem.class, () -> HostPort.parse("HOST", wrong, 5));
        }
    }

    private static CliRun perf(String arguments) {
        List<String> all = new ArrayList<>(List.of("perf"));
        if (!arguments.isBlank()) {
            all.addAll(List.of(arguments.strip().split(" +")));
        }
        return CliRun.start(all.toArray(String[]::new));
    }
}
