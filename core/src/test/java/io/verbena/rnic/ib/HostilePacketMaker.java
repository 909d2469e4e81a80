package io.verbena.rnic.ib;

import io.verbena.port.Addresses;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import io.verbena.wire.ib.Icrc;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Packets of one service whose ICRC is right, and whose fields are plausible or random. */
final class HostilePacketMaker {

    private static final int MTU = 1_024;

    private final SplittableRandom random;
    private final List<IbOpcode> opcodes;
    private int psn;
    private boolean inMessage;

    /** Whether the PSN after an unexpected one is its successor, as an unreliable service permits. */
    boolean losesCount = true;

    // What a peer knows.
    int[] queuePairs = {};
    int[] contexts = {0};
    int qKey;
    int[] keys = {};
    long[] addresses = {};
    int targetBytes;

    HostilePacketMaker(SplittableRandom random, IbOpcode.Service service, IbOpcode... more) {
        this.random = random;
        opcodes = Stream.concat(
                        Arrays.stream(IbOpcode.values())
                                .filter(it -> it.service() == service && it != IbOpcode.RESERVED),
                        Arrays.stream(more))
                .toList();
    }

    void psn(int first) {
        psn = first;
    }

    private boolean rarely() {
        return random.nextInt(8) == 0;
    }

    private int one(int[] of) {
        return rarely() ? random.nextInt() : of[random.nextInt(of.length)];
    }

    private int nextPsn() {
        int at = switch (random.nextInt(12)) {
            case 0 -> psn - 1 - random.nextInt(64);
            case 1 -> psn + 1 + random.nextInt(64);
            case 2 -> random.nextInt();
            case 3 -> psn + (1 << 23) - random.nextInt(3);
            default -> psn;
        };
        if (at == psn || losesCount && random.nextBoolean()) {
            psn = at + 1;
        }
        return at & 0xff_ffff;
    }

    /** A packet; all its headers are complete. */
    byte[] next() {
        IbOpcode opcode = opcodes.get(random.nextInt(opcodes.size()));
        for (int i = 0; i < 4 && opcode.starts() == inMessage; i++) {
            opcode = opcodes.get(random.nextInt(opcodes.size()));
        }
        inMessage = !opcode.ends();
        int pad = random.nextInt(3) == 0 && opcode.hasPayload() ? random.nextInt(4) : 0;
        int payload = opcode.hasPayload() ? payload(opcode, pad) : 0;
        byte[] packet = new byte[opcode.headerBytes() + payload + pad + Icrc.LENGTH];
        random.nextBytes(packet);
        MemorySegment segment = MemorySegment.ofArray(packet);
        new Bth()
                .wrap(segment, 0)
                .set(opcode, one(queuePairs), nextPsn())
                .pad(pad)
                .se(random.nextBoolean())
                .a(random.nextBoolean())
                .pKey(rarely() ? random.nextInt() : Bth.DEFAULT_P_KEY);
        IbPacket fields = new IbPacket();
        if (fields.decode(segment, 0, packet.length) == IbPacketOutcome.OK) {
            fill(fields, packet, payload);
        }
        return packet;
    }

    private int payload(IbOpcode opcode, int pad) {
        boolean whole = opcode.position() == IbOpcode.Position.FIRST || opcode.position() == IbOpcode.Position.MIDDLE;
        int bytes = whole && random.nextInt(6) != 0
                ? MTU
                : switch (random.nextInt(5)) {
                    case 0 -> 0;
                    case 1 -> MTU + 4 * random.nextInt(3) - 4;
                    case 2 -> 4 * random.nextInt(1_000);
                    default -> 4 * random.nextInt(30);
                };
        return pad == 0 ? bytes : bytes + 4 - pad;
    }

    private void fill(IbPacket fields, byte[] packet, int payload) {
        IbOpcode opcode = fields.opcode();
        if (opcode == IbOpcode.RAW_DATAGRAM && payload > 0 && !rarely()) {
            packet[opcode.headerBytes()] = 0x60;
        }
        if (opcode.hasRdeth()) {
            fields.rdeth().set(one(contexts));
        }
        if (opcode.hasDeth()) {
            fields.deth().set(rarely() ? random.nextInt() : qKey, random.nextInt());
        }
        int at = random.nextInt(addresses.length);
        long address = addresses[at] + (rarely() ? random.nextInt() : random.nextInt(targetBytes));
        int key = rarely() ? random.nextInt() : keys[at];
        if (opcode.hasReth()) {
            int length = switch (random.nextInt(4)) {
                case 0 -> payload;
                case 1 -> payload + random.nextInt(3 * MTU);
                case 2 -> random.nextInt(targetBytes);
                default -> rarely() ? random.nextInt() : payload;
            };
            fields.reth().va(address).rKey(key).dmaLength(length);
        }
        if (opcode.hasAtomicEth()) {
            fields.atomicEth().va(rarely() ? address : address & -8L).rKey(key);
        }
        if (opcode.hasAeth()) {
            fields.aeth().set(random.nextInt(256), random.nextInt(1 << 24));
        }
    }

    /** Makes the ICRC of a packet right. */
    static byte[] signed(InetSocketAddress from, InetSocketAddress to, byte[] packet) {
        Icrc.Flow flow = new Icrc.Flow()
                .source(Addresses.high(from.getAddress()), Addresses.low(from.getAddress()), from.getPort())
                .target(Addresses.high(to.getAddress()), Addresses.low(to.getAddress()), to.getPort());
        int summed = packet.length - Icrc.LENGTH;
        int sum = new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow, 0);
        Icrc.write(MemorySegment.ofArray(packet), summed, sum);
        return packet;
    }
}
