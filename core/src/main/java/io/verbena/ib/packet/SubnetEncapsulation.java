package io.verbena.ib.packet;

import io.verbena.base.PacketPath;
import io.verbena.base.Slab;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.Grh;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ib.Lrh;
import io.verbena.wire.ib.SubnetIcrc;
import io.verbena.wire.ib.Vcrc;

/**
 * A packet of a subnet: LRH, a GRH if the destination is in another subnet, and the two CRCs. The upper four bits of the traffic class
 * of a path are the service level that its packets should have.
 *
 * <pre>
 *   | LRH 8 | GRH 40 | BTH .. payload and padding | ICRC 4 | VCRC 2 |
 *   | LRH 8 | IPv6 packet of a raw datagram and padding    | VCRC 2 |
 * </pre>
 *
 * Source: InfiniBand architecture specification, volume 1, sections 7.7, 7.8 and 8.3.
 */
public final class SubnetEncapsulation implements Encapsulation {

    private static final int LEVEL_SHIFT = 4;
    private static final int HOP_LIMIT = 64;
    private static final int LAST_READ_RESPONSE = IbOpcode.RC_READ_RESPONSE_ONLY.value();

    private final SubnetView subnet;
    private final SubnetIcrc icrc = new SubnetIcrc();
    private final Lrh lrh = new Lrh();
    private final Grh grh = new Grh();
    private final Bth bth = new Bth();

    /** The encapsulation of a port of a subnet. */
    public SubnetEncapsulation(SubnetView subnet) {
        this.subnet = subnet;
    }

    /** The traffic class of paths whose packets have a service level. */
    public static int trafficClass(int serviceLevel) {
        return serviceLevel << LEVEL_SHIFT;
    }

    private boolean global(PacketPath path) {
        return path.addressHigh() != subnet.prefix();
    }

    @Override
    public int headerBytes(PacketPath path) {
        return global(path) ? Lrh.LENGTH + Grh.LENGTH : Lrh.LENGTH;
    }

    @Override
    public int trailerBytes() {
        return Icrc.LENGTH + Vcrc.LENGTH;
    }

    @Override
    public void complete(Slab slab, int offset, int lengthBytes, PacketPath path, int index) {
        boolean global = global(path);
        int destination = subnet.lid(path.addressHigh(), path.addressLow());
        if (!global) {
            destination = path.entropy() == 0 ? destination : subnet.spray(destination, path.entropy());
            bth.wrap(slab.segment(), offset + Lrh.LENGTH);
            if (!bth.opcode().request()) {
                destination = subnet.answer(destination);
            }
            // Requests and responses to Reads; acknowledgements stay on one path, because the last one counts.
            if (bth.opcodeValue() <= LAST_READ_RESPONSE) {
                destination = subnet.stripe(destination, bth.psn());
            }
        }
        int source = local(slab, offset, lengthBytes, global ? Lrh.GLOBAL : Lrh.LOCAL, destination, path);
        if (global) {
            grh.wrap(slab.segment(), offset + Lrh.LENGTH)
                    .classAndFlow(path.trafficClass(), 0)
                    .payLen(lengthBytes - Lrh.LENGTH - Grh.LENGTH - Vcrc.LENGTH)
                    .nxtHdr(Grh.NEXT_HEADER_BTH)
                    .hopLmt(HOP_LIMIT)
                    .sgidHigh(subnet.prefix())
                    .sgidLow(subnet.interfaceId(source))
                    .dgidHigh(path.addressHigh())
                    .dgidLow(path.addressLow());
        }
        int summed = lengthBytes - trailerBytes();
        int sum = icrc.compute(slab.range(0, slab.capacity()), offset, summed, global);
        Icrc.write(slab.segment(), offset + summed, sum);
        sumVariant(slab, offset, summed + Icrc.LENGTH);
    }

    /** Writes the LRH. Returns the LID of the port by which the packet leaves. */
    private int local(Slab slab, int offset, int lengthBytes, int next, int destination, PacketPath path) {
        int level = subnet.level(destination, path.trafficClass() >>> LEVEL_SHIFT);
        int source = subnet.sourceLid(destination);
        lrh.wrap(slab.segment(), offset)
                .clear()
                .vl(subnet.lane(level))
                .sl(level)
                .lnh(next)
                .dlid(destination)
                .pktLen(lengthBytes - Vcrc.LENGTH >> 2)
                .slid(source);
        return source;
    }

    private static void sumVariant(Slab slab, int offset, int before) {
        Vcrc.write(slab.segment(), offset + before, Vcrc.compute(slab.segment(), offset, before));
    }

    @Override
    public int rawHeaderBytes() {
        return Lrh.LENGTH;
    }

    @Override
    public int rawTrailerBytes() {
        return Vcrc.LENGTH;
    }

    /** Section 5.2.1 and 7.8: a raw packet has an LRH and a VCRC, and nothing of the transport. */
    @Override
    public void completeRaw(Slab slab, int offset, int lengthBytes, PacketPath path) {
        int destination = subnet.lid(path.addressHigh(), path.addressLow());
        local(slab, offset, lengthBytes, Lrh.RAW_IPV6, destination, path);
        sumVariant(slab, offset, lengthBytes - Vcrc.LENGTH);
    }
}
