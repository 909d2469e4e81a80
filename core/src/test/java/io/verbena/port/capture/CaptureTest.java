package io.verbena.port.capture;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryNetwork;
import io.verbena.port.StreamLoop;
import io.verbena.port.TestEnd;
import io.verbena.wire.PcapngReader;
import io.verbena.wire.PcapngWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CaptureTest {

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final MemoryNetwork wire = new MemoryNetwork(MemoryNetwork::loopback);
    private final List<IOException> failures = new ArrayList<>();
    private long nowNs = 1_000;

    private int full;

    private Capture capture(OutputStream out) throws IOException {
        return capture(out, CaptureLimits.defaults());
    }

    private Capture capture(OutputStream out, CaptureLimits limits) throws IOException {
        Capture.Listener listener = new Capture.Listener() {
            @Override
            public void failed(IOException failure) {
                failures.add(failure);
            }

            @Override
            public void full() {
                full++;
            }
        };
        return new Capture(new PcapngWriter(out, PcapngWriter.ETHERNET), () -> nowNs, limits, listener);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A line for each packet: source port, flags, payload. */
    private List<String> packets() {
        byte[] bytes = file.toByteArray();
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(bytes));
        List<String> lines = new ArrayList<>();
        PcapngReader.Outcome outcome;
        while ((outcome = reader.next()) == PcapngReader.Outcome.PACKET) {
            ByteBuffer packet = ByteBuffer.wrap(bytes, (int) reader.packetOffset(), reader.packetLength())
                    .slice();
            int tcp = 14 + 20;
            int flags = packet.get(tcp + 13);
            int data = tcp + (packet.get(tcp + 12) >> 4 & 0xf) * 4;
            byte[] payload = new byte[packet.limit() - data];
            packet.get(data, payload);
            String names = ((flags & 2) != 0 ? "SYN " : "")
                    + ((flags & 1) != 0 ? "FIN " : "")
                    + ((flags & 4) != 0 ? "RST " : "")
                    + ((flags & 16) != 0 ? "ACK " : "");
            lines.add((packet.getShort(tcp) & 0xffff) + " " + names + new String(payload, StandardCharsets.US_ASCII)
                    + "@" + reader.timestampNs());
        }
        assertEquals(PcapngReader.Outcome.END, outcome);
        return lines;
    }

    private TestEnd[] connect(StreamLoop initiator, StreamLoop responder) throws IOException {
        TestEnd server = new TestEnd(responder);
        TestEnd client = new TestEnd(initiator);
        responder.listen(MemoryNetwork.loopback(7), 1, server::onConnected).localAddress();
        initiator.connect(MemoryNetwork.loopback(7), client);
        return new TestEnd[] {client, server};
    }

    @Test
    void initiatorCaptured_wholeLife_isInTheFile() throws IOException {
        Capture capture = capture(file);
        TestEnd[] ends = connect(new CapturingLoop(wire, capture), wire);
        nowNs = 2_000;
        ends[0].send(text("ask"));
        wire.poll();
        ends[1].send(text("answer"));
        wire.poll();
        nowNs = 3_000;
        ends[0].shutdownOutput();
        ends[1].shutdownOutput();
        wire.poll();
        ends[0].stream().close(false);
        capture.close();
        assertEquals(
                List.of(
                        "50000 SYN @1000",
                        "7 SYN ACK @1000",
                        "50000 ACK @1000",
                        "50000 ACK ask@2000",
                        "7 ACK answer@2000",
                        "50000 FIN ACK @3000",
                        "7 ACK @3000",
                        "7 FIN ACK @3000",
                        "50000 ACK @3000"),
                packets());
        assertArrayEquals(text("ask"), ends[1].received.toByteArray());
    }

    @Test
    void responderCaptured_peerResets_resetIsInTheFile() throws IOException {
        Capture capture = capture(file);
        TestEnd[] ends = connect(wire, new CapturingLoop(wire, capture));
        ends[0].send(text("x"));
        wire.poll();
        ends[0].stream().close(true);
        wire.poll();
        assertNotNull(ends[1].failure);
        capture.close();
        assertEquals(
                List.of("50000 ACK x@1000", "50000 RST ACK @1000"), packets().subList(3, 5));
    }

    @Test
    void bothEndsCaptured_bytes_areInTheFileOnce() throws IOException {
        Capture capture = capture(file);
        CapturingLoop loop = new CapturingLoop(wire, capture);
        TestEnd[] ends = connect(loop, loop);
        ends[0].send(text("once"));
        wire.poll();
        ends[1].send(text("back"));
        wire.poll();
        ends[0].stream().close(true);
        wire.poll();
        ends[1].stream().close(true);
        capture.close();
        assertEquals(3 + 2 + 1, packets().size());
    }

    @Test
    void flushed_programDies_fileIsReadable() throws IOException {
        Capture capture = capture(file);
        TestEnd[] ends = connect(new CapturingLoop(wire, capture), wire);
        ends[0].send(text("last words"));
        capture.flush();
        assertEquals(4, packets().size());
        capture.close();
    }

    @Test
    void diskFull_trafficGoesOnAndTheFailureIsReportedOnce() throws IOException {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        Capture capture = capture(full);
        TestEnd[] ends = connect(new CapturingLoop(wire, capture), wire);
        ends[0].send(text("a"));
        capture.flush();
        ends[0].send(text("b"));
        capture.flush();
        capture.close();
        wire.poll();
        assertArrayEquals(text("ab"), ends[1].received.toByteArray());
        assertEquals(1, failures.size());
        assertTrue(String.valueOf(failures.getFirst().getMessage()).contains("No space"));
        assertFalse(ends[1].ended);
    }

    /** The options of all packets that say how many are missing before them, and of the statistics at the end. */
    private List<String> counts() {
        ByteBuffer blocks = ByteBuffer.wrap(file.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
        List<String> counts = new ArrayList<>();
        for (int at = 0; at < blocks.limit(); at += blocks.getInt(at + 4)) {
            int end = at + blocks.getInt(at + 4);
            int option = switch (blocks.getInt(at)) {
                case 6 -> at + 28 + (blocks.getInt(at + 20) + 3 & ~3);
                case 5 -> at + 20;
                default -> end;
            };
            while (option + 8 < end) {
                counts.add(blocks.getInt(at) + ":" + blocks.getShort(option) + "=" + blocks.getLong(option + 4));
                option += 12;
            }
        }
        return counts;
    }

    @Test
    void comesFasterThanItIsWritten_isCountedAndSequenceNumbersShowIt() throws IOException {
        Capture capture = capture(file, new CaptureLimits(0, CaptureLimits.WHOLE_PACKETS, 1 << 18));
        TestEnd[] ends = connect(new CapturingLoop(wire, capture), wire);
        byte[] much = new byte[20_000];
        for (int i = 0; i < 20; i++) {
            ends[0].send(much);
            wire.poll();
        }
        long dropped = capture.droppedPackets();
        assertTrue(dropped > 0);
        assertEquals(dropped * much.length, capture.droppedBytes());
        capture.drain();
        ends[0].send(text("after"));
        capture.close();
        List<String> packets = packets();
        assertTrue(packets.getLast().startsWith("50000 ACK after"));
        long received = 1 + 20 + 1;
        assertEquals(List.of("6:4=" + dropped, "5:4=" + received, "5:5=" + dropped), counts());
        takeAll(ends[1], 20 * much.length + text("after").length);
        assertEquals(20L * much.length, sequenceOfLast() - sequenceOfFirstData());
    }

    /** Everything arrives, captured or not. */
    private void takeAll(TestEnd end, int bytes) {
        for (int i = 0; i < 10_000 && end.received.size() < bytes; i++) {
            wire.poll();
        }
        assertEquals(bytes, end.received.size());
    }

    private long sequence(int index) {
        byte[] bytes = file.toByteArray();
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(bytes));
        for (int i = 0; i <= index; i++) {
            assertEquals(PcapngReader.Outcome.PACKET, reader.next());
        }
        return Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt((int) reader.packetOffset() + 14 + 20 + 4));
    }

    private long sequenceOfFirstData() {
        return sequence(3);
    }

    private long sequenceOfLast() {
        return sequence(packets().size() - 1);
    }

    @Test
    void snap_keepsTheBeginningOfPackets() throws IOException {
        Capture capture = capture(file, new CaptureLimits(0, 64, 1 << 18));
        TestEnd[] ends = connect(new CapturingLoop(wire, capture), wire);
        ends[0].send(new byte[10_000]);
        ends[0].send(text("next"));
        capture.close();
        List<String> packets = packets();
        assertEquals(5, packets.size());
        assertEquals(64, packets.get(3).indexOf('@') - "50000 ACK ".length());
        assertEquals(10_000, sequence(4) - sequence(3));
        assertTrue(file.size() < 1_000);
    }

    @Test
    void limitReached_fileEndsWellFormed_andTrafficGoesOn() throws IOException {
        int limit = 100_000;
        Capture capture = capture(file, new CaptureLimits(limit, CaptureLimits.WHOLE_PACKETS, 1 << 18));
        TestEnd[] ends = connect(new CapturingLoop(wire, capture), wire);
        for (int i = 0; i < 100; i++) {
            ends[0].send(new byte[3_000]);
            wire.poll();
            capture.drain();
        }
        capture.flush();
        capture.close();
        assertEquals(1, full);
        takeAll(ends[1], 300_000);
        assertTrue(file.size() <= limit + 100, "the file has " + file.size() + " bytes");
        assertTrue(file.size() > limit - 4_000);
        assertEquals(
                List.of("5:4", "5:5"),
                counts().stream().map(c -> c.substring(0, 3)).toList());
        assertTrue(packets().size() > 30);
        TestEnd[] later = connectTo(8, new CapturingLoop(wire, capture));
        later[0].send(text("uncaptured"));
    }

    private TestEnd[] connectTo(int port, StreamLoop initiator) throws IOException {
        TestEnd server = new TestEnd(wire);
        TestEnd client = new TestEnd(initiator);
        wire.listen(MemoryNetwork.loopback(port), 1, server::onConnected);
        initiator.connect(MemoryNetwork.loopback(port), client);
        return new TestEnd[] {client, server};
    }

    @Test
    void settings_outOfRange_areRefusedWithASentence() {
        assertEquals(CaptureLimits.defaults(), CaptureLimits.of(Map.of()));
        assertEquals(
                new CaptureLimits(0, 128, 1 << 20),
                CaptureLimits.of(Map.of("capture-limit", "0", "capture-snap", "128", "capture-buffer", "1048576")));
        for (String[] wrong : new String[][] {
            {"capture-limit", "100"},
            {"capture-limit", "-1"},
            {"capture-limit", "much"},
            {"capture-snap", "63"},
            {"capture-snap", "65537"},
            {"capture-snap", "99999999999"},
            {"capture-buffer", "1000"},
            {"capture-buffer", "262145"}
        }) {
            CaptureLimits.InvalidSetting e = assertThrows(
                    CaptureLimits.InvalidSetting.class, () -> CaptureLimits.of(Map.of(wrong[0], wrong[1])));
            assertEquals(wrong[0], e.setting());
            assertEquals("the setting '" + wrong[0] + "' " + e.complaint(), e.getMessage());
        }
    }
}
