package io.verbena.tools;

import static io.verbena.tools.command.TestNames.LIVE;
import static io.verbena.tools.command.TestNames.SEVERAL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ExitCode;
import io.verbena.tools.command.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Every command that takes the name of a host tries all addresses of the name: here, only the last of three answers. */
class NamesTest {

    /** A server at the only live address, and its client, which is given the name. */
    private record Row(String server, String client) {}

    /** By the commands of the clients. */
    private static final Map<String, Row> TABLE = new TreeMap<>(Map.of(
            "ping", new Row("ping --server -P -a LIVE -p 0", "ping NAME:PORT -C 1"),
            "perf",
                    new Row(
                            "perf --server --listen LIVE:0",
                            "perf write_lat,write_bw NAME:PORT --size 64 --iterations 20 --warm-up 0"),
            "cp", new Row("serve -e FILE -l LIVE:0", "cp NAME:PORT/a.bin COPY"),
            "disk discover",
                    new Row("disk serve memory:1M --address LIVE --port 0 --provider iwarp", "disk discover NAME:PORT"),
            "disk connect",
                    new Row("disk serve memory:1M --address LIVE --port 0 --provider iwarp", "disk connect NAME:PORT"),
            "disk read",
                    new Row(
                            "disk serve memory:1M --address LIVE --port 0 --provider iwarp",
                            "disk read NAME:PORT COPY"),
            "disk write",
                    new Row(
                            "disk serve memory:1M --address LIVE --port 0 --provider iwarp",
                            "disk write NAME:PORT FILE"),
            "disk bench",
                    new Row(
                            "disk serve memory:1M --address LIVE --port 0 --provider iwarp",
                            "disk bench NAME:PORT --seconds 0.01"),
            "pingpong", new Row("pingpong rc -a LIVE -p 0", "pingpong rc NAME:PORT -n 20"),
            "perftest", new Row("perftest write_lat -a LIVE -p 0", "perftest write_lat NAME:PORT -n 20")));

    /**
     * The target of a proxy: {@code TargetAddressesTest}. The ends of a forwarder of datagrams are its first addresses: nothing shows which of them
     * lives.
     */
    private static final Set<String> ELSEWHERE = Set.of("net impair", "sockets proxy");

    @TempDir
    private Path folder = Path.of(".");

    private String[] words(String line, int port) throws IOException {
        Path file = folder.resolve("a.bin");
        if (!Files.exists(file)) {
            Files.write(file, new byte[4096]);
        }
        return Arrays.stream(line.split(" "))
                .map(word -> word.replace("NAME", SEVERAL)
                        .replace("LIVE", LIVE)
                        .replace("PORT", String.valueOf(port))
                        .replace("FILE", file.toString())
                        .replace("COPY", folder.resolve("copy").toString()))
                .toArray(String[]::new);
    }

    @TestFactory
    Stream<DynamicTest> addressesThatDoNotAnswer_comeFirst_theLastIsReached() {
        return TABLE.entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> reached(each.getValue())));
    }

    private void reached(Row row) throws Exception {
        try (CliRun server = CliRun.start(words(row.server(), 0))) {
            CliRun client = CliRun.of(words(row.client(), server.port()));
            assertEquals(ExitCode.OK, client.code(), client.err() + server.err());
            server.interrupt();
            server.code(); // the next server has the same address
        }
    }

    /** A new command that takes a host enters the table. */
    @Test
    void everyCommandWithAHost_isInTheTable() {
        Set<String> found = new TreeSet<>();
        Verbena.commandLine(Terminal.system(), new StopSignal())
                .getSubcommands()
                .forEach((name, command) -> collect(name, command, found));
        Set<String> expected = new TreeSet<>(TABLE.keySet());
        expected.addAll(ELSEWHERE);
        assertEquals(expected, found);
    }

    private static void collect(String name, CommandLine command, Set<String> found) {
        command.getSubcommands().forEach((word, inner) -> collect(name + ' ' + word, inner, found));
        boolean host = Stream.concat(
                        command.getCommandSpec().positionalParameters().stream(),
                        command.getCommandSpec().options().stream()
                                .filter(option -> option.longestName().equals("--to")))
                .map(each -> each.paramLabel() + ' ' + String.join(" ", each.description()))
                .anyMatch(text -> text.matches(".*\\bHOST\\b.*|ADDRESS .*"));
        if (host) {
            found.add(name);
        }
    }

    @Test
    void noAddressAnswers_theSentenceNamesTheLast() {
        CliRun ping = CliRun.of("ping", SEVERAL + ":1", "-C", "1", "--provider", "iwarp");
        assertEquals(ExitCode.FAILED, ping.code());
        assertTrue(ping.err().contains("[::1]:1") && ping.err().contains(LIVE + ":1"), ping.err());
        CliRun copy = CliRun.of("cp", "--list", SEVERAL + ":1", "--retry-for", "0", "--provider", "iwarp");
        assertEquals(ExitCode.FAILED, copy.code());
        assertTrue(copy.err().contains(LIVE + ":1"), copy.err());
    }
}
