package io.verbena.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PacketBatchTest {

    private static final long PEER = 0xffff_0a00_0001L;

    private final PacketBatch batch = new PacketBatch(1 << 16, 16);

    private void add(int bytes, long source, int port, int trafficClass, int index) {
        batch.add(bytes, 0, source, port, trafficClass, index);
    }

    @Test
    void group_ofEqualPackets_isAlikeToItsEnd() {
        for (int i = 0; i < 5; i++) {
            add(40, PEER, 4791, 0, i);
        }
        assertEquals(4, batch.alike(0));
        assertEquals(2, batch.alike(2));
        assertEquals(0, batch.alike(4));
    }

    @Test
    void packets_thatDifferInAnything_areNotAlike() {
        add(40, PEER, 4791, 0, 0);
        add(36, PEER, 4791, 0, 1);
        add(36, PEER + 1, 4791, 0, 2);
        add(36, PEER + 1, 4792, 0, 3);
        add(36, PEER + 1, 4792, 2, 4);
        add(36, PEER + 1, 4792, 2, 0);
        batch.sentTo(0xff02L << 48, 1);
        add(36, PEER + 1, 4792, 2, 1);
        for (int i = 0; i < 7; i++) {
            assertEquals(0, batch.alike(i), "after packet " + i);
        }
    }
}
