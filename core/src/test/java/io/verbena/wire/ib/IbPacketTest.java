package io.verbena.wire.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.wire.ib.IbOpcode.Operation;
import io.verbena.wire.ib.RoceCaptures.Captured;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IbPacketTest {

    private final IbPacket packet = new IbPacket();
    private final Icrc icrc = new Icrc();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rping",
                "rc-pingpong",
                "uc-pingpong",
                "ud-pingpong",
                "atomic-add",
                "atomic-cas",
                "udaddy",
                "ucmatose",
                "refused"
            })
    void capturesOfLinux_everyPacket_isCompleteWithAValidSum(String name) {
        List<Captured> packets = RoceCaptures.packets("rxe-" + name + ".pcapng");
        assertTrue(packets.size() >= 2, name + " has " + packets.size() + " packets");
        for (Captured each : packets) {
            byte[] bytes = each.bytes();
            MemorySegment segment = MemorySegment.ofArray(bytes);
            assertEquals(IbPacketOutcome.OK, packet.decode(segment, 0, bytes.length), () -> describe(segment));
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            int length = bytes.length - Icrc.LENGTH;
            assertEquals(packet.icrc(), icrc.compute(buffer, 0, length, each.flow(), each.identification()));

            int difference = packet.icrc() ^ icrc.compute(buffer, 0, length, each.flow(), 0);
            assertEquals(each.identification(), icrc.solve(length, difference));
        }
    }

    private String describe(MemorySegment segment) {
        return new Bth().wrap(segment, 0).describe(new StringBuilder()).toString();
    }

    @Test
    void captureOfAtomics_decoded_hasTheExpectedFields() {
        Map<Operation, String> lines = new EnumMap<>(Operation.class);
        for (Captured each : RoceCaptures.packets("rxe-atomic-add.pcapng")) {
            packet.decode(MemorySegment.ofArray(each.bytes()), 0, each.bytes().length);
            lines.putIfAbsent(
                    packet.opcode().operation(),
                    packet.describe(new StringBuilder()).toString());
        }
        assertTrue(lines.getOrDefault(Operation.FETCH_ADD, "").contains(" swap=0x0000000000000001 "), lines::toString);
        assertTrue(
                lines.getOrDefault(Operation.ATOMIC_ACKNOWLEDGE, "").contains(" ACK msn=1 original=0x"),
                lines::toString);
    }

    @Test
    void solve_anyLength_findsOnlyTheIdentification() {
        SplittableRandom random = new SplittableRandom(5);
        Icrc.Flow flow = new Icrc.Flow().source(0, 0xffff_0a00_0001L, 50_000).target(0, 0xffff_0a00_0002L, 4791);
        int explained = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[Bth.LENGTH + 4 * random.nextInt(270)];
            random.nextBytes(bytes);
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            int identification = random.nextInt(65_536);
            int right = icrc.compute(buffer, 0, bytes.length, flow, identification);
            int zero = icrc.compute(buffer, 0, bytes.length, flow, 0);
            assertEquals(identification, icrc.solve(bytes.length, right ^ zero));
            int damaged = right ^ 1 << random.nextInt(32);
            explained += icrc.solve(bytes.length, damaged ^ zero) == Icrc.NO_IDENTIFICATION ? 0 : 1;
        }
        assertEquals(0, explained, "a flipped bit of the sum never matches another identification");
        assertEquals(Icrc.NO_IDENTIFICATION, icrc.solve(13, 0), "no packet has such a length");
        assertEquals(Icrc.NO_IDENTIFICATION, icrc.solve(70_000, 0));
    }

    @Test
    void compute_anyLengthAndOffset_isTheSumOfTheMaskedPacket() {
        SplittableRandom random = new SplittableRandom(6);
        Icrc.Flow flow = new Icrc.Flow().source(0, 0xffff_0a00_0001L, 50_000).target(0, 0xffff_0a00_0002L, 4791);
        byte[] bytes = new byte[70_000];
        random.nextBytes(bytes);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
        for (int length = Bth.LENGTH; length < 65_000; length += 1 + random.nextInt(1 + length / 50)) {
            int offset = random.nextInt(64);
            ByteBuffer masked = ByteBuffer.allocate(36 + length)
                    .putLong(-1)
                    .put((byte) 0x45)
                    .put((byte) 0xff);
            masked.putShort((short) (32 + length)).putShort((short) 7).putShort((short) 0x4000);
            masked.putInt(0xff11_ffff).putInt(0x0a00_0001).putInt(0x0a00_0002);
            masked.putShort((short) 50_000)
                    .putShort((short) 4791)
                    .putShort((short) (12 + length))
                    .putShort((short) -1);
            masked.put(bytes, offset, length).put(36 + 4, (byte) 0xff);
            CRC32 expected = new CRC32();
            expected.update(masked.array());
            assertEquals((int) expected.getValue(), icrc.compute(direct, offset, length, flow, 7), "length " + length);
        }
    }

    @Test
    void ipv6_countsAddressesAndPortsAndNoIdentification() {
        byte[] bytes = new byte[Bth.LENGTH + 8];
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        Icrc.Flow flow = new Icrc.Flow().source(0x2001L << 48, 1, 50_000).target(0x2001L << 48, 2, 4791);
        int sum = icrc.compute(buffer, 0, bytes.length, flow, 0);
        assertEquals(sum, icrc.compute(buffer, 0, bytes.length, flow, 77));
        assertNotEquals(sum, icrc.compute(buffer, 0, bytes.length, flow.source(0x2001L << 48, 3, 50_000), 0));
        bytes[4] = 0x55;
        flow.source(0x2001L << 48, 1, 50_000);
        assertEquals(sum, icrc.compute(buffer, 0, bytes.length, flow, 0), "routers may set FECN and BECN");
        bytes[5] = 1;
        assertNotEquals(sum, icrc.compute(buffer, 0, bytes.length, flow, 0));
    }

    @Test
    void opcodes_headers_matchTheirOperation() {
        Set<Integer> values = new HashSet<>();
        for (IbOpcode each : IbOpcode.values()) {
            assertTrue(values.add(each.value()), each + " has a value of its own");
            assertEquals(each, IbOpcode.of(each.value()));
            assertEquals(
                    each.operation() == Operation.WRITE && each.starts(),
                    each.hasReth() && each.hasPayload(),
                    "" + each);
            assertEquals(each.atomic(), each.hasAtomicEth(), "" + each);
            assertEquals(each.service() == IbOpcode.Service.RD, each.hasRdeth(), "" + each);
        }
        assertEquals(IbOpcode.RESERVED, IbOpcode.of(0x15));
        assertEquals(IbOpcode.RESERVED, IbOpcode.of(0x1c));
        assertEquals(12 + 4 + 8 + 16 + 4, IbOpcode.RD_WRITE_ONLY_IMM.headerBytes());
        assertEquals(12 + 4 + 8, IbOpcode.RD_WRITE_ONLY_IMM.rethOffset());
        assertEquals(12 + 4 + 8 + 16, IbOpcode.RD_WRITE_ONLY_IMM.immOffset());
        assertEquals(12 + 4, IbOpcode.RC_ATOMIC_ACKNOWLEDGE.atomicAckEthOffset());
        assertEquals(12, IbOpcode.RC_SEND_LAST_INVALIDATE.iethOffset());
    }

    @Test
    void decode_invalidPackets_returnTheReason() {
        byte[] bytes = new byte[64];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        Bth bth = new Bth().wrap(segment, 0);
        bth.set(IbOpcode.RC_WRITE_ONLY, 5, 9);
        assertEquals(IbPacketOutcome.TOO_SHORT, packet.decode(segment, 0, 15));
        assertEquals(IbPacketOutcome.TOO_SHORT, packet.decode(segment, 0, 28), "BTH and RETH, no ICRC");
        assertEquals(IbPacketOutcome.OK, packet.decode(segment, 0, 32));
        assertEquals(IbPacketOutcome.MISALIGNED, packet.decode(segment, 0, 33));
        bth.pad(3);
        assertEquals(IbPacketOutcome.TOO_SHORT, packet.decode(segment, 0, 32), "padding without payload");
        assertEquals(IbPacketOutcome.OK, packet.decode(segment, 0, 36));
        assertEquals(1, packet.payloadBytes());
        bth.tver(1);
        assertEquals(IbPacketOutcome.UNKNOWN_VERSION, packet.decode(segment, 0, 36));
        bth.set(IbOpcode.RC_READ_REQUEST, 5, 9);
        assertEquals(IbPacketOutcome.UNEXPECTED_PAYLOAD, packet.decode(segment, 0, 36));
        bth.opcodeValue(0x1d);
        assertEquals(IbPacketOutcome.UNKNOWN_OPCODE, packet.decode(segment, 0, 36));
    }

    @Test
    void syndromes_timersAndCredits_followTheTables() {
        assertEquals(655_360_000, Syndrome.rnrNs(0x20));
        assertEquals(640_000, Syndrome.rnrNs(0x2c));
        assertEquals(491_520_000, Syndrome.rnrNs(31));
        assertEquals(12, Syndrome.rnrTimerCode(640_000));
        assertEquals(13, Syndrome.rnrTimerCode(640_001));
        assertEquals(0, Syndrome.rnrTimerCode(500_000_000));
        assertEquals(5, Syndrome.ackWithCredits(7));
        assertEquals(6, Syndrome.credits(5));
        assertEquals(30, Syndrome.ackWithCredits(1_000_000));
        assertEquals(Syndrome.Kind.RESERVED, Syndrome.kind(0x65));
        assertEquals(Syndrome.Kind.RESERVED, Syndrome.kind(0x40));
        assertEquals(Syndrome.Kind.RESERVED, Syndrome.kind(0x80));
        assertEquals(
                "RNR NAK 0.64 ms", Syndrome.describe(new StringBuilder(), 0x2c).toString());
        assertEquals(
                "NAK remote access",
                Syndrome.describe(new StringBuilder(), 0x62).toString());
    }
}
