package io.verbena.fabric.endnode;

import io.verbena.ib.packet.SubnetView;

/** What an endnode knows of the network: all ports, by which of its own ports it reaches them, and routers to other subnets. */
final class EndnodeView implements SubnetView {

    private final EndnodePorts ports;
    private final Subnets subnets;
    private final SanSettings settings;
    private final FabricGroups groups;
    private final int endnode;
    private final int subnet;

    EndnodeView(EndnodePorts ports, Subnets subnets, SanSettings settings, FabricGroups groups, int endnode) {
        this.ports = ports;
        this.subnets = subnets;
        this.settings = settings;
        this.groups = groups;
        this.endnode = endnode;
        subnet = subnets.subnetOf(ports.lid(endnode, 0, 0));
    }

    @Override
    public int lid(long gidHigh, long gidLow) {
        if (FabricGroups.multicast(gidHigh)) {
            return groups.lid(gidHigh, gidLow);
        }
        int there = PortIdentity.subnet(gidHigh);
        int lid = PortIdentity.lid(gidLow);
        if (there < 0 || !ports.exists(lid) || subnets.subnetOf(lid) != there) {
            return NO_LID;
        }
        return there == subnet ? lid : subnets.routerLid(subnet, there, lid);
    }

    /** Port k and path k reach port k and path k of other endnodes, so that paths to different LIDs of an endnode are separate. */
    @Override
    public int sourceLid(int destinationLid) {
        if (!ports.exists(destinationLid) || subnets.isRouter(ports.endnodeOf(destinationLid))) {
            return ports.lid(endnode, 0, 0);
        }
        int local = Math.min(ports.local(destinationLid), ports.ports(endnode) - 1);
        return ports.lid(endnode, local, ports.path(destinationLid));
    }

    @Override
    public boolean owns(int lid) {
        return ports.exists(lid) ? ports.endnodeOf(lid) == endnode : groups.member(lid, endnode);
    }

    @Override
    public boolean sameAdapter(int lid, int other) {
        return ports.exists(lid) && ports.exists(other) && ports.endnodeOf(lid) == ports.endnodeOf(other);
    }

    /** If the packets of a connection take several paths, all LIDs of an endnode have its first GID. */
    @Override
    public long interfaceId(int lid) {
        if (!ports.exists(lid) || subnets.subnetOf(lid) != subnet) {
            return 0;
        }
        return PortIdentity.guid(settings.paths() == PathUse.ONE ? lid : ports.lid(ports.endnodeOf(lid), 0, 0));
    }

    @Override
    public long prefix() {
        return PortIdentity.prefix(subnet);
    }

    @Override
    public int level(int destinationLid, int wanted) {
        return !ports.exists(destinationLid)
                ? wanted
                : settings.levels().level(sourceLid(destinationLid), destinationLid, wanted);
    }

    /** Adapters send a service level on the lane of its number. */
    @Override
    public int lane(int serviceLevel) {
        return serviceLevel % settings.link().lanes();
    }

    /** Packets take the ports in turn, then the paths to them. */
    @Override
    public int stripe(int destinationLid, int psn) {
        if (settings.paths() != PathUse.STRIPED || !ports.exists(destinationLid)) {
            return destinationLid;
        }
        return ofAll(destinationLid, psn);
    }

    /** Path 0 is that of the connection, as the first port of an endnode has its GID. */
    @Override
    public int spray(int destinationLid, int path) {
        return settings.paths() != PathUse.SPRAYED || !ports.exists(destinationLid)
                ? destinationLid
                : ofAll(destinationLid, path);
    }

    /** The LID with a number: that of each port that both endnodes have in turn, then the next path to each. */
    private int ofAll(int destinationLid, int number) {
        int there = ports.endnodeOf(destinationLid);
        int both = Math.min(ports.ports(there), ports.ports(endnode));
        int turn = number % (both * ports.paths());
        return ports.lid(there, turn % both, turn / both);
    }

    /** The next path to the same port; with one path to each, that to the next port which both endnodes have. */
    @Override
    public int answer(int destinationLid) {
        if (settings.paths() != PathUse.SEPARATE_ANSWERS || !ports.exists(destinationLid)) {
            return destinationLid;
        }
        int there = ports.endnodeOf(destinationLid);
        int both = Math.min(ports.ports(there), ports.ports(endnode));
        int port = ports.local(destinationLid);
        return ports.paths() > 1
                ? ports.lid(there, port, (ports.path(destinationLid) + 1) % ports.paths())
                : ports.lid(there, (port + 1) % both, 0);
    }
}
