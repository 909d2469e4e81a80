package io.verbena.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PacketListTest {

    private static final PacketPath A = path(0xffff_0a00_0001L);
    private static final PacketPath B = path(0xffff_0a00_0002L);

    private final PacketList list = new PacketList(16 * 1024);

    private static PacketPath path(long low) {
        return new PacketPath(0, low, 4791, 0);
    }

    private int packet(PacketPath to, int length) {
        int offset = list.reserve(length);
        list.slab().segment().set(ValueLayout.JAVA_BYTE, offset, (byte) length);
        return list.endPacket(to, length);
    }

    @Test
    void equalPackets_onePath_makeOneGroupNumberedFromZero() {
        list.reset(64, 65_507);
        for (int i = 0; i < 5; i++) {
            assertEquals(i, packet(A, 1040));
        }
        assertEquals(5, list.groupEnd(0));
    }

    @Test
    void shorterPacket_joinsAndClosesTheGroup() {
        list.reset(64, 65_507);
        packet(A, 1040);
        assertEquals(1, packet(A, 500), "the last packet of a group may be shorter");
        assertEquals(0, packet(A, 500), "and nothing follows it");
        assertEquals(2, list.groupEnd(0));
        assertEquals(3, list.groupEnd(2));
    }

    @Test
    void longerPacket_startsAGroup() {
        list.reset(64, 65_507);
        packet(A, 100);
        assertEquals(0, packet(A, 101));
        assertEquals(1, list.groupEnd(0));
    }

    @Test
    void otherPath_startsAGroup() {
        list.reset(64, 65_507);
        packet(A, 100);
        assertEquals(0, packet(B, 100));
        assertEquals(1, list.groupEnd(0));
        assertEquals(2, list.groupEnd(1));
    }

    @Test
    void limitsOfThePort_startAGroup() {
        list.reset(2, 65_507);
        packet(A, 100);
        packet(A, 100);
        assertEquals(0, packet(A, 100), "two packets a call");
        list.reset(64, 250);
        packet(A, 100);
        packet(A, 100);
        assertEquals(0, packet(A, 100), "250 bytes a call");
    }

    @Test
    void noGroups_everyPacketIsItsOwn() {
        list.reset(1, 65_507);
        assertEquals(0, packet(A, 100));
        assertEquals(0, packet(A, 100));
        assertEquals(1, list.groupEnd(0));
    }

    @Test
    void packetOfSeveralPieces_copiesOutWhole() {
        ByteBuffer payload = ByteBuffer.allocateDirect(100);
        for (int i = 0; i < 100; i++) {
            payload.put(i, (byte) i);
        }
        list.reset(64, 65_507);
        packet(A, 12);
        int header = list.reserve(4);
        list.slab().segment().set(ValueLayout.JAVA_BYTE, header, (byte) 0x55);
        list.addView(payload, 10, 20, MemorySegment.ofBuffer(payload).address() + 10);
        list.slab().segment().set(ValueLayout.JAVA_BYTE, list.reserve(1), (byte) 0x66);
        list.endPacket(A, 7);

        ByteBuffer out = ByteBuffer.allocate(list.length(1));
        list.copyOut(1, out);

        assertEquals(25, out.position());
        assertEquals(0x55, out.get(0));
        assertEquals(10, out.get(4));
        assertEquals(29, out.get(23));
        assertEquals(0x66, out.get(24));
        assertEquals(7, list.tag(1));
        assertEquals(3, list.firstPiece(2) - list.firstPiece(1));
    }

    @Test
    void dropOpenPacket_leavesWhatWasEnded() {
        ByteBuffer payload = ByteBuffer.allocateDirect(8);
        list.reset(64, 65_507);
        packet(A, 12);
        list.reserve(40);
        list.addView(payload, 0, 8, 0);
        list.dropOpenPacket();
        list.dropOpenPacket();
        assertEquals(12, list.bytes());
        assertEquals(1, packet(A, 12), "the group goes on");
        assertEquals(24, list.bytes());
        assertEquals(24, list.reserve(1), "the slab's bytes are free again");
    }

    @Test
    void fullSlab_saysSoAndTheListStays() {
        list.reset(64, 65_507);
        packet(A, 16 * 1024 - 10);
        assertEquals(PacketList.FULL, list.reserve(11));
        assertEquals(1, list.packets());
        assertEquals(16 * 1024 - 10, list.bytes());
    }

    @Test
    void path_knowsWhetherItsAddressIsIpv4() {
        assertTrue(A.ipv4());
        assertFalse(new PacketPath(0x2001_0db8_0000_0000L, 1, 4791, 0).ipv4());
        assertFalse(path(1).ipv4());
    }
}
