package io.verbena.fabric.endnode;

import io.verbena.ib.SubnetView;

/** What an endnode knows of the fabric: all ports, and by which of its own ports it reaches them. */
final class EndnodeView implements SubnetView {

    private final EndnodePorts ports;
    private final ServiceLevels levels;
    private final int lanes;
    private final int endnode;

    EndnodeView(EndnodePorts ports, ServiceLevels levels, int lanes, int endnode) {
        this.ports = ports;
        this.levels = levels;
        this.lanes = lanes;
        this.endnode = endnode;
    }

    @Override
    public int lid(long gidHigh, long gidLow) {
        int lid = gidHigh == PortIdentity.PREFIX ? PortIdentity.lid(gidLow) : NO_LID;
        return lid <= ports.lids() ? lid : NO_LID;
    }

    /** Port k reaches port k of other endnodes, so that paths to different ports of an endnode are separate. */
    @Override
    public int sourceLid(int destinationLid) {
        int local = destinationLid == NO_LID ? 0 : ports.local(destinationLid);
        return ports.firstLid(endnode) + Math.min(local, ports.ports(endnode) - 1);
    }

    @Override
    public boolean owns(int lid) {
        return lid > NO_LID && lid <= ports.lids() && ports.endnodeOf(lid) == endnode;
    }

    @Override
    public long interfaceId(int lid) {
        return lid > NO_LID && lid <= ports.lids() ? PortIdentity.guid(lid) : 0;
    }

    @Override
    public long prefix() {
        return PortIdentity.PREFIX;
    }

    @Override
    public int level(int destinationLid, int wanted) {
        return destinationLid == NO_LID ? wanted : levels.level(sourceLid(destinationLid), destinationLid, wanted);
    }

    /** Adapters send a service level on the lane of its number. */
    @Override
    public int lane(int serviceLevel) {
        return serviceLevel % lanes;
    }
}
