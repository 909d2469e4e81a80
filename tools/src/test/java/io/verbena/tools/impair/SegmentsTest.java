package io.verbena.tools.impair;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.wire.ip.VirtioNetHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentsTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void largeSegmentOfTcp_split_dataAndChecksumsAreRight(boolean ipv4) throws IOException {
        byte[] large = Frames.tcpFrame(ipv4, 5000);
        int tcp = large.length - 5020;
        List<byte[]> frames = complete(
                header().tcp(ipv4 ? VirtioNetHeader.TCP_IPV4 : VirtioNetHeader.TCP_IPV6, tcp, tcp + 20, 1448), large);
        assertEquals(4, frames.size());
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        for (int i = 0; i < 4; i++) {
            byte[] each = frames.get(i);
            assertTrue(Frames.headersIntact(each, ipv4, 6));
            assertEquals(1000 + i * 1448, FrameReader.u16(each, tcp + 6));
            assertEquals(i == 3 ? 0x18 : 0x10, each[tcp + 13], "PSH belongs to the last one");
            data.writeBytes(Arrays.copyOfRange(each, tcp + 20, each.length));
        }
        assertArrayEquals(Arrays.copyOfRange(large, tcp + 20, large.length), data.toByteArray());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void groupOfDatagrams_split_eachHasItsLengthAndIdentification(boolean ipv4) throws IOException {
        byte[] large = Frames.udpFrame(ipv4, 49152, Frames.ROCE, 2, new byte[2500]);
        int udp = large.length - 2508;
        byte[] memory = header(0, 5, udp + 8, 1040, udp, 6);
        List<byte[]> frames = complete(memory, large);
        assertEquals(3, frames.size());
        for (int i = 0; i < 3; i++) {
            byte[] each = frames.get(i);
            assertTrue(Frames.headersIntact(each, ipv4, 17));
            assertEquals(i == 2 ? 428 : 1048, FrameReader.u16(each, udp + 4));
            if (ipv4) {
                assertEquals(i, FrameReader.u16(each, 18));
            }
        }
    }

    @Test
    void checksumIsLeftToTheCard_completed() throws IOException {
        byte[] frame = Frames.tcpFrame(true, 99);
        byte[] whole = frame.clone();
        int tcp = frame.length - 119;
        // The system leaves the sum of the pseudo-header there.
        int pseudo = io.verbena.wire.ip.InternetChecksum.fold(
                io.verbena.wire.ip.InternetChecksum.sum(MemorySegment.ofArray(frame), 26, 8) + 6 + 119);
        FrameReader.u16(frame, tcp + 16, pseudo);
        List<byte[]> frames = complete(header(1, 0, 0, 0, tcp, 16), frame);
        assertArrayEquals(whole, frames.getFirst());
    }

    @Test
    void anyHeader_ofAnyFrame_isAccepted() throws IOException {
        for (int start = 0; start < 80; start++) {
            for (int kind : new int[] {0, 1, 4, 5, 0x81}) {
                for (int length = 0; length < 70; length += 3) {
                    byte[] frame = new byte[length];
                    Arrays.fill(frame, (byte) (start * 37));
                    complete(header(1, kind, 60_000, 1, start, start), frame);
                }
            }
        }
    }

    private static final byte[] HEADER = new byte[VirtioNetHeader.LENGTH];

    private static VirtioNetHeader header() {
        return new VirtioNetHeader().wrap(MemorySegment.ofArray(HEADER), 0);
    }

    private static byte[] header(int flags, int kind, int headers, int size, int start, int offset) {
        byte[] bytes = new byte[VirtioNetHeader.LENGTH];
        bytes[0] = (byte) flags;
        bytes[1] = (byte) kind;
        int[] fields = {headers, size, start, offset};
        for (int i = 0; i < 4; i++) {
            bytes[2 + 2 * i] = (byte) fields[i];
            bytes[3 + 2 * i] = (byte) (fields[i] >>> 8);
        }
        return bytes;
    }

    private static List<byte[]> complete(VirtioNetHeader written, byte[] frame) throws IOException {
        assertEquals(VirtioNetHeader.NEEDS_CHECKSUM, written.flags());
        return complete(HEADER, frame);
    }

    private static List<byte[]> complete(byte[] header, byte[] frame) throws IOException {
        List<byte[]> frames = new ArrayList<>();
        new Offloads().complete(MemorySegment.ofArray(header), frame, frames::add);
        return frames;
    }
}
