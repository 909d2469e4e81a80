package io.verbena.port.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.fixture.MemoryNetwork;
import io.verbena.fixture.MemoryStream;
import io.verbena.port.ByteStream;
import io.verbena.port.ScriptedSegments;
import io.verbena.port.ScriptedSegments.Taken;
import io.verbena.port.SegmentStream;
import io.verbena.port.SegmentTaker;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.port.capture.Capture;
import io.verbena.port.capture.CaptureLimits;
import io.verbena.port.capture.CapturingLoop;
import io.verbena.wire.PcapngReader;
import io.verbena.wire.PcapngWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Faults and captures of segment streams. */
class SegmentWrappersTest {

    private static final long SEED = 5;

    private final ScriptedSegments tcp = new ScriptedSegments();
    private final List<Taken> taken = new ArrayList<>();
    private final List<Long> announced = new ArrayList<>();
    private int readable;

    /** Takes all segments, or nothing. */
    private final class Taker implements SegmentTaker {
        private long from;
        private long to;
        boolean refuses;

        @Override
        public void onSegment(long streamOffset, Slab slab, int start, int end) {
            byte[] bytes = slab.segment().asSlice(start, end - start).toArray(ValueLayout.JAVA_BYTE);
            from = streamOffset;
            to = streamOffset;
            if (!refuses) {
                to += bytes.length;
                taken.add(new Taken(streamOffset, new String(bytes, StandardCharsets.US_ASCII)));
            }
        }

        @Override
        public long takenFrom() {
            return from;
        }

        @Override
        public long takenTo() {
            return to;
        }

        @Override
        public void onInOrder(long streamOffset) {
            announced.add(streamOffset);
        }
    }

    private SegmentStream connect(StreamLoop loop) {
        List<ByteStream> connected = new ArrayList<>();
        loop.connect(tcp.remoteAddress(), new StreamLoop.ConnectEvents() {
            @Override
            public void onConnected(ByteStream stream) {
                connected.add(stream);
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                throw new AssertionError(sentence);
            }
        });
        loop.attach(connected.getFirst(), new StreamEvents() {
            @Override
            public void onReadable() {
                readable++;
            }

            @Override
            public void onWritable() {}
        });
        SegmentStream stream = assertInstanceOf(SegmentStream.class, connected.getFirst());
        stream.deliverSegments(0);
        return stream;
    }

    @Test
    void noFaults_segments_passUnchanged() throws IOException {
        SegmentStream stream = connect(new FaultySegmentLoop(tcp, SegmentFaults.none(), () -> SEED, 0));
        tcp.arrive(3, "def");
        tcp.arrive(0, "abc");
        assertEquals(6, stream.receive(new Taker(), 100));
        assertEquals(List.of(new Taken(3, "def"), new Taken(0, "abc")), taken);
        assertEquals(0, stream.receive(new Taker(), 100));
        tcp.end();
        assertEquals(ByteStream.END, stream.receive(new Taker(), 100));
    }

