package io.verbena.tools.impair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.command.ExitCode;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetImpairCommandTest {

    private static final int PATIENCE_MS = 60_000;

    @Test
    void check_rules_printsThemAndEnds(@TempDir Path folder) throws IOException {
        Path script = Files.writeString(folder.resolve("cut.txt"), "# a cut\nat 2s: path sport%8==3 loss 100%\n");
        String[] arguments = {
            "net", "impair", "tap:a", "tap:b", "-r", "delay 1ms", "--script", script.toString(), "--check"
        };
        try (CliRun run = CliRun.of(arguments)) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            assertEquals(
                    "at 0.000 s: delay 1ms\nat 2.000 s: sport%8==3 loss 100%",
                    run.out().strip());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    eth0 tap:b                                  | An end must be tap:NAME
                    tap:a tap:a                                 | The ends must differ
                    tap:a udp:127.0.0.1                         | must carry the same
                    udp:127.0.0.1 udp:127.0.0.2                 | need --via
                    udp:127.0.0.1 udp:::1 --via 127.0.0.3       | one version of IP
                    udp:127.0.0.1 udp:localhost --via 127.0.0.3 | The ends must differ
                    tap:a tap:b --via 127.0.0.1                 | is for the ends udp
                    tap:a tap:b --rule=loss                     | no value after
                    tap:a tap:b --trim-dscp 64                  | 0 to 63
                    tap:a tap:b --hold 0                        | 1 to 10000000
                    """)
    void wrongArguments_rejectedWithASentence(String arguments, String part) {
        String[] words = ("net impair " + arguments).split(" +");
        try (CliRun run = CliRun.of(words)) {
            assertEquals(ExitCode.USAGE, run.code(), run.err());
            assertTrue(run.err().contains(part), run.err());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    tap:nothing packet:nothing2             | no network device 'nothing'
                    tap:a tap:b --script /nowhere/cut.txt   | Cannot read the script
                    udp:127.0.0.1 udp:127.0.0.2 --via 192.0.2.1 | Cannot forward
                    """)
    void endThatCannotBeUsed_failsWithASentence(String arguments, String part) {
        String[] words = ("net impair " + arguments).split(" +");
        try (CliRun run = CliRun.of(words)) {
            assertEquals(ExitCode.FAILED, run.code(), run.err());
            assertTrue(run.err().contains(part), run.err());
        }
    }

    @Test
    void datagrams_betweenTwoHosts_passAndAreCounted() throws IOException {
        try (DatagramSocket free = new DatagramSocket(new InetSocketAddress("127.0.0.3", 0))) {
            int port = free.getLocalPort();
            try (DatagramSocket a = new DatagramSocket(new InetSocketAddress("127.0.0.2", port));
                    DatagramSocket b = new DatagramSocket(new InetSocketAddress("127.0.0.4", port))) {
                free.close();
                String via = "127.0.0.3:" + port;
                try (CliRun run = CliRun.start(
                        "net",
                        "impair",
                        "udp:127.0.0.2",
                        "udp:127.0.0.4",
                        "--via",
                        via,
                        "-r",
                        "from==b loss 100%",
                        "--json")) {
                    exchange(a, b, port);
                    run.interrupt();
                    run.code();
                    assertTrue(run.out().contains("\"ok\":true"), run.out());
                    assertTrue(run.out().contains("\"fromB\":{\"packets\":1,\"bytes\":32,\"passed\":0}"), run.out());
                    assertTrue(run.out().contains("\"matched\":1,\"lost\":1"), run.out());
                }
            }
        }
    }

    /** The forwarder takes a moment to start, and what comes before is lost: a repeats its datagram until one arrives. */
    private static void exchange(DatagramSocket a, DatagramSocket b, int port) throws IOException {
        InetSocketAddress via = new InetSocketAddress("127.0.0.3", port);
        byte[] bytes = new byte[32];
        DatagramPacket arrived = new DatagramPacket(new byte[64], 64);
        b.setSoTimeout(100);
        long endNs = System.nanoTime() + PATIENCE_MS * 1_000_000L;
        boolean passed = false;
        while (!passed && System.nanoTime() - endNs < 0) {
            a.send(new DatagramPacket(bytes, bytes.length, via));
            try {
                b.receive(arrived);
                passed = true;
            } catch (java.net.SocketTimeoutException e) {
                continue; // not yet
            }
        }
        assertTrue(passed, "nothing was forwarded");
        assertEquals(32, arrived.getLength());
        assertEquals(via, arrived.getSocketAddress());
        b.send(new DatagramPacket(bytes, bytes.length, via));
        // What b sends is lost by a rule, so a marker from a shows that the forwarder has seen it.
        while (arrived.getLength() != 16 && System.nanoTime() - endNs < 0) {
            a.send(new DatagramPacket(bytes, 16, via));
            arrived.setLength(64);
            try {
                b.receive(arrived);
            } catch (java.net.SocketTimeoutException e) {
                continue; // not yet
            }
        }
    }
}
