package io.verbena.fabric.endnode;

import io.verbena.ib.packet.SubnetView;
import io.verbena.wire.ib.Grh;
import io.verbena.wire.ib.Lrh;
import io.verbena.wire.ib.Vcrc;
import java.lang.foreign.MemorySegment;

/**
 * Forwards packets between subnets by the destination address of their GRH: the hop limit becomes one less, the LRH becomes that of the next
 * subnet, and the VCRC is computed again. The ICRC remains, because it does not cover what a router changes. IPv6 packets of raw datagrams have
 * the same fields at the same places.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, chapter 19.
 */
final class SubnetRouter {

    private final EndnodePorts ports;
    private final Subnets subnets;
    private final Lrh lrh = new Lrh();
    private final Grh grh = new Grh();
    private byte[] packet = {};

    SubnetRouter(EndnodePorts ports, Subnets subnets) {
        this.ports = ports;
        this.subnets = subnets;
    }

    /** Returns the LID of the port by which the packet leaves the router; {@link SubnetView#NO_LID} if it is discarded. */
    int forward(int router, byte[] arrived) {
        if (arrived.length < Lrh.LENGTH + Grh.LENGTH + Vcrc.LENGTH) {
            return SubnetView.NO_LID;
        }
        packet = arrived.clone();
        MemorySegment segment = MemorySegment.ofArray(packet);
        int before = packet.length - Vcrc.LENGTH;
        lrh.wrap(segment, 0);
        grh.wrap(segment, Lrh.LENGTH);
        boolean raw = lrh.lnh() == Lrh.RAW_IPV6;
        int to = raw ? PortIdentity.routableSubnet(grh.dgidHigh()) : PortIdentity.subnet(grh.dgidHigh());
        int lid = PortIdentity.lid(grh.dgidLow());
        boolean valid = (raw || lrh.lnh() == Lrh.GLOBAL)
                && Vcrc.read(segment, before) == Vcrc.compute(segment, 0, before)
                && grh.hopLmt() > 1
                && ports.exists(lid)
                && subnets.subnetOf(lid) == to;
        int out = valid ? subnets.outputLid(router, to) : SubnetView.NO_LID;
        if (out == SubnetView.NO_LID) {
            return SubnetView.NO_LID;
        }
        int next = subnets.subnetOf(out) == to ? lid : subnets.routerLid(subnets.subnetOf(out), to, lid);
        grh.hopLmt(grh.hopLmt() - 1);
        lrh.slid(out).dlid(next);
        Vcrc.write(segment, before, Vcrc.compute(segment, 0, before));
        return out;
    }

    /** The packet of the last call. */
    byte[] packet() {
        return packet;
    }

    /** Its DLID. */
    int destination() {
        return lrh.dlid();
    }

    /** Its service level. */
    int level() {
        return lrh.sl();
    }
}
