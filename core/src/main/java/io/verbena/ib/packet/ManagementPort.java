package io.verbena.ib.packet;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.PacketPath;
import io.verbena.wire.ib.Deth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;

/**
 * Queue pair 1, the general services interface: management datagrams of 256 bytes in packets of an unreliable datagram.
 * It has no queues; an agent processes the datagrams, see {@link io.verbena.ib.cm.CmAgent}.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 13.5.
 */
public final class ManagementPort {

    /** Its queue pair number. */
    public static final int QUEUE_PAIR = 1;

    /** Its Q_Key. Only privileged queue pairs may send it. */
    public static final int Q_KEY = 0x8001_0000;

    /** Length of each datagram in bytes. */
    public static final int DATAGRAM_BYTES = 256;

    private final Deth deth = new Deth();
    private int nextPsn;

    /** Whether the payload of a packet is a management datagram. Other packets are dropped. */
    public static boolean carries(IbPacket packet) {
        return packet.opcode() == IbOpcode.UD_SEND_ONLY
                && packet.bth().destQp() == QUEUE_PAIR
                && packet.deth().qKey() == Q_KEY
                && packet.payloadBytes() == DATAGRAM_BYTES;
    }

    /** Builds the packet of a datagram. Returns false when the list is full. */
    public boolean build(PacketBuilder out, PacketPath to, byte[] datagram) {
        IbOpcode opcode = IbOpcode.UD_SEND_ONLY;
        if (!out.begin(to, opcode, QUEUE_PAIR, nextPsn, DATAGRAM_BYTES)) {
            return false;
        }
        deth.wrap(out.segment(), out.header(opcode.dethOffset())).set(Q_KEY, QUEUE_PAIR);
        MemorySegment.copy(datagram, 0, out.segment(), JAVA_BYTE, out.payload(), DATAGRAM_BYTES);
        out.end(to);
        nextPsn = Psn.plus(nextPsn, 1);
        return true;
    }
}
