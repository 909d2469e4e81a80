package io.verbena.port;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.wire.PcapngReader;
import io.verbena.wire.PcapngWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CaptureTest {

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final MemoryLoop wire = new MemoryLoop();
    private final List<IOException> failures = new ArrayList<>();
    private long nowNs = 1_000;

    private Capture capture(OutputStream out) throws IOException {
        return new Capture(new PcapngWriter(out, PcapngWriter.ETHERNET), () -> nowNs, failures::add);
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
        responder.listen(MemoryLoop.address(7), 1, server::onConnected).localAddress();
        initiator.connect(MemoryLoop.address(7), client);
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
    void diskFull_trafficGoesOnAndTheFailureIsToldOnce() throws IOException {
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
}
