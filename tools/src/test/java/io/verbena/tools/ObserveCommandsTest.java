package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.observe.Moment;
import io.verbena.tools.observe.PairTable;
import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --web}, {@code verbena web} and {@code verbena top}. */
class ObserveCommandsTest {

    private static final Pattern VIEW =
            Pattern.compile("Live view: (http://127\\.0\\.0\\.1:[0-9]+/)\\?(token=[0-9a-f]+)");

    @TempDir
    private Path folder = Path.of(".");

    private static String figures(CliRun run) throws Exception {
        return get(run, "api/figures");
    }

    private static String get(CliRun run, String path) throws Exception {
        run.awaitErr("token=");
        Matcher view = VIEW.matcher(run.err());
        assertTrue(view.find(), run::err);
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI address = URI.create(view.group(1) + path + '?' + view.group(2));
            return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    void server_isShownByItself_byWeb_andByTop() throws Exception {
        Path file = Files.write(folder.resolve("a.bin"), new byte[1000]);
        String pid = "\"pid\":\"" + ProcessHandle.current().pid() + '"';
        try (CliRun server = CliRun.start("serve", "-e", file.toString(), "-l", "127.0.0.1:0", "--web")) {
            server.port();
            assertTrue(figures(server).contains("\"address\":\"127.0.0.1:" + server.port() + '"'));
            try (CliRun web = CliRun.start("web")) {
                String all = figures(web);
                assertTrue(all.contains(pid) && all.contains("verbena serve"), all);
            }
            CliRun top = CliRun.of("top", "--json");
            assertEquals(0, top.code());
            assertTrue(top.out().contains(pid) && top.out().contains("verbena.listener.limit"), top::out);
            CliRun table = CliRun.of("top", "--once", "--interval", "0.05");
            assertTrue(table.out().contains("PID RNIC QP"), table::out);
        }
    }

    /** A program that knows nothing of the live view, as the README has it, and a command without a page. */
    @ParameterizedTest
    @CsvSource({
        "io.verbena.examples.HelloServer, io.verbena.examples.HelloServer",
        "io.verbena.tools.Verbena ping --server -a 127.0.0.1 -p 0, verbena ping"
    })
    void programOfAUser_isShownByTopAndWeb(String program, String name) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Dport=0",
                "-cp",
                System.getProperty("java.class.path")));
        line.addAll(List.of(program.split(" ")));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        try {
            String top = shown(process.pid(), process::isAlive);
            assertTrue(top.contains('"' + name + '"') && top.contains("verbena.listener.limit"), top);
            try (CliRun web = CliRun.start("web")) {
                String page = figures(web);
                assertTrue(page.contains("\"pid\":\"" + process.pid() + '"'), page);
            }
        } finally {
            process.destroy();
            process.waitFor();
        }
    }

    /** What {@code top} shows of a process, whose socket is made while it goes on. */
    private static String shown(long pid, BooleanSupplier running) {
        CliRun top;
        do {
            top = CliRun.of("top", "--json", String.valueOf(pid));
        } while (running.getAsBoolean() && !(top.code() == 0 && top.out().contains("verbena.listener.limit")));
        return top.out();
    }

    @Test
    void diskServerAndProxy_showWhatTheyDo() throws Exception {
        try (CliRun server = CliRun.start(
                "disk",
                "serve",
                "memory:1M",
                "--address",
                "127.0.0.1",
                "--port",
                "0",
                "--provider",
                "iwarp",
                "--web")) {
            String all = figures(server);
            assertTrue(
                    all.contains("\"subject\":\"disk\"") && all.contains("\"verbena.disk.size\":{\"\":1048576}"), all);
        }
        try (CliRun proxy = CliRun.start(
                "sockets", "proxy", "-l", "127.0.0.1:0", "--to", "rdma:127.0.0.1:9", "--provider", "iwarp", "--web")) {
            assertTrue(figures(proxy).contains("\"verbena.proxy.open\":{\"\":0}"));
        }
    }

    @Test
    void fabric_hasTheFiguresOfItsPorts() throws Exception {
        try (CliRun run = CliRun.start("fabric", "run", "leaf-spine:2x2,hosts=2", "--web")) {
            String metrics = get(run, "metrics");
            assertTrue(
                    Pattern.compile(
                                    "verbena_fabric_port_flits_total\\{fabric_node_name=\"[^\"]+\",fabric_port_number=\"1\",event=\"sent\"} [0-9]+\n")
                            .matcher(metrics)
                            .find(),
                    metrics);
        }
    }

    @Test
    void simulation_showsItsRnics_untilCtrlC() throws Exception {
        try (CliRun sim = CliRun.start("sim", "--seed", "3", "--quiet", "--pace", "100000", "--web")) {
            sim.awaitErr("The simulation has ended");
            String page = figures(sim);
            assertTrue(page.contains("verbena sim --seed 3") && page.contains("\"subject\":\"rnic\""), page);
            sim.interrupt();
            assertEquals(0, sim.code());
        }
    }

    /** The page has what the command has started, and no other process. */
    @Test
    void runAndSocketsRun_showTheProcessesThatTheyStart() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String[] ranks = {"run", "-n", "1", "--web", "--jvm=-Dport=0", "--", "io.verbena.examples.HelloServer"};
        String[] command = {
            "sockets",
            "run",
            "--web",
            "--",
            java,
            "-Dport=0",
            "-cp",
            System.getProperty("java.class.path"),
            "io.verbena.examples.HelloServer"
        };
        for (String[] each : List.of(ranks, command)) {
            try (CliRun run = CliRun.start(each)) {
                String page = figures(run);
                while (!page.contains("verbena.listener.limit") && !run.ended()) {
                    page = figures(run);
                }
                assertTrue(page.contains("HelloServer") && page.split("\"process\"", -1).length == 2, page);
                Matcher pid = Pattern.compile("\"pid\":\"([0-9]+)\"").matcher(page);
                assertTrue(pid.find(), page);
                ProcessHandle.of(Long.parseLong(pid.group(1))).ifPresent(ProcessHandle::destroy);
                run.code();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "perf --web nonsense    | 2 | There is no operation 'nonsense'",
                "perf --server --web 70000 | 2 | --web must be a port from 0 to 65535, not 70000",
                "web --port 70000       | 2 | --port must be 0 to 65535, not 70000",
                "sim --web --count 2    | 2 | --web shows the RNICs of one seed",
                "sim --pace 5           | 2 | --pace goes with --web",
                "top --sort nonsense    | 2 | nonsense",
                "top --rows 0           | 2 | --rows must be 1 or more, not 0",
                "top 999999999          | 1 | Process 999999999 shows no RNIC"
            })
    void arguments_wrong_areExplained(String arguments, int code, String sentence) {
        CliRun run = CliRun.of(arguments.strip().split(" +"));
        assertEquals(code, run.code(), run::err);
        assertTrue(run.err().contains(sentence), run::err);
    }

    private static Moment moment(long timeNs, long first, long second) {
        Figures.Builder rnic = Figures.of("rnic").identity("number", 1);
        for (long bytes : new long[] {first, second}) {
            rnic.part(Figures.of("queue_pair")
                    .identity("number", bytes == first ? "0x01" : "0x02")
                    .text("state", "RTS")
                    .value(RnicFigures.OPERATIONS, "send", bytes / 1000)
                    .value(RnicFigures.IO, "transmit", bytes)
                    .build());
        }
        return new Moment(
                timeNs,
                List.of(Figures.of("process")
                        .identity("pid", 7)
                        .part(rnic.build())
                        .build()));
    }

    @ParameterizedTest
    @CsvSource({"BUSY, 0x02", "SENT, 0x02", "RECEIVED, 0x01", "WAITING, 0x01", "PEER, 0x01"})
    void table_isSortedAsWanted(PairTable.Order order, String first) {
        Moment before = sorting(0, 0);
        Moment now = sorting(1_000_000_000, 1000);
        List<String> lines = new PairTable(0, 1, order).lines(before, now);
        assertTrue(lines.get(1).contains(first), lines::toString);
    }

    /** The first queue pair receives and waits, the second sends more. */
    private static Moment sorting(long timeNs, long bytes) {
        Figures.Builder rnic = Figures.of("rnic").identity("number", 1);
        for (int pair = 1; pair <= 2; pair++) {
            rnic.part(Figures.of("queue_pair")
                    .identity("number", "0x0" + pair)
                    .text("state", "RTS")
                    .text("peer", "192.0.2." + pair + ":7174")
                    .value(RnicFigures.IO, "transmit", pair == 1 ? 0 : 3 * bytes)
                    .value(RnicFigures.IO, "receive", pair == 1 ? bytes : 0)
                    .value(RnicFigures.QUEUE_OUTSTANDING, "send", pair == 1 ? 5 : 0)
                    .build());
        }
        return new Moment(
                timeNs,
                List.of(Figures.of("process")
                        .identity("pid", 7)
                        .part(rnic.build())
                        .build()));
    }

    @Test
    void table_sortsByRate_andCountsTheRest() {
        List<String> lines = new PairTable(0, 1, PairTable.Order.BUSY)
                .lines(moment(0, 1000, 2000), moment(1_000_000_000, 5000, 1_002_000));
        assertTrue(lines.get(1).contains("0x02") && lines.get(1).contains("1.00 MB/s"), lines::toString);
        assertTrue(lines.get(1).contains("1,000"), lines::toString);
        assertEquals("  and 1 more queue pairs", lines.get(2));
    }
}
