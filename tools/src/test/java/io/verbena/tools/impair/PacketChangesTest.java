package io.verbena.tools.impair;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.wire.ib.IbOpcode;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacketChangesTest {

    private static final int ECT_0_AND_DSCP = 26 << 2 | PacketPath.ECT_0;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ecnCapable_marked_headerAndIcrcAreCorrect(boolean ipv4) {
        Packet packet = write(ipv4, ECT_0_AND_DSCP, 1024);
        assertTrue(Marks.mark(packet));
        assertEquals(26 << 2 | PacketPath.CONGESTION_EXPERIENCED, packet.trafficClass());
        assertTrue(Frames.headersIntact(packet.bytes(), ipv4, 17));
        assertTrue(Frames.icrcIntact(packet.bytes(), ipv4));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void notEcnCapable_marked_unchanged(boolean ipv4) {
        Packet packet = write(ipv4, 26 << 2, 1024);
        byte[] before = packet.bytes().clone();
        assertFalse(Marks.mark(packet));
        assertArrayEquals(before, packet.bytes());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anyBit_corrupted_onlyTheIcrcIsWrong(boolean ipv4) {
        int content = write(ipv4, 0, 64).shape().contentBytes();
        for (long random = 0; random < 16L * content; random++) {
            Packet packet = write(ipv4, 0, 64);
            byte[] before = packet.bytes().clone();
            assertTrue(Damage.corrupt(packet, random));
            assertFalse(Arrays.equals(before, packet.bytes()), "random " + random);
            assertTrue(Frames.headersIntact(packet.bytes(), ipv4, 17), "random " + random);
            assertFalse(Frames.icrcIntact(packet.bytes(), ipv4), "random " + random);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tcpData_corrupted_checksumFits(boolean ipv4) {
        for (long random = 0; random < 1600; random++) {
            Packet packet = Frames.packet(Frames.tcpFrame(ipv4, 99));
            byte[] before = packet.bytes().clone();
            assertTrue(Damage.corrupt(packet, random));
            assertFalse(Arrays.equals(before, packet.bytes()));
            assertTrue(Frames.headersIntact(packet.bytes(), ipv4, 6), "random " + random);
        }
    }

    @Test
    void tcpWithoutData_corrupted_unchanged() {
        Packet packet = Frames.packet(Frames.tcpFrame(true, 0));
        byte[] before = packet.bytes().clone();
        assertFalse(Damage.corrupt(packet, 77));
        assertArrayEquals(before, packet.bytes());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void write_trimmed_headersRemainWithTheIcrcOfTheWholePacket(boolean ipv4) {
        Packet packet = write(ipv4, ECT_0_AND_DSCP, 1022);
        byte[] before = packet.bytes().clone();
        assertTrue(Trimming.trim(packet, 46));
        byte[] after = packet.bytes();
        int headers = IbOpcode.RC_WRITE_ONLY.headerBytes();
        int content = packet.shape().contentAt();
        assertEquals(content + headers + 4, after.length);
        assertArrayEquals(
                Arrays.copyOfRange(before, content, content + headers),
                Arrays.copyOfRange(after, content, content + headers));
        assertArrayEquals(
                Arrays.copyOfRange(before, before.length - 4, before.length),
                Arrays.copyOfRange(after, after.length - 4, after.length));
        assertEquals(46 << 2 | PacketPath.ECT_0, packet.trafficClass());
        assertTrue(Frames.headersIntact(after, ipv4, 17));
        assertFalse(Frames.icrcIntact(after, ipv4));
        assertEquals(PacketShape.Kind.ROCE, Frames.packet(after).kind());
    }

    @Test
    void acknowledgementAndEmptySend_trimmed_unchanged() {
        for (IbOpcode each :
                new IbOpcode[] {IbOpcode.RC_ACKNOWLEDGE, IbOpcode.RC_SEND_ONLY, IbOpcode.RC_READ_REQUEST}) {
            Packet packet = Frames.packet(Frames.roceFrame(true, 49152, 0, each, 0));
            byte[] before = packet.bytes().clone();
            assertFalse(Trimming.trim(packet, 46));
            assertArrayEquals(before, packet.bytes());
        }
    }

    @Test
    void unknownOpcode_trimmed_keepsAsMuchAsTheLongestHeaders() {
        byte[] frame = Frames.roceFrame(true, 49152, 0, IbOpcode.RC_SEND_ONLY, 1024);
        frame[14 + 20 + 8] = (byte) 0xdf;
        Packet packet = Frames.packet(frame);
        assertTrue(Trimming.trim(packet, Trimming.SAME_DSCP));
        assertEquals(64, packet.shape().contentBytes());
    }

    @Test
    void frameWithTag_read_hasTheSameParts() {
        byte[] plain = Frames.roceFrame(true, 49152, 0, IbOpcode.RC_SEND_ONLY, 16);
        byte[] tagged = new byte[plain.length + 4];
        System.arraycopy(plain, 0, tagged, 0, 12);
        tagged[12] = (byte) 0x81;
        System.arraycopy(plain, 12, tagged, 16, plain.length - 12);
        Packet packet = Frames.packet(tagged);
        assertEquals(PacketShape.Kind.ROCE, packet.kind());
        assertEquals(49152, packet.sourcePort());
        assertEquals(Frames.QP, packet.destQp());
        assertEquals(IbOpcode.RC_SEND_ONLY, packet.opcode());
    }

    @Test
    void frameOfSixtyBytes_trimmedOrCorrupted_paddingIsNotContent() {
        byte[] frame = Arrays.copyOf(Frames.udpFrame(true, 1, 2, 0, new byte[] {7}), 60);
        for (long random = 0; random < 64; random++) {
            Packet packet = Frames.packet(frame.clone());
            assertTrue(Damage.corrupt(packet, random));
            assertEquals(1, Integer.bitCount((packet.bytes()[42] ^ 7) & 0xff), "the only byte of content");
        }
    }

    private static Packet write(boolean ipv4, int trafficClass, int payloadBytes) {
        return Frames.packet(Frames.roceFrame(ipv4, 49152, trafficClass, IbOpcode.RC_WRITE_ONLY, payloadBytes));
    }
}
