package io.verbena.rnic.ib.port;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Admission.Outcome;
import io.verbena.ib.packet.Encapsulation;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.SubnetView;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketSender;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.Grh;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.Lrh;
import io.verbena.wire.ib.Vcrc;
import io.verbena.wire.ip.Ipv6Header;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Packets with LRH, GRH, ICRC and VCRC: what one end writes, the other end admits, and nothing else. */
class SubnetFramingTest {

    private static final long PREFIX = 0xfe80_0000_0000_0000L;
    private static final long OTHER_PREFIX = 0xfec0_0000_0000_0001L;
    private static final int PAYLOAD = 256;

    private static final PacketSender NO_SENDER = new PacketSender() {
        @Override
        public int groupPackets() {
            return 1;
        }

        @Override
        public int groupBytes() {
            return 1;
        }

        @Override
        public int send(PacketList list, int from) {
            return list.packets();
        }

        @Override
        public void close() {}
    };

    private final PacketBatch batch = new PacketBatch(PacketPort.LEAST_BATCH_BYTES, PacketPort.LEAST_BATCH_PACKETS);
    private final Framing sender = new SubnetFraming(new TwoPorts(1));
    private final Framing receiver = new SubnetFraming(new TwoPorts(2));
    private final Admission admission = new Admission();
    private final IbPacket packet = new IbPacket();
    private final Origin origin = new Origin();

    /** A subnet with the LIDs 1 and 2; LID 2 is also that of the router to another subnet. */
    private record TwoPorts(int own) implements SubnetView {
        @Override
        public int lid(long gidHigh, long gidLow) {
            return gidHigh == PREFIX ? (int) gidLow : 2;
        }

        @Override
        public int sourceLid(int destinationLid) {
            return own;
        }

        @Override
        public boolean owns(int lid) {
            return lid == own;
        }

        @Override
        public long interfaceId(int lid) {
            return lid;
        }

        @Override
        public long prefix() {
            return PREFIX;
        }

        @Override
        public int level(int destinationLid, int wanted) {
            return wanted;
        }

        @Override
        public int lane(int serviceLevel) {
            return serviceLevel & 1;
        }
    }

    /** The subnet knows the ports of an adapter; what a peer claims is not enough, nor is a router in common. */
    @Test
    void addressNamedByAPeer_belongsToItsAdapterOnly() {
        PacketPath peer = new PacketPath(PREFIX, 2, 0, 0);
        assertTrue(sender.belongsToPeer(peer, PREFIX, 2));
        assertFalse(sender.belongsToPeer(peer, PREFIX, 1));
        assertFalse(sender.belongsToPeer(peer, OTHER_PREFIX, 7));
        PacketPath remote = new PacketPath(OTHER_PREFIX, 7, 0, 0);
        assertTrue(sender.belongsToPeer(remote, OTHER_PREFIX, 7));
        assertFalse(sender.belongsToPeer(remote, OTHER_PREFIX, 8));
    }

    /** Puts a packet into the batch; returns its length. */
    private int build(long high, int trafficClass) {
        batch.reset();
        batch.slab().segment().fill((byte) 0x5a);
        Encapsulation around = sender.encapsulation(NO_SENDER);
        PacketPath path = new PacketPath(high, 2, 0, trafficClass);
        int before = around.headerBytes(path);
        int length = before + Bth.LENGTH + PAYLOAD + around.trailerBytes();
        new Bth()
                .wrap(batch.slab().segment(), before)
                .set(IbOpcode.RC_SEND_ONLY, 7, 3)
                .pad(0);
        around.complete(batch.slab(), 0, length, path, 0);
        batch.add(length, 0, 0, 0, 0, 0);
        return length;
    }

    private Outcome admit() {
        return receiver.admit(batch, 0, admission, packet, origin);
    }

    @Test
    void localPacket_hasNoGlobalHeader_andItsGidsAreThoseOfItsLids() {
        int length = build(PREFIX, 0x30);
        Lrh lrh = new Lrh().wrap(batch.slab().segment(), 0);
        assertEquals(
                "LRH 1 to 2 sl=3 vl=1 " + (length - 2) + " B",
                lrh.describe(new StringBuilder()).toString());
        assertEquals(0x32, batch.slab().segment().get(JAVA_BYTE, 1));
        assertEquals(Outcome.ADMITTED, admit());
        assertEquals(PREFIX, origin.sourceHigh());
        assertEquals(1, origin.sourceLow());
        assertEquals(2, origin.targetLow());
        assertEquals(0x30, origin.trafficClass());
        assertEquals(PAYLOAD, packet.payloadBytes());
    }

