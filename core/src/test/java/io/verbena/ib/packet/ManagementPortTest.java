package io.verbena.ib.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.ib.Crafted;
import io.verbena.ib.Station;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ManagementPortTest {

    private static IbPacket packet(byte[] bytes) {
        IbPacket packet = new IbPacket();
        packet.decode(MemorySegment.ofArray(bytes), 0, bytes.length);
        return packet;
    }

    private static boolean carried(int queuePair, int qKey, int bytes) {
        return ManagementPort.carries(packet(Crafted.packet(IbOpcode.UD_SEND_ONLY, 5, bytes, p -> {
            p.bth().destQp(queuePair);
            p.deth().set(qKey, 1);
        })));
    }

    @Test
    void onlyCompleteDatagramsWithTheQKey_areCarried() {
        assertTrue(carried(1, 0x8001_0000, 256));
        assertFalse(carried(1, 0x8001_0001, 256));
        assertFalse(carried(2, 0x8001_0000, 256));
        assertFalse(carried(1, 0x8001_0000, 255));
        assertFalse(carried(1, 0x8001_0000, 257));
        assertFalse(ManagementPort.carries(packet(Crafted.request(IbOpcode.RC_SEND_ONLY, 1, 256))));
    }

    @Test
    void datagram_built_isAccepted() {
        PacketList list = new PacketList(4096);
        list.reset(64, 65_507);
        PacketBuilder builder = new PacketBuilder(list, new UdpEncapsulation(0, Station.ADDRESS, 4791));
        ManagementPort port = new ManagementPort();
        byte[] datagram = new byte[ManagementPort.DATAGRAM_BYTES];
        Arrays.fill(datagram, (byte) 7);
        PacketPath to = new PacketPath(0, Station.ADDRESS + 1, 4791, 0);
        assertTrue(port.build(builder, to, datagram));
        assertTrue(port.build(builder, to, datagram));
        for (int i = 0; i < 2; i++) {
            ByteBuffer bytes = ByteBuffer.allocate(list.length(i));
            list.copyOut(i, bytes);
            IbPacket packet = packet(bytes.array());
            assertTrue(ManagementPort.carries(packet));
            assertEquals(i, packet.bth().psn());
            int at = (int) packet.payloadOffset();
            assertArrayEquals(datagram, Arrays.copyOfRange(bytes.array(), at, at + 256));
        }
    }
}
