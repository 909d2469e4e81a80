package io.verbena.engine;

import io.verbena.base.PacketList;
import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.port.PacketBatch;
import org.jspecify.annotations.Nullable;

/**
 * The large buffers of an engine, whose content does not outlive a turn. Each is allocated when it is first used, so that an engine of
 * one transport has none for the others. Engines that one thread drives may share an object of this class, if their packet ports
 * accept all packets at once.
 */
public final class TurnBuffers {

    private static final int TRANSMIT_SLAB_BYTES = 512 * 1024;
    /** Small enough that the bytes read are still in the nearer caches when they are summed and copied. */
    private static final int RECEIVE_SLAB_BYTES = 64 * 1024;

    private static final int SEND_PACKETS_BYTES = 2 * RnicEngine.BYTE_BUDGET;
    private static final int RECEIVE_PACKETS_BYTES = RnicEngine.BYTE_BUDGET;
    private static final int RECEIVE_PACKETS = 256;

    private @Nullable TransmitList transmitList;
    private @Nullable Slab receiveSlab;
    private @Nullable PacketList packetList;
    private @Nullable PacketBatch packetBatch;

    /** What a byte stream sends in a turn. */
    public TransmitList transmitList() {
        TransmitList list = transmitList;
        if (list == null) {
            list = new TransmitList(TRANSMIT_SLAB_BYTES);
            transmitList = list;
        }
        return list;
    }

    /** Received bytes whose final address is not known yet. */
    public Slab receiveSlab() {
        Slab slab = receiveSlab;
        if (slab == null) {
            slab = new Slab(RECEIVE_SLAB_BYTES);
            receiveSlab = slab;
        }
        return slab;
    }

    /** What a packet port sends in a turn. Its content stays while the port accepts no more packets. */
    public PacketList packetList() {
        PacketList list = packetList;
        if (list == null) {
            list = new PacketList(SEND_PACKETS_BYTES);
            packetList = list;
        }
        return list;
    }

    /** What a further packet port of an engine sends in a turn. It is not shared. */
    public PacketList newPacketList() {
        return new PacketList(SEND_PACKETS_BYTES);
    }

    /** What a packet port receives in a turn. */
    public PacketBatch packetBatch() {
        PacketBatch batch = packetBatch;
        if (batch == null) {
            batch = new PacketBatch(RECEIVE_PACKETS_BYTES, RECEIVE_PACKETS);
            packetBatch = batch;
        }
        return batch;
    }
}
