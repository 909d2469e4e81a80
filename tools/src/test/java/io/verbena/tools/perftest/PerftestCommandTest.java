package io.verbena.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.command.ExitCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both roles of {@code verbena perftest}, against each other. {@code interop/run} runs them against perftest. */
class PerftestCommandTest {

    private static final String SERVER = "127.15.18.1";
    private static final String CLIENT = "127.15.18.2";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write_bw",
                "read_lat",
                "send_bw",
                "atomic_bw -A CMP_AND_SWAP",
                "atomic_lat",
                "write_lat -c UC",
                "send_bw -c UC",
                "send_bw -c UD",
                "send_lat -c UD",
                "write_bw -R",
                "read_bw -R",
                "send_lat -R",
                "atomic_lat -R"
            })
    void roce_bothRoles_completeTheMeasurement(String operation) throws Exception {
        bothRoles(operation + " -n 20", List.of("-a", SERVER), List.of("-a", CLIENT, SERVER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"read_bw", "send_bw -r 7 -t 3", "write_lat", "atomic_bw"})
    void iwarp_rdmaCm_bothRoles_completeTheMeasurement(String operation) throws Exception {
        String local = "127.0.0.1";
        bothRoles(operation + " -R --provider iwarp -n 20", List.of("-a", local), List.of("-a", local, local));
    }

    @Test
    void ipv6Rnic_exchangeOverIpv4_completesTheMeasurement() throws Exception {
        // One RNIC has the only IPv6 address of the loopback interface; -R is not used, so the peer's may be anything
        // reachable.
        bothRoles(
                "send_lat -n 20", List.of("-a", SERVER, "--exchange", "127.0.0.1"), List.of("-a", CLIENT, "127.0.0.1"));
    }

    /** README's commands: neither side names its own address. */
    @ParameterizedTest
    @ValueSource(strings = {"write_bw", "send_lat -c UD", "write_bw -R", "read_bw -R --provider iwarp"})
    void addresses_notGiven_areFound(String operation) throws Exception {
        bothRoles(operation + " -n 20", List.of(), List.of());
    }

    private static void bothRoles(String operation, List<String> server, List<String> client) throws Exception {
        try (CliRun serving = CliRun.start(arguments(operation, List.of("-p", "0", "--json"), server))) {
            String port = String.valueOf(serving.port());
            List<String> named = client.isEmpty() ? List.of(serving.host()) : client;
            CliRun measured = CliRun.of(arguments(operation, List.of("-p", port, "--json"), named));
            assertEquals(ExitCode.OK, measured.code(), measured.err() + serving.err());
            assertEquals(ExitCode.OK, serving.code(), serving.err());
            assertTrue(measured.out().contains("\"ok\":true"), measured.out());
        }
    }

    private static String[] arguments(String operation, List<String> common, List<String> more) {
        List<String> all = new ArrayList<>(List.of("perftest"));
        all.addAll(List.of(operation.split(" ")));
        all.addAll(common);
        all.addAll(more);
        return all.toArray(String[]::new);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write_bw -c UD           | The service UD has no write_bw",
                "atomic_bw -c UC          | The service UC has no atomic_bw",
                "send_bw -c UC -R         | -R connects RC only, not UC",
                "atomic_bw -s 16          | An atomic has 8 bytes: --size must be 8, not 16",
                "send_bw -c UD -s 2048    | --size must be 1 to 1024, not 2048: a datagram is not longer than the path MTU",
                "write_bw --provider iwarp -a 127.0.0.1 -p 0 | Queue pairs of iWARP cannot be connected by hand: add -R",
                "move_bw                  | There is no operation 'move_bw'"
            })
    void wrongArguments_oneSentence(String line) {
        int bar = line.indexOf('|');
        CliRun run = CliRun.of(arguments(line.substring(0, bar).strip(), List.of(), List.of()));
        assertEquals(ExitCode.USAGE, run.code(), run.err());
        assertTrue(run.err().contains(line.substring(bar + 1).strip()), run.err());
    }

    @Test
    void nothingListens_rdmaCm_saysHowToStartAServer() {
        CliRun run = CliRun.of("perftest", "write_bw", "-R", "-a", CLIENT, SERVER, "-p", "18999", "--timeout", "0.3");
        assertEquals(ExitCode.FAILED, run.code(), run.err());
        assertTrue(
                run.err().contains("'verbena perftest write_bw -R' or 'ib_write_bw -R' starts a server there"),
                run.err());
    }
}
