package io.verbena.rnic.ib.port;

import io.verbena.base.PacketList;
import io.verbena.ib.packet.Encapsulation;
import io.verbena.ib.packet.PacketBuilder.Outgoing;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.util.Optional;

/**
 * One address that the packets of an engine leave from, and the list of those that have not left.
 */
final class Exit {

    private final PacketSender packets;
    private final Optional<PacketPort> port;
    private final Outgoing outgoing;
    private int nextUnsent;
    private boolean blocked;

    /**
     * An address.
     *
     * @param port reports when it accepts packets again, if the engine owns it
     */
    Exit(PacketSender packets, Optional<PacketPort> port, PacketList list, Encapsulation around) {
        this.packets = packets;
        this.port = port;
        outgoing = new Outgoing(list, around);
    }

    /** What packets are built with. */
    Outgoing outgoing() {
        return outgoing;
    }

    /** Empties the list. */
    void open() {
        outgoing.list().reset(packets.groupPackets(), packets.groupBytes());
        nextUnsent = 0;
    }

    /** Whether the packets fill a call of the port. */
    boolean full() {
        return outgoing.list().bytes() >= packets.groupBytes();
    }

    /**
     * Sends the packets of the list that have not left yet. Whole packets are in the slab, so that they can wait.
     *
     * @return whether some of them have not left
     */
    boolean send() throws IOException {
        PacketList list = outgoing.list();
        if (nextUnsent < list.packets()) {
            nextUnsent = packets.send(list, nextUnsent);
        }
        boolean now = nextUnsent < list.packets();
        if (now != blocked) {
            blocked = now;
            port.ifPresent(it -> it.wantWritable(now));
        }
        return now;
    }

    /** Whether nothing reports that more packets are accepted. */
    boolean silent() {
        return port.isEmpty();
    }

    void close() {
        packets.close();
    }
}
