package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The programs that connect queue pairs by hand, {@code pingpong} and {@code perftest}, against themselves. */
class HandMadePathTest {

    /** A loopback address of its own, since one RNIC at a time can have an address. */
    private static String address() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return "127." + random.nextInt(16, 255) + "." + random.nextInt(256) + "." + random.nextInt(1, 255);
    }

    private static String[] line(String... words) {
        List<String> all = new ArrayList<>();
        for (String word : words) {
            all.addAll(List.of(word.split(" ")));
        }
        return all.toArray(String[]::new);
    }

    private static CliRun bothSides(String command, String options) throws Exception {
        String at = address();
        try (CliRun server = CliRun.start(line(command, options, "--json -p 0 -a", at))) {
            CliRun client =
                    CliRun.of(line(command, options, "--json -p", String.valueOf(server.port()), "-a", address(), at));
            assertEquals(0, client.code(), client.err());
            assertEquals(0, server.code(), server.err());
            assertTrue(server.out().startsWith("{\"ok\":true,\"role\":\"server\""), server.out());
            assertTrue(client.out().startsWith("{\"ok\":true,\"role\":\"client\""), client.out());
            return client;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rc -n 300",
                "rc -n 20 -s 100000 -c",
                "rc -n 50 --inline",
                "rc -n 50 -e -m 256",
                "uc -n 300",
                "ud -n 300",
                "ud -n 20 -s 1 -e",
                "srq -n 300",
                "srq -n 100 -q 3"
            })
    void pingpong_bothRoles_allMessagesAreExchanged(String options) throws Exception {
        bothSides("pingpong", options);
    }

    @ParameterizedTest
    @ValueSource(strings = {"write_bw", "read_bw", "send_bw", "write_lat", "read_lat", "send_lat"})
    void perftest_bothRoles_measure(String op) throws Exception {
        CliRun client = bothSides("perftest", op + " -n 300 -s 5000");
        assertTrue(client.out().contains(op.endsWith("_bw") ? "\"bytesPerSecond\":" : "\"latencyNs\":"), client.out());
    }

    @Test
    void perftest_otherOperationAtThePeer_failsWithASentence() throws Exception {
        String at = address();
        try (CliRun server = CliRun.start(line("perftest write_lat -n 100 -p 0 --timeout 1 -a", at))) {
            CliRun client = CliRun.of(
                    line("perftest send_bw -n 100 --timeout 1 -p", String.valueOf(server.port()), "-a", address(), at));
            assertEquals(1, client.code(), client.err());
            assertEquals(1, server.code(), server.err());
        }
    }

    @Test
    void pingpong_nothingListens_failsWithASentence() throws Exception {
        CliRun client = CliRun.of(line("pingpong rc -p 1 -a", address(), address()));
        assertEquals(1, client.code());
        assertTrue(client.err().contains("'ibv_rc_pingpong' starts a server there"), client.err());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pingpong xy 127.0.0.1",
                "pingpong ud 127.0.0.1 -s 2000",
                "pingpong rc 127.0.0.1 -m 1000",
                "perftest sing 127.0.0.1",
                "perftest read_bw 127.0.0.1 -o 0"
            })
    void wrongArguments_areRefused(String command) throws Exception {
        assertEquals(2, CliRun.of(command.split(" ")).code());
    }
}