    @Test
    void heldSegment_laterOnes_overtakeItUntilItsDelayEnds() throws IOException {
        FaultySegmentLoop loop = new FaultySegmentLoop(tcp, SegmentFaults.none().withHolds(2, 1000), () -> SEED, 0);
        SegmentStream stream = connect(loop);
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 26; i++) {
            String text = Character.toString('a' + i);
            all.append(text);
            tcp.arrive(i, text);
        }
        stream.receive(new Taker(), 100);
        int first = taken.size();
        assertTrue(first > 5 && first < 20, first + " of 26 segments are not held");
        tcp.end();
        while (loop.nextDeadlineNs() != FaultySegmentLoop.NEVER) {
            long dueNs = loop.nextDeadlineNs();
            int before = readable;
            assertEquals(0, loop.turn(dueNs - 1));
            assertEquals(1, loop.turn(dueNs));
            assertEquals(before + 1, readable, "the end of a delay is reported");
            stream.receive(new Taker(), 100);
        }
        assertEquals(ByteStream.END, stream.receive(new Taker(), 100));
        char[] arrived = new char[26];
        taken.forEach(each -> arrived[(int) each.offset()] = each.text().charAt(0));
        assertEquals(all.toString(), new String(arrived));
        assertEquals(26, taken.size(), "each once");
    }

    @Test
    void mergedSegment_partOfItHeld_restIsTakenAroundIt() throws IOException {
        FaultySegmentLoop loop = new FaultySegmentLoop(tcp, SegmentFaults.none().withHolds(1, 1000), () -> SEED, 0);
        SegmentStream stream = connect(loop);
        tcp.arrive(0, "abc");
        stream.receive(new Taker(), 100);
        assertEquals(List.of(), taken, "everything is held");
        loop.turn(loop.nextDeadlineNs());
        tcp.arrive(0, "abcdef");
        stream.receive(new Taker(), 100);
        assertEquals(List.of(new Taken(0, "abc"), new Taken(0, "abc")), taken, "the new bytes are held");
    }

    @Test
    void repeatedSegment_partOfIt_isDeliveredAgain() throws IOException {
        SegmentStream stream =
                connect(new FaultySegmentLoop(tcp, SegmentFaults.none().withRepeats(1), () -> SEED, 0));
        tcp.arrive(0, "abcdef");
        stream.receive(new Taker(), 100);
        assertEquals(List.of(new Taken(0, "abcdef"), new Taken(3, "def")), taken);
    }

    @Test
    void byteStream_segmentFaults_areRefused() {
        MemoryNetwork bytes = new MemoryNetwork(MemoryNetwork::loopback);
        FaultySegmentLoop loop = new FaultySegmentLoop(bytes, SegmentFaults.none(), () -> SEED, 0);
        bytes.acceptAt(MemoryNetwork.loopback(1));
        MemoryStream stream = bytes.dial(MemoryNetwork.loopback(1));
        assertThrows(IllegalArgumentException.class, () -> loop.wrap(stream, true));
        assertThrows(IllegalArgumentException.class, () -> new SegmentFaults(-1, 0, 0));
    }

    @Test
    void captured_segmentsOutOfOrder_haveTheSequenceNumbersOfTheirOffsets() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        Capture capture = new Capture(
                new PcapngWriter(file, PcapngWriter.ETHERNET), () -> 1, CaptureLimits.defaults(), new Quiet());
        SegmentStream stream = connect(new CapturingLoop(tcp, capture));
        Taker taker = new Taker();
        taker.refuses = true;
        tcp.arrive(0, "no");
        stream.receive(taker, 100);
        taker.refuses = false;
        tcp.arrive(5, "fg");
        tcp.arrive(2, "cde");
        tcp.end();
        stream.receive(taker, 100);
        assertEquals(ByteStream.END, stream.receive(taker, 100));
        stream.close(false);
        capture.close();
        assertEquals(List.of("0 no", "5 fg", "2 cde", "7 FIN"), packetsOfPeer(file.toByteArray()));
    }

    /** Notified of nothing. */
    private static final class Quiet implements Capture.Listener {
        @Override
        public void failed(IOException failure) {
            throw new AssertionError(failure);
        }

        @Override
        public void full() {}
    }

    /** A line for each packet of the peer after the handshake: offset in its stream, payload or FIN. */
    private static List<String> packetsOfPeer(byte[] bytes) {
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(bytes));
        List<String> lines = new ArrayList<>();
        int first = 0;
        while (reader.next() == PcapngReader.Outcome.PACKET) {
            ByteBuffer packet = ByteBuffer.wrap(bytes, (int) reader.packetOffset(), reader.packetLength())
                    .slice();
            int tcp = 14 + 20;
            int flags = packet.get(tcp + 13);
            if (packet.getShort(tcp) != 2) {
                continue;
            }
            if ((flags & 2) != 0) {
                first = packet.getInt(tcp + 4) + 1;
                continue;
            }
            byte[] payload = new byte[packet.limit() - tcp - 20];
            packet.get(tcp + 20, payload);
            boolean fin = (flags & 1) != 0;
            if (fin || payload.length > 0) {
                lines.add((packet.getInt(tcp + 4) - first) + " "
                        + (fin ? "FIN" : new String(payload, StandardCharsets.US_ASCII)));
            }
        }
        return lines;
    }
}
