package io.verbena.rnic.ib.port;

import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Encapsulation;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.SubnetEncapsulation;
import io.verbena.ib.packet.SubnetView;
import io.verbena.ib.unreliable.RawEngine;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketSender;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.Grh;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ib.Lrh;
import io.verbena.wire.ib.SubnetIcrc;
import io.verbena.wire.ib.Vcrc;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

/**
 * Packets of a subnet, with LRH, GRH and both CRCs. The addresses of a packet without a GRH are the GIDs of its LIDs, so that the
 * transport sees GIDs only.
 */
public final class SubnetFraming implements Framing {

    private static final int LEAST_BYTES = Lrh.LENGTH + Bth.LENGTH + Icrc.LENGTH + Vcrc.LENGTH;

    private static final int MOST_PADDING = 3;
    /** The first byte of the address of a multicast group, which is not one of the port although the port may be a member. */
    private static final int MULTICAST = 0xff;

    private final SubnetView subnet;
    private final SubnetIcrc icrc = new SubnetIcrc();
    private final Lrh lrh = new Lrh();
    private final Grh grh = new Grh();
    private final Ipv6Header ipv6 = new Ipv6Header();

    public SubnetFraming(SubnetView subnet) {
        this.subnet = subnet;
    }

    @Override
    public Encapsulation encapsulation(PacketSender sender) {
        return new SubnetEncapsulation(subnet);
    }

    @Override
    public PacketPath path(InetAddress peer, int trafficClass) {
        return new PacketPath(Addresses.high(peer), Addresses.low(peer), 0, trafficClass);
    }

    @Override
    public PacketPath path(AddressHandleAttributes to) {
        int trafficClass =
                to.serviceLevel() == 0 ? to.trafficClass() : SubnetEncapsulation.trafficClass(to.serviceLevel());
        if (to.address().isPresent()) {
            return path(to.address().get(), trafficClass);
        }
        long interfaceId = subnet.interfaceId(to.lid());
        if (interfaceId == 0) {
            throw new IllegalArgumentException(
                    "the subnet has no port with the LID " + to.lid() + "; use a LID of the subnet, or a GID");
        }
        return new PacketPath(subnet.prefix(), interfaceId, 0, trafficClass);
    }

    /** The manager of the subnet has assigned the addresses of an adapter, and states which ones belong together. */
    @Override
    public boolean belongsToPeer(PacketPath proven, long high, long low) {
        boolean inSubnet = high == subnet.prefix() && proven.addressHigh() == subnet.prefix();
        return Framing.super.belongsToPeer(proven, high, low)
                || inSubnet
                        && subnet.sameAdapter(
                                subnet.lid(proven.addressHigh(), proven.addressLow()), subnet.lid(high, low));
    }

    @Override
    public boolean owns(long high, long low) {
        return high >>> 56 != MULTICAST && subnet.owns(subnet.lid(high, low));
    }

    @Override
    public Admission.Outcome admit(PacketBatch batch, int index, Admission admission, IbPacket packet, Origin origin) {
        MemorySegment segment = batch.slab().segment();
        int offset = batch.offset(index);
        int length = batch.length(index);
        if (length < LEAST_BYTES) {
            return admission.malformed();
        }
        lrh.wrap(segment, offset);
        if (lrh.lnh() == Lrh.RAW_IPV6) {
            return admitRaw(segment, offset, length, admission, packet, origin);
        }
        boolean global = lrh.lnh() == Lrh.GLOBAL;
        int headers = global ? Lrh.LENGTH + Grh.LENGTH : Lrh.LENGTH;
        if (lrh.lver() != 0
                || lrh.lnh() < Lrh.LOCAL
                || 4 * lrh.pktLen() + Vcrc.LENGTH != length
                || length < LEAST_BYTES - Lrh.LENGTH + headers
                || !subnet.owns(lrh.dlid())) {
            return admission.malformed();
        }
        int rest = length - headers - Vcrc.LENGTH;
        if (global && !addresses(segment, offset + Lrh.LENGTH, rest, origin)) {
            return admission.malformed();
        }
        int before = length - Vcrc.LENGTH;
        if (Vcrc.read(segment, offset + before) != Vcrc.compute(segment, offset, before)) {
            return admission.damaged();
        }
        if (!global) {
            origin.source(subnet.prefix(), subnet.interfaceId(lrh.slid()))
                    .target(subnet.prefix(), subnet.interfaceId(lrh.dlid()))
                    .trafficClass(SubnetEncapsulation.trafficClass(lrh.sl()));
        }
        origin.withoutUdp();
        int summed = before - Icrc.LENGTH;
        int sum = icrc.compute(batch.slab().range(0, batch.slab().capacity()), offset, summed, global);
        return admission.whole(packet, segment, offset + headers, rest, sum);
    }

    /** An IPv6 packet without headers of the transport. Its header states its length without padding. */
    private Admission.Outcome admitRaw(
            MemorySegment segment, int offset, int length, Admission admission, IbPacket packet, Origin origin) {
        int before = length - Vcrc.LENGTH;
        int most = before - Lrh.LENGTH;
        if (lrh.lver() != 0
                || 4 * lrh.pktLen() != before
                || !subnet.owns(lrh.dlid())
                || ipv6.wrap(segment, offset + Lrh.LENGTH).check(most) != Ipv6Header.Check.OK
                || most - Ipv6Header.LENGTH - ipv6.payloadLength() > MOST_PADDING) {
            return admission.malformed();
        }
        if (Vcrc.read(segment, offset + before) != Vcrc.compute(segment, offset, before)) {
            return admission.damaged();
        }
        int bytes = Ipv6Header.LENGTH + ipv6.payloadLength();
        packet.raw(segment, offset + Lrh.LENGTH, bytes, RawEngine.ANY_QUEUE_PAIR);
        origin.source(ipv6.sourceHigh(), ipv6.sourceLow())
                .target(ipv6.destinationHigh(), ipv6.destinationLow())
                .trafficClass(ipv6.trafficClass())
                .hopLimit(ipv6.hopLimit())
                .withoutUdp();
        return admission.raw();
    }

    /** The addresses in a GRH; false if it is not that of a packet of the transport with {@code rest} bytes. */
    private boolean addresses(MemorySegment segment, int offset, int rest, Origin origin) {
        grh.wrap(segment, offset);
        origin.source(grh.sgidHigh(), grh.sgidLow())
                .target(grh.dgidHigh(), grh.dgidLow())
                .trafficClass(grh.tClass())
                .hopLimit(grh.hopLmt());
        return grh.nxtHdr() == Grh.NEXT_HEADER_BTH && grh.payLen() == rest;
    }

    @Override
    public int destination(PacketBatch batch, int index) {
        throw new UnsupportedOperationException("an RNIC in a subnet has one engine");
    }
}
