package io.verbena.rnic.ib.port;

import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Encapsulation;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.UdpEncapsulation;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketSender;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ib.PacketRun;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** RoCEv2: packets are the payload of UDP datagrams, and all RNICs use the same UDP port. */
public final class UdpFraming implements Framing {

    /** The service of an opcode is in its three high bits. */
    private static final int SERVICE_SHIFT = 5;

    private static final int RELIABLE_DATAGRAM = 2;

    private final long localHigh;
    private final long localLow;
    private final int port;
    private final Icrc.Flow flow = new Icrc.Flow();

    public UdpFraming(InetSocketAddress local) {
        localHigh = Addresses.high(local.getAddress());
        localLow = Addresses.low(local.getAddress());
        port = local.getPort();
    }

    @Override
    public Encapsulation encapsulation(PacketSender sender) {
        return new UdpEncapsulation(localHigh, localLow, port, sender::sourcePort);
    }

    @Override
    public PacketPath path(InetAddress peer, int trafficClass) {
        return Addresses.path(new InetSocketAddress(peer, port), trafficClass);
    }

    @Override
    public PacketPath path(AddressHandleAttributes to) {
        return path(
                to.address()
                        .orElseThrow(() -> new IllegalArgumentException(
                                "the IP address of the peer is required; LIDs exist inside a subnet only")),
                to.trafficClass());
    }

    @Override
    public Admission.Outcome admit(PacketBatch batch, int index, Admission admission, IbPacket packet, Origin origin) {
        long targetHigh = batch.toGroup(index) ? batch.groupHigh(index) : localHigh;
        long targetLow = batch.toGroup(index) ? batch.groupLow(index) : localLow;
        flow.source(batch.sourceHigh(index), batch.sourceLow(index), batch.sourcePort(index))
                .target(targetHigh, targetLow, port);
        origin.source(batch.sourceHigh(index), batch.sourceLow(index))
                .target(targetHigh, targetLow)
                .trafficClass(batch.trafficClass(index));
        return admission.whole(
                packet,
                batch.slab().segment(),
                batch.slab().range(0, batch.slab().capacity()),
                batch.offset(index),
                batch.length(index),
                flow,
                Admission.probably(batch.indexInGroup(index))); // the port of a Verbena numbers packets so
    }

    @Override
    public int follow(PacketBatch batch, int index, int most, Admission admission, IbPacket admitted, PacketRun run) {
        return admission.follow(
                run,
                admitted,
                batch.slab().range(0, batch.slab().capacity()),
                most,
                flow,
                batch.indexInGroup(index) + 1);
    }

    @Override
    public int destination(PacketBatch batch, int index) {
        if (batch.length(index) < Bth.LENGTH) {
            return -1;
        }
        MemorySegment segment = batch.slab().segment();
        int offset = batch.offset(index);
        boolean reliableDatagram = segment.get(ValueLayout.JAVA_BYTE, offset) >> SERVICE_SHIFT == RELIABLE_DATAGRAM;
        return reliableDatagram ? -1 : Bth.destQp(segment, offset);
    }
}
