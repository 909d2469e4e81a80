package io.verbena.tools.ping;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.Peers;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.Listener;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingCommandTest {

    private static final String[] SERVER = {"ping", "--server", "-a", "127.0.0.1", "-p", "0"};

    @TempDir
    private Path folder = Path.of(".");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--engine-thread",
                "--inline",
                "--inline -S 1",
                "-S 65535",
                "-S 1M",
                "-S 65535 --crc",
                "-S 65535 --markers",
                "-S 65535 --crc --markers --inline",
                "--no-p2p",
                "--revision 1",
                "-S 5000 --fpdu 64",
                "--engines 2"
            })
    void ping_bothRoles_everyRoundIsVerified(String options) throws Exception {
        String[] more = options.split(" ");
        try (CliRun server = CliRun.start(with(SERVER, more))) {
            CliRun client = CliRun.of(with(client(server.port(), "-C", "20", "--json"), more));
            assertEquals(0, client.code(), client.err());
            assertTrue(client.out().startsWith("{\"ok\":true,\"role\":\"client\""), client.out());
            assertTrue(client.out().contains("\"rounds\":20,"), client.out());
            assertEquals(0, server.code(), server.err());
            assertTrue(server.err().contains("server DISCONNECT EVENT..."), server.err());
            assertTrue(server.out().startsWith("20 round(s) with 1 client(s)"), server.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--engine-thread", "--inline -S 100000"})
    void ping_overRoce_everyRoundIsVerified(String options) throws Exception {
        long process = ProcessHandle.current().pid();
        String address = "127.9." + (process >> 8 & 0xff) + "." + (process & 0xff); // no other test has it
        List<String> more = new ArrayList<>(List.of("--provider", "roce"));
        more.addAll(List.of(options.split(" ")));
        String[] arguments = more.toArray(String[]::new);
        try (CliRun server =
                CliRun.start(with(new String[] {"ping", "--server", "-a", address, "-p", "0"}, arguments))) {
            CliRun client = CliRun.of(
                    with(new String[] {"ping", address, "-p", String.valueOf(server.port()), "-C", "20"}, arguments));
            assertEquals(0, client.code(), client.err());
            assertTrue(client.out().startsWith("20 round(s) with " + address + ":"), client.out());
            assertEquals(0, server.code(), server.err());
        }
    }

    @Test
    void ping_inlineAgainstEngineThread_everyRoundIsVerified() throws Exception {
        try (CliRun server = CliRun.start(with(SERVER, "--engine-thread"))) {
            CliRun client = CliRun.of(client(server.port(), "--inline", "-C", "100"));
            assertEquals(0, client.code(), client.err());
            assertTrue(client.out().startsWith("100 round(s) with 127.0.0.1:"), client.out());
            assertTrue(client.out().contains("\nRound time: min "), client.out());
            assertEquals(0, server.code(), server.err());
        }
    }

    @Test
    void ping_verbose_showsTheTextOfRping() throws Exception {
        try (CliRun server = CliRun.start(with(SERVER, "-v", "-V"))) {
            CliRun client = CliRun.of(client(server.port(), "-v", "-C", "2"));
            assertEquals(0, client.code(), client.err());
            String text = "rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs\n";
            assertTrue(client.out().contains("\nping data: " + text), client.out());
            assertEquals(0, server.code(), server.err());
            assertTrue(server.out().contains("\nserver ping data: " + text), server.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--engine-thread", "--inline"})
    void ping_persistentServer_servesManyAtOnce(String progress) throws Exception {
        try (CliRun server = CliRun.start(with(SERVER, "-P", "--connections", "8", "--json", progress))) {
            List<CliRun> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                clients.add(CliRun.start(client(server.port(), "-C", "50", "-S", "4k", "--engine-thread")));
            }
            for (CliRun client : clients) {
                assertEquals(0, client.code(), client.err());
            }
            assertEquals(0, server.code(), server.err());
            assertTrue(server.out().contains("\"connections\":8,\"rounds\":400,"), server.out());
        }
    }

    @Test
    void ping_serverStopped_endsWithItsFigures() throws Exception {
        try (CliRun server = CliRun.start(with(SERVER, "-P"))) {
            assertEquals(0, CliRun.of(client(server.port(), "-C", "3")).code());
            server.interrupt();
            assertEquals(0, server.code(), server.err());
            assertTrue(server.out().startsWith("3 round(s) with 1 client(s)"), server.out());
        }
    }

    @Test
    void ping_clientStopped_endsWithItsFigures() throws Exception {
        try (CliRun server = CliRun.start(SERVER);
                CliRun client = CliRun.start(client(server.port(), "-C", "0", "-v", "--interval", "0.01"))) {
            client.awaitOut("rdma-ping-3");
            client.interrupt();
            assertEquals(0, client.code(), client.err());
            assertTrue(client.out().contains("round(s) with"), client.out());
            assertEquals(0, server.code(), server.err());
        }
    }

    @Test
    void ping_capture_isPcapng() throws Exception {
        Path capture = folder.resolve("ping.pcapng");
        try (CliRun server = CliRun.start(SERVER)) {
            CliRun client = CliRun.of(client(server.port(), "--capture", capture.toString()));
            assertEquals(0, client.code(), client.err());
        }
        byte[] start = Files.readAllBytes(capture);
        assertTrue(start.length > 1000, "only " + start.length + " bytes");
        assertEquals("0a0d0d0a", HexFormat.of().formatHex(start, 0, 4));
    }

    @Test
    void ping_captureWithALimit_endsThereAndThePingDoesNot() throws Exception {
        Path capture = folder.resolve("small.pcapng");
        try (CliRun server = CliRun.start(SERVER)) {
            CliRun client = CliRun.of(client(
                    server.port(), "--capture", capture.toString(), "--capture-limit", "4K", "--capture-snap", "64"));
            assertEquals(0, client.code(), client.err());
        }
        assertTrue(Files.size(capture) > 1000);
        assertTrue(Files.size(capture) <= 4096 + 100, "it has " + Files.size(capture) + " bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--engine-thread", "--inline"})
    void ping_nobodyListens_saysSo(String progress) throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        CliRun client = CliRun.of(client(port, progress, "--json"));
        assertEquals(1, client.code());
        assertTrue(client.err().contains("'verbena ping --server' or 'rping -s' starts a server there"), client.err());
        assertEquals(1, client.err().lines().count(), client.err());
        assertTrue(client.out().startsWith("{\"ok\":false,") && client.out().contains("\"error\":\""), client.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--engine-thread", "--inline"})
    void ping_serverThatNeverAnswers_endsInTime(String progress) throws Exception {
        try (ServerSocket silent = new ServerSocket()) {
            silent.bind(Peers.loopback(0));
            CliRun client = CliRun.of(client(silent.getLocalPort(), "--timeout", "0.3", progress));
            assertEquals(1, client.code());
            assertEquals(1, client.err().lines().count(), client.err());
        }
    }

    @Test
    void ping_serverThatSpeaksSomethingElse_saysSo() throws Exception {
        try (ServerSocket web = new ServerSocket()) {
            web.bind(Peers.loopback(0));
            Thread.ofVirtual().start(() -> answer(web, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
            CliRun client = CliRun.of(client(web.getLocalPort()));
            assertEquals(1, client.code());
            assertEquals(1, client.err().lines().count(), client.err());
        }
    }

    /** What comes after the answer does not matter, a reset included: the client has seen enough. */
    private static void answer(ServerSocket server, String text) {
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            while (socket.getInputStream().read() >= 0) {
                // until the client has closed
            }
        } catch (SocketException e) {
            assertTrue(e.toString().contains("reset"), e.toString());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void ping_portInUse_saysSo() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(Peers.loopback(0));
            String port = String.valueOf(taken.getLocalPort());
            CliRun server = CliRun.of("ping", "--server", "-a", "127.0.0.1", "-p", port);
            assertEquals(1, server.code());
            assertTrue(server.err().contains("verbena ping: Cannot listen at 127.0.0.1:" + port), server.err());
            assertEquals(1, server.err().lines().count(), server.err());
        }
    }

    @Test
    void ping_serverThatStalls_endsInTime() throws Exception {
        try (Peers peer = new Peers();
                Listener listener = peer.listen()) {
            CliRun client = CliRun.start(client(port(listener), "--timeout", "2"));
            peer.accept(listener);
            assertEquals(1, client.code());
            assertTrue(
                    client.err()
                            .contains(
                                    "The peer did nothing for 2 s while this side waited for the server to confirm its"
                                            + " Read"),
                    client.err());
        }
    }

    @Test
    void ping_serverThatLeaves_saysInWhichRound() throws Exception {
        try (Peers peer = new Peers();
                Listener listener = peer.listen()) {
            CliRun client = CliRun.start(client(port(listener)));
            peer.accept(listener);
            assertEquals(CompletionOpcode.RECEIVE, peer.next().opcode());
            peer.leave();
            assertEquals(1, client.code());
            assertTrue(client.err().contains("in round 0"), client.err());
        }
    }

    @Test
    void ping_serverThatWritesOtherBytes_isFoundOut() throws Exception {
        try (Peers peer = new Peers();
                Listener listener = peer.listen()) {
            CliRun client = CliRun.start(client(port(listener)));
            peer.accept(listener);
            peer.next();
            peer.send(16);
            peer.next();
            assertEquals(CompletionOpcode.RECEIVE, peer.next().opcode());
            PingOffer sink = PingOffer.read(peer.memory.segment(), 0);
            peer.queuePair.postWrite(0, peer.memory, 64, 10, sink.address(), sink.rkey(), WrFlags.SIGNALLED);
            peer.send(16);
            assertEquals(1, client.code());
            assertTrue(client.err().contains("Round 0 returned wrong bytes, from byte 0 on."), client.err());
        }
    }

    @Test
    void ping_serverWithAWrongKey_isTerminated() throws Exception {
        try (Peers peer = new Peers();
                Listener listener = peer.listen()) {
            CliRun client = CliRun.start(client(port(listener), "--json"));
            peer.accept(listener);
            peer.next();
            PingOffer source = PingOffer.read(peer.memory.segment(), 0);
            peer.queuePair.postWrite(0, peer.memory, 64, 10, source.address(), ~source.rkey(), WrFlags.SIGNALLED);
            assertEquals(1, client.code());
            assertTrue(client.out().contains("\"termination\":{\"byUs\":true,\"layer\":1,"), client.out());
        }
    }

    @Test
    void ping_serverThatSendsTooLittle_isFoundOut() throws Exception {
        try (Peers peer = new Peers();
                Listener listener = peer.listen()) {
            CliRun client = CliRun.start(client(port(listener)));
            peer.accept(listener);
            peer.next();
            peer.send(5);
            assertEquals(1, client.code());
            assertTrue(client.err().contains("The server sent 5 bytes instead of 16"), client.err());
        }
    }

    @Test
    void ping_clientThatLeavesWithinARound_failsTheServer() throws Exception {
        try (CliRun server = CliRun.start(SERVER)) {
            try (Peers peer = Peers.connect(server.port())) {
                offer(peer, peer.memory.rkey(), 64);
                peer.next();
                assertEquals(CompletionOpcode.RECEIVE, peer.next().opcode());
                peer.leave();
            }
            assertEquals(1, server.code());
            assertTrue(server.err().contains("the client disconnected within a round"), server.err());
        }
    }

    @Test
    void ping_clientThatOffersTooMuch_isTurnedAway() throws Exception {
        try (CliRun server = CliRun.start(SERVER);
                Peers peer = Peers.connect(server.port())) {
            offer(peer, peer.memory.rkey(), -1);
            assertEquals(1, server.code());
            assertTrue(
                    server.err().contains("the client offers 4.0 GiB; the limit of this server is 1.0 MiB"),
                    server.err());
        }
    }

    @Test
    void ping_clientWithAWrongKey_failsTheServer() throws Exception {
        try (CliRun server = CliRun.start(SERVER);
                Peers peer = Peers.connect(server.port())) {
            offer(peer, ~peer.memory.rkey(), 64);
            assertEquals(1, server.code());
            assertTrue(server.err().contains("Client 127.0.0.1:"), server.err());
        }
    }

    @Test
    void ping_clientThatSendsTooMuch_failsTheServerOnly() throws Exception {
        try (CliRun server = CliRun.start(with(SERVER, "-P", "--connections", "2"));
                Peers peer = Peers.connect(server.port())) {
            peer.send(64);
            assertEquals(0, CliRun.of(client(server.port())).code());
            assertEquals(1, server.code());
            assertTrue(server.err().contains("1 connection(s) failed"), server.err());
        }
    }

    @Test
    void ping_clientThatStalls_isGivenUp() throws Exception {
        try (CliRun server = CliRun.start(with(SERVER, "--idle", "0.3"));
                Peers peer = Peers.connect(server.port())) {
            assertEquals(1, server.code());
            peer.leave();
            assertTrue(server.err().contains("the client was idle for too long"), server.err());
        }
    }

    /** A command has 0.2 s for its figures; one attempt within them is enough, as other work of the machine takes some. */
    @Test
    void ping_serverProcessThatIsStopped_endsWithItsFigures() throws Exception {
        String said = "";
        for (int i = 0; i < 3 && said.isEmpty(); i++) {
            said = figuresOfAServerThatIsStopped();
        }
        assertTrue(said.startsWith("200 round(s) with 1 client(s)"), said);
    }

    private static String figuresOfAServerThatIsStopped() throws Exception {
        Process process = new ProcessBuilder(java(with(SERVER, "-P"))).start();
        try {
            String line = process.errorReader(StandardCharsets.UTF_8).readLine();
            int port = Integer.parseInt(line.replaceAll(".*:(\\d+)\\.$", "$1"));
            CliRun client = CliRun.of(client(port, "-C", "200", "-S", "1000", "--crc"));
            assertEquals(0, client.code(), client.err());
            process.toHandle().destroy(); // SIGTERM, which works as Ctrl-C does
            assertEquals(StopSignal.EXIT_CODE, process.waitFor());
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void ping_fromALocalAddress_isSeenByTheServer() throws Exception {
        try (CliRun server = CliRun.start(with(SERVER, "--idle", "0.1"))) {
            CliRun client = CliRun.start(client(server.port(), "-I", "127.0.0.9", "--interval", "1000", "-C", "2"));
            assertEquals(1, server.code());
            assertTrue(server.err().contains("Client 127.0.0.9:"), server.err());
            assertEquals(1, client.code());
        }
    }

    @Test
    void ping_fromAnAddressOfSomebodyElse_saysSo() {
        CliRun client = CliRun.of(client(7174, "-I", "192.0.2.1"));
        assertEquals(1, client.code());
        assertEquals(1, client.err().lines().count(), client.err());
        assertTrue(client.err().contains("192.0.2.1"), client.err());
    }

    @Test
    void ping_stoppedBeforeTheLastRound_saysHowFarItCame() throws Exception {
        try (CliRun server = CliRun.start(SERVER);
                CliRun client = CliRun.start(client(server.port(), "-C", "99", "-v", "--interval", "1000"))) {
            client.awaitOut("rdma-ping-0");
            client.interrupt();
            assertEquals(1, client.code(), client.err());
            assertTrue(client.err().endsWith("verbena ping: Stopped after 1 of 99 rounds.\n"), client.err());
            assertTrue(client.out().contains("1 round(s) with"), client.out());
            assertEquals(0, server.code(), server.err());
        }
    }

    private static List<String> java(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "io.verbena.tools.Verbena"));
        command.addAll(List.of(arguments));
        return command;
    }

    private static void offer(Peers peer, int rkey, int length) {
        new PingOffer(peer.memory.address(), rkey, length).write(peer.memory.segment(), 64);
        peer.send(PingOffer.BYTES);
    }

    private static int port(Listener listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private static String[] client(int port, String... more) {
        return with(new String[] {"ping", "127.0.0.1", "-p", String.valueOf(port)}, more);
    }

    private static String[] with(String[] arguments, String... more) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }
}
