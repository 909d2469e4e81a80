package io.verbena.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.command.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both roles of {@code verbena pingpong}, against each other. {@code interop/run} runs them against Linux's programs. */
class PingPongCommandTest {

    @ParameterizedTest
    @ValueSource(strings = {"rc", "uc", "ud", "srq", "rc -e", "rc -c"})
    void addresses_notGiven_areFound(String service) throws Exception {
        try (CliRun server = CliRun.start(("pingpong " + service + " -p 0").split(" "))) {
            CliRun client = CliRun.of(("pingpong " + service + " 127.0.0.1:" + server.port() + " -n 20").split(" "));
            assertEquals(ExitCode.OK, client.code(), client.err() + server.err());
            assertTrue(
                    client.out().matches("(?s).*20 messages each way of .*: [0-9,.]+ µs per round, .*"), client.out());
        }
    }

    /** The address of the server is that of its RNIC, so that the client on the same host needs another one. */
    @Test
    void bothSides_atOneAddress_useTwoRnics() throws Exception {
        String own = "127.15.18.8";
        try (CliRun server = CliRun.start("pingpong", "rc", "-p", "0", "-a", own)) {
            CliRun client = CliRun.of("pingpong", "rc", own + ":" + server.port(), "-n", "20");
            assertEquals(ExitCode.OK, client.code(), client.err() + server.err());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 3000})
    void server_withoutIters_playsAsLongAsItsClient(int messages) throws Exception {
        try (CliRun server = CliRun.start("pingpong", "rc", "-p", "0", "--json")) {
            CliRun client = CliRun.of("pingpong", "rc", "127.0.0.1:" + server.port(), "--iters", "" + messages);
            assertEquals(ExitCode.OK, client.code(), client.err() + server.err());
            assertEquals(ExitCode.OK, server.code(), server.err());
            assertTrue(server.out().contains("\"iterations\":" + messages), server.out());
        }
    }

    @Test
    void numbersOfMessages_different_areNamedAsTheCause() throws Exception {
        try (CliRun server = CliRun.start("pingpong", "rc", "-p", "0", "-n", "10", "--timeout", "1")) {
            CliRun client = CliRun.of("pingpong", "rc", "127.0.0.1:" + server.port(), "-n", "20", "--timeout", "1");
            assertEquals(ExitCode.FAILED, client.code(), client.err());
            assertTrue(client.err().contains("give both sides the same --iters"), client.err());
        }
    }

    @Test
    void address_ofAnotherMachine_isTheOnlyCause() {
        CliRun run = CliRun.of("pingpong", "rc", "-a", "198.51.100.1", "-p", "0");
        assertEquals(ExitCode.FAILED, run.code());
        assertTrue(run.err().contains("this machine has no such address"), run.err());
    }

    @Test
    void address_ofAnotherRnic_isTheOnlyCause() throws Exception {
        String address = "127.15.18.9";
        try (CliRun first = CliRun.start("pingpong", "rc", "-a", address, "-p", "0")) {
            first.port();
            CliRun second = CliRun.of("pingpong", "rc", "-a", address, "-p", "0");
            assertEquals(ExitCode.FAILED, second.code());
            assertTrue(second.err().contains("of this address is in use, probably by another RNIC"), second.err());
        }
    }
}
