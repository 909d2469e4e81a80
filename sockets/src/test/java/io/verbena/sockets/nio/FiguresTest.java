package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.stream.StreamFigures.BufferPhase;
import io.verbena.sockets.stream.StreamFigures.Direction;
import io.verbena.text.AddressText;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a provider states about its connections. */
@Timeout(60)
class FiguresTest {

    private static final String RDMA = "*";
    private static final String TCP = "";

    @TempDir
    private Path folder = Path.of(".");

    private static VerbenaSelectorProvider provider(String rdma) {
        return VerbenaSelectorProvider.of(SocketsOptions.defaults()
                .withPatience(java.time.Duration.ofSeconds(20))
                .withRdma(rdma)
                .withProvider("iwarp"));
    }

    private static SocketFigures of(VerbenaSelectorProvider provider, boolean accepted) {
        return provider.figures().stream()
                .filter(figures -> figures.route().accepted() == accepted)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"'*', IWARP, FIRST, 1", "'', TCP, NONE, 0"})
    void connection_carriesBytes_figuresCountBothDirections(
            String rdma, SocketTransport transport, BufferPhase phase, int messages) throws Exception {
        VerbenaSelectorProvider provider = provider(rdma);
        try (Stage stage = new Stage(provider)) {
            Stage.Pair pair = stage.pair();
            Stage.writeAll(pair.client(), Stage.text("hello"));
            assertEquals("hello", Stage.read(pair.server(), 5));
            SocketFigures client = of(provider, false);
            SocketFigures server = of(provider, true);
            assertEquals(List.of(transport, transport), List.of(client.transport(), server.transport()));
            assertEquals(
                    new Direction(5, messages, 1, 5 + 5 * messages),
                    client.stream().sent());
            assertEquals(new Direction(0, 0, 0, 0), server.stream().sent());
            assertEquals(5, server.stream().received().bytes());
            assertEquals(1, server.stream().received().copies());
            assertEquals(0, client.stream().received().bytes());
            assertEquals(phase, client.stream().buffers().phase());
            assertEquals(client.route().local(), server.route().remote());
            assertEquals(
                    AddressText.ofIp(pair.client().getRemoteAddress()),
                    client.route().remote());
        }
        assertEquals(List.of(), provider.figures());
    }

    @Test
    void peerDoesNotRead_writeStalls_buffersGrowToTheLargest() throws Exception {
        VerbenaSelectorProvider provider = provider(RDMA);
        try (Stage stage = new Stage(provider)) {
            Stage.Pair pair = stage.pair();
            fill(pair.client());
            SocketFigures stalled = of(provider, false);
            assertTrue(stalled.stream().stalls().count() > 0, stalled::toString);
            assertEquals(BufferPhase.LARGEST, stalled.stream().buffers().phase());
            fill(pair.client());
            assertEquals(stalled, of(provider, false)); // one stall, however often the program tries
            while (of(provider, false).stream().stalls().durationNs()
                    == stalled.stream().stalls().durationNs()) {
                pair.server().read(ByteBuffer.allocate(1 << 16));
            }
        }
    }

    private static void fill(SocketChannel channel) throws Exception {
        channel.configureBlocking(false);
        ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
        int idle = 0;
        while (idle < 2000) {
            int written = channel.write(bytes.clear());
            idle = written == 0 ? idle + 1 : 0;
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {RDMA, TCP})
    void recording_hasTheLifeOfAConnection_withTotals(String rdma) throws Exception {
        VerbenaSelectorProvider provider = provider(rdma);
        try (Recording recording = new Recording()) {
            recording.enable("io.verbena.sockets.*");
            recording.start();
            try (Stage stage = new Stage(provider)) {
                Stage.Pair pair = stage.pair();
                Stage.writeAll(pair.client(), Stage.text("hello"));
                assertEquals("hello", Stage.read(pair.server(), 5));
                pair.client().close();
                assertEquals("|end", Stage.read(pair.server(), 1));
            }
            recording.stop();
            Path file = folder.resolve("life.jfr");
            recording.dump(file);
            List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().startsWith("io.verbena.sockets."))
                    .toList();
            String transport = rdma.isEmpty() ? "TCP" : "IWARP";
            RecordedEvent connect = event(events, "Connect");
            assertEquals(transport, connect.getString("transport"));
            assertEquals(!rdma.isEmpty(), connect.getBoolean("requested"));
            assertTrue(connect.getDuration("connecting").isPositive());
            RecordedEvent accept = event(events, "Accept");
            assertEquals(connect.getString("local"), accept.getString("remote"));
            List<RecordedEvent> closes = events.stream()
                    .filter(event -> event.getEventType().getName().endsWith("Close"))
                    .toList();
            assertEquals(2, closes.size());
            assertEquals(5, closes.getFirst().getLong("sentBytes"));
            assertEquals(5, closes.getLast().getLong("receivedBytes"));
            assertEquals(transport, closes.getLast().getString("transport"));
        }
    }

    private static RecordedEvent event(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().endsWith("." + name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + events));
    }

    @Test
    void connectionByTcp_saysWhy() throws Exception {
        VerbenaSelectorProvider provider = provider(TCP);
        try (Stage stage = new Stage(provider)) {
            stage.pair();
            assertEquals("the peer has not asked for RDMA", of(provider, true).why());
            assertEquals(
                    "the option rdma does not have the peer",
                    of(provider, false).why());
        }
    }

    @Test
    void connectionsByTcp_areCountedByReason_alsoWhenTheyHaveEnded() throws Exception {
        VerbenaSelectorProvider provider = provider(TCP);
        Map<String, Long> both =
                Map.of("the peer has not asked for RDMA", 2L, "the option rdma does not have the peer", 2L);
        try (Stage stage = new Stage(provider)) {
            Stage.Pair ends = stage.pair();
            ends.client().close();
            ends.server().close();
            stage.pair();
            assertEquals(both, provider.tcpReasons());
        }
        assertEquals(both, provider.tcpReasons());
    }

    @Test
    void peerThatMayNotUseRdma_isCountedAsSuch() throws Exception {
        VerbenaSelectorProvider provider = VerbenaSelectorProvider.of(SocketsOptions.defaults()
                .withPatience(java.time.Duration.ofSeconds(20))
                .withRdma(RDMA)
                .withProvider("iwarp")
                .withAccept());
        try (Stage stage = new Stage(provider)) {
            stage.pair();
            assertEquals(
                    "the option accept does not have the peer",
                    of(provider, true).why());
            assertEquals(
                    "its program had accepted the connection before it was asked for RDMA",
                    of(provider, false).why());
        }
        assertEquals(2, provider.tcpReasons().size());
    }

    @Test
    void moreReasonsThanAreKept_areCountedAsOne() {
        Connections.TcpReasons reasons = new Connections.TcpReasons();
        for (int i = 0; i < 100; i++) {
            reasons.add("reason " + i);
        }
        reasons.add("reason 0");
        reasons.add("");
        assertEquals(65, reasons.counts().size());
        assertEquals(2, reasons.counts().get("reason 0"));
        assertEquals(36, reasons.counts().get("other reasons"));
    }

    @Test
    void connectionByRdma_saysNothing() throws Exception {
        VerbenaSelectorProvider provider = provider(RDMA);
        try (Stage stage = new Stage(provider)) {
            stage.pair();
            assertEquals("", of(provider, true).why());
            assertEquals("", of(provider, false).why());
        }
    }

    /** The server reads, and answers nothing. */
    @Test
    void peerThatDoesNotAnswer_isNamedAsTheReason() throws Exception {
        VerbenaSelectorProvider provider = VerbenaSelectorProvider.of(
                SocketsOptions.defaults().withRdma(RDMA).withProvider("iwarp"));
        try (Stage stage = new Stage(provider);
                ServerSocketChannel plain = SelectorProvider.provider().openServerSocketChannel()) {
            plain.bind(Stage.anyPort());
            SocketChannel first = stage.client();
            first.connect(plain.getLocalAddress());
            assertEquals(
                    "it did not answer within 500 ms whether it uses RDMA",
                    of(provider, false).why());
            first.close();
            stage.client().connect(plain.getLocalAddress()); // it was silent before
            assertEquals(
                    "it did not answer within 50 ms whether it uses RDMA",
                    of(provider, false).why());
        }
    }

    @Test
    void figures_asText_areReadAgain() throws Exception {
        VerbenaSelectorProvider provider = provider(RDMA);
        try (Stage stage = new Stage(provider)) {
            Stage.Pair pair = stage.pair();
            pair.client().write(Stage.text("hello"));
            ProcessFigures figures = new ProcessFigures(
                    "a program\twith arguments",
                    List.of("one: left\tout", "two: as well"),
                    Map.of("a reason", 3L, "another\tone", 1L),
                    provider.figures());
            ProcessFigures read = ProcessFigures.of(figures.toText()).orElseThrow();
            assertEquals("a program with arguments", read.command());
            assertEquals(List.of("one: left out", "two: as well"), read.leftOut());
            assertEquals(Map.of("a reason", 3L, "another one", 1L), read.byTcp());
            assertEquals(figures.connections(), read.connections());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "verbena-sockets 4\nx\n\n",
                "verbena-sockets 5",
                "verbena-sockets 5\nx\n\nmany reasons\n",
                "verbena-sockets 5\nx\n\n1 same\t2 same\n",
                "verbena-sockets 2\nx\n\n",
                "verbena-sockets 5\nx\n\n\nTCP\tNONE\n",
                "verbena-sockets 5\nx\n\n\nUDP\tNONE\tfalse\ta\tb\tw\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10\t11\t12\t13\t14\t15\t16\n",
                "verbena-sockets 5\nx\n\n\nTCP\tNONE\tfalse\ta\tb\tw\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10\t11\t12\t13\t14\t15\tx\n",
            })
    void anotherText_isNotRead(String text) {
        assertEquals(Optional.empty(), ProcessFigures.of(text));
    }
}
