package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PcapngTest {
    /** A section header, an interface with one option, then one enhanced packet of five bytes. */
    private static ByteBuffer file(ByteOrder order, int resolution, long ticks) {
        ByteBuffer out = ByteBuffer.allocate(200).order(order);
        out.putInt(0x0a0d0d0a).putInt(28).putInt(0x1a2b3c4d).putShort((short) 1).putShort((short) 0);
        out.putLong(-1).putInt(28);
        out.putInt(1).putInt(32).putShort((short) 101).putShort((short) 0).putInt(0);
        out.putShort((short) 9).putShort((short) 1).put((byte) resolution).put(new byte[3]);
        out.putInt(0).putInt(32);
        out.putInt(0x0bad).putInt(16).putInt(7).putInt(16); // a block of unknown type
        out.putInt(6).putInt(40).putInt(0).putInt((int) (ticks >>> 32)).putInt((int) ticks);
        out.putInt(5).putInt(1500).put(Bytes.counting(5)).put(new byte[3]).putInt(40);
        return out;
    }

    private static byte[] bytes(ByteBuffer file, int length) {
        byte[] bytes = new byte[length];
        file.get(0, bytes);
        return bytes;
    }

    private static PcapngReader reader(ByteBuffer file) {
        return new PcapngReader(MemorySegment.ofArray(bytes(file, file.position())));
    }

    @Test
    void packetsWritten_read_areTheSame() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] bytes = Bytes.counting(1000);
        try (PcapngWriter writer = new PcapngWriter(out, PcapngWriter.ETHERNET)) {
            for (int length = 0; length < 1000; length++) {
                writer.packet(1_700_000_000_000_000_000L + length, bytes, 0, length);
                writer.packet(length, MemorySegment.ofArray(bytes), 1000 - length, length);
            }
        }
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(out.toByteArray()));
        for (int length = 0; length < 1000; length++) {
            assertSame(PcapngReader.Outcome.PACKET, reader.next());
            assertEquals(1_700_000_000_000_000_000L + length, reader.timestampNs());
            assertEquals(PcapngWriter.ETHERNET, reader.linkType());
            assertArrayEquals(Arrays.copyOf(bytes, length), packet(out.toByteArray(), reader));
            assertSame(PcapngReader.Outcome.PACKET, reader.next());
            assertEquals(length, reader.timestampNs());
            assertArrayEquals(Arrays.copyOfRange(bytes, 1000 - length, 1000), packet(out.toByteArray(), reader));
        }
        assertSame(PcapngReader.Outcome.END, reader.next());
        assertSame(PcapngReader.Outcome.END, reader.next());
    }

    private static byte[] packet(byte[] file, PcapngReader reader) {
        assertEquals(reader.packetLength(), reader.originalLength());
        int from = (int) reader.packetOffset();
        return Arrays.copyOfRange(file, from, from + reader.packetLength());
    }

    @ParameterizedTest
    @CsvSource({
        "6,   1700000000123456,    1700000000123456000",
        "9,   1700000000123456789, 1700000000123456789",
        "3,   1700000000123,       1700000000123000000",
        "12,  5000,                5",
        "138, 1536,                1500000000",
        "255, 1536,                0",
    })
    void eitherByteOrder_read_packetAndTimeInNanoseconds(int resolution, long ticks, long timestampNs) {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            PcapngReader reader = reader(file(order, resolution, ticks));
            assertSame(PcapngReader.Outcome.PACKET, reader.next());
            assertEquals(timestampNs, reader.timestampNs());
            assertEquals(101, reader.linkType());
            assertEquals(5, reader.packetLength());
            assertEquals(1500, reader.originalLength());
            assertSame(PcapngReader.Outcome.END, reader.next());
        }
    }

    @Test
    void fileCutAnywhere_read_endsOrIsMalformed() {
        ByteBuffer whole = file(ByteOrder.LITTLE_ENDIAN, 9, 1);
        for (int length = 0; length < whole.position(); length++) {
            PcapngReader reader = new PcapngReader(MemorySegment.ofArray(bytes(whole, length)));
            boolean betweenBlocks = length == 28 || length == 60 || length == 76;
            assertSame(betweenBlocks ? PcapngReader.Outcome.END : PcapngReader.Outcome.MALFORMED, reader.next());
            assertSame(PcapngReader.Outcome.END, reader.next());
        }
    }

    @Test
    void packetOfUnknownInterface_read_isMalformed() {
        ByteBuffer file = file(ByteOrder.LITTLE_ENDIAN, 9, 1);
        file.putInt(76 + 8, 1);
        assertSame(PcapngReader.Outcome.MALFORMED, reader(file).next());
    }

    @Test
    void capturedLengthBeyondBlock_read_isMalformed() {
        ByteBuffer file = file(ByteOrder.LITTLE_ENDIAN, 9, 1);
        file.putInt(76 + 20, 9);
        assertSame(PcapngReader.Outcome.MALFORMED, reader(file).next());
    }

    @Test
    void packetTooLong_write_isRefusedWithSentence() throws IOException {
        try (PcapngWriter writer = new PcapngWriter(new ByteArrayOutputStream(), PcapngWriter.ETHERNET)) {
            byte[] bytes = new byte[100_001];
            assertThrows(IllegalArgumentException.class, () -> writer.packet(0, bytes, 0, bytes.length));
        }
    }

    @Test
    void channelThatTakesLittle_flush_handsOverEverything() throws IOException {
        ByteArrayOutputStream slow = new ByteArrayOutputStream();
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        OneByteChannel channel = new OneByteChannel(slow);
        try (PcapngWriter first = new PcapngWriter(channel, 1);
                PcapngWriter second = new PcapngWriter(plain, 1)) {
            for (PcapngWriter each : new PcapngWriter[] {first, second}) {
                each.packet(1, new byte[10], 0, 10);
                each.flush();
                each.packet(2, new byte[100], 0, 100);
            }
        }
        assertFalse(channel.isOpen());
        assertArrayEquals(plain.toByteArray(), slow.toByteArray());
    }

    /** Takes a byte a call. */
    private static final class OneByteChannel implements WritableByteChannel {
        private final ByteArrayOutputStream out;
        private boolean open = true;

        OneByteChannel(ByteArrayOutputStream out) {
            this.out = out;
        }

        @Override
        public int write(ByteBuffer source) {
            out.write(source.get());
            return 1;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            open = false;
        }
    }
}