    @Test
    void packetToAnotherSubnet_hasAGlobalHeader() {
        int length = build(OTHER_PREFIX, 0x20);
        assertEquals(Lrh.GLOBAL, new Lrh().wrap(batch.slab().segment(), 0).lnh());
        Grh grh = new Grh().wrap(batch.slab().segment(), Lrh.LENGTH);
        assertEquals(length - Lrh.LENGTH - Grh.LENGTH - 2, grh.payLen());
        assertEquals(Outcome.ADMITTED, admit());
        assertEquals(OTHER_PREFIX, origin.targetHigh());
        assertEquals(1, origin.sourceLow());
        assertEquals(64, origin.hopLimit());
    }

    /** Routers change the lane, the LIDs, the traffic class, the flow label and the hop limit; the ICRC covers none of them. */
    @Test
    void packet_withOtherLaneAndHopLimit_isAdmittedWithItsNewVcrc() {
        int length = build(OTHER_PREFIX, 0);
        new Lrh().wrap(batch.slab().segment(), 0).vl(9);
        new Grh().wrap(batch.slab().segment(), Lrh.LENGTH).hopLmt(3).classAndFlow(5, 77);
        Vcrc.write(batch.slab().segment(), length - 2, Vcrc.compute(batch.slab().segment(), 0, length - 2));
        assertEquals(Outcome.ADMITTED, admit());
        assertEquals(3, origin.hopLimit());
    }

    @Test
    void everyFlippedBit_isDetected() {
        for (long high : new long[] {PREFIX, OTHER_PREFIX}) {
            int length = build(high, 0);
            for (int bit = 0; bit < 8 * length; bit++) {
                flip(bit);
                assertNotEquals(Outcome.ADMITTED, admit(), "bit " + bit);
                flip(bit);
            }
            assertEquals(Outcome.ADMITTED, admit());
        }
    }

    /** A raw packet has no header of the transport; its IPv6 header tells its length from its padding. */
    @Test
    void t4_rawPacket_ofEachLength_isAdmittedWithoutItsPadding_andEveryFlippedBitIsDetected() {
        for (int payload = 1; payload <= 8; payload++) {
            int length = buildRaw(payload, payload);
            assertEquals(Outcome.ADMITTED, admit());
            assertEquals(IbOpcode.RAW_DATAGRAM, packet.opcode());
            assertEquals(Lrh.LENGTH, packet.payloadOffset());
            assertEquals(Ipv6Header.LENGTH + payload, packet.payloadBytes());
            assertEquals(9, origin.hopLimit());
            for (int bit = 0; bit < 8 * length; bit++) {
                flip(bit);
                assertNotEquals(Outcome.ADMITTED, admit(), "bit " + bit);
                flip(bit);
            }
        }
    }

    @Test
    void t4_rawPacketWhoseLengthIsWrong_isMalformed() {
        for (int stated : new int[] {0, 1, 4, 9, 65_535}) {
            buildRaw(8, stated);
            assertEquals(Outcome.MALFORMED, admit(), "stated length " + stated);
        }
        buildRaw(8, 5);
        assertEquals(Outcome.ADMITTED, admit());
    }

    private int buildRaw(int payload, int stated) {
        batch.reset();
        batch.slab().segment().fill((byte) 0);
        Encapsulation around = sender.encapsulation(NO_SENDER);
        int length = around.rawHeaderBytes() + (Ipv6Header.LENGTH + payload + 3) / 4 * 4 + around.rawTrailerBytes();
        new Ipv6Header().wrap(batch.slab().segment(), Lrh.LENGTH).write(stated, 17, 9, 0);
        around.completeRaw(batch.slab(), 0, length, new PacketPath(PREFIX, 2, 0, 0));
        batch.add(length, 0, 0, 0, 0, 0);
        return length;
    }

    private void flip(int bit) {
        byte old = batch.slab().segment().get(JAVA_BYTE, bit >> 3);
        batch.slab().segment().set(JAVA_BYTE, bit >> 3, (byte) (old ^ 1 << (bit & 7)));
    }

    @Test
    void hostileBytes_ofAnyLength_areNotAdmitted() {
        Random random = new Random(4);
        for (int i = 0; i < 2_000; i++) {
            batch.reset();
            byte[] bytes = new byte[1 + random.nextInt(120)];
            random.nextBytes(bytes);
            for (int k = 0; k < bytes.length; k++) {
                batch.slab().segment().set(JAVA_BYTE, k, bytes[k]);
            }
            if (bytes.length >= Lrh.LENGTH && random.nextBoolean()) {
                new Lrh()
                        .wrap(batch.slab().segment(), 0)
                        .lver(0)
                        .lnh(1 + random.nextInt(3))
                        .dlid(2)
                        .pktLen(bytes.length - 2 >> 2);
            }
            batch.add(bytes.length, 0, 0, 0, 0, 0);
            assertNotEquals(Outcome.ADMITTED, admit());
        }
    }
}
