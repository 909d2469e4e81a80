package io.verbena.ib;

import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import io.verbena.wire.ib.Icrc;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Builds packets field by field. Their ICRC is 0, because engines do not check it. */
public final class Crafted {

    private Crafted() {}

    public static byte[] packet(IbOpcode opcode, int psn, int payloadBytes, Consumer<IbPacket> fields) {
        int pad = -payloadBytes & 3;
        byte[] bytes = new byte[opcode.headerBytes() + payloadBytes + pad + Icrc.LENGTH];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        new Bth().wrap(segment, 0).set(opcode, 0x22, psn).pad(pad);
        for (int i = 0; i < payloadBytes; i++) {
            bytes[opcode.headerBytes() + i] = (byte) (psn * 7 + i);
        }
        IbPacket packet = new IbPacket();
        if (packet.decode(segment, 0, bytes.length) != IbPacketOutcome.OK) {
            throw new AssertionError("not a packet");
        }
        fields.accept(packet);
        return bytes;
    }

    /** A request for which an acknowledgement is requested. */
    public static byte[] request(IbOpcode opcode, int psn, int payloadBytes) {
        return packet(opcode, psn, payloadBytes, p -> p.bth().a(true));
    }

    /** The first or only packet of a Write, or a Read request. */
    public static byte[] withReth(IbOpcode opcode, int psn, int payloadBytes, long va, int rKey, int length) {
        return packet(opcode, psn, payloadBytes, p -> {
            p.bth().a(opcode.ends());
            p.reth().va(va).rKey(rKey).dmaLength(length);
        });
    }

    static byte[] fetchAdd(int psn, long va, int rKey, long addend) {
        return packet(IbOpcode.RC_FETCH_ADD, psn, 0, p -> {
            p.bth().a(true);
            p.atomicEth().va(va).rKey(rKey).swapOrAddData(addend).compareData(0);
        });
    }

    public static byte[] acknowledge(int psn, int syndrome, int msn) {
        return packet(IbOpcode.RC_ACKNOWLEDGE, psn, 0, p -> p.aeth().set(syndrome, msn));
    }

    static byte[] response(IbOpcode opcode, int psn, int payloadBytes) {
        return packet(opcode, psn, payloadBytes, p -> {
            if (opcode.hasAeth()) {
                p.aeth().set(31, 1);
            }
        });
    }
}
