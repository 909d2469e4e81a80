package io.verbena.fabric.management;

import io.verbena.fabric.mad.GuidInfo;
import io.verbena.fabric.mad.NodeDescription;
import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.mad.SwitchInfo;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The subnet management agent (SMA): executes Get and Set of the attributes of a node. A Set is checked as a whole before it changes
 * anything; values that are not valid are answered with a status.
 */
final class SubnetAgent {

    private static final int LAST_UNICAST_LID = 0xbfff;
    private static final int STATUS_OK = 0;

    /** What a Set can do to a link. */
    interface Links {
        /** The link goes down and up again. */
        void retrain(int node, int port);

        /** The port is disabled, or enabled again. */
        void enable(int node, int port, boolean enabled);
    }

    private final Links links;
    private final MadHeader header = new MadHeader();
    private final SmpHeader smp = new SmpHeader();
    private final PortInfo wanted = new PortInfo();

    SubnetAgent(Links links) {
        this.links = links;
    }

    /**
     * Executes a request and turns it into its response.
     *
     * @return whether there is a response: none to a wrong M_Key
     */
    boolean handle(ManagedNode node, int arrival, MemorySegment mad) {
        header.wrap(mad, 0);
        smp.wrap(mad, 0);
        boolean set = header.method() == Smp.SET;
        if (!permitted(node, arrival, set)) {
            return false;
        }
        int status;
        if (header.baseVersion() != 1 || header.classVersion() != 1) {
            status = Smp.BAD_VERSION;
        } else if (!set && header.method() != Smp.GET) {
            status = Smp.BAD_METHOD;
        } else {
            status = execute(node, arrival, mad, set);
        }
        boolean directed = header.mgmtClass() == Smp.CLASS_DIRECTED;
        header.method(Smp.GET_RESP).response(true).status(status);
        if (directed) {
            smp.direction(true);
        }
        return true;
    }

    /** Section 14.2.4: the levels of protection by the M_Key. */
    private boolean permitted(ManagedNode node, int arrival, boolean set) {
        PortInfo own = node.portInfo(node.endport(arrival));
        boolean right = own.mKey() == 0 || own.mKey() == smp.mKey();
        if (right || !set && own.mKeyProtectBits() < 2) {
            return true;
        }
        own.mKeyViolations(Math.min(own.mKeyViolations() + 1, 0xffff));
        return false;
    }

    private int execute(ManagedNode node, int arrival, MemorySegment mad, boolean set) {
        int modifier = header.attributeModifier();
        switch (header.attributeId()) {
            case Smp.NODE_INFO -> {
                if (!set) {
                    clear(mad);
                    node.nodeInfo(mad, SmpHeader.DATA, arrival);
                }
                return readOnly(set);
            }
            case Smp.NODE_DESCRIPTION -> {
                if (!set) {
                    new NodeDescription()
                            .wrap(mad, SmpHeader.DATA)
                            .text(node.node.identity().description());
                }
                return readOnly(set);
            }
            case Smp.SWITCH_INFO -> {
                return switchInfo(node, mad, set);
            }
            case Smp.PORT_INFO -> {
                return portInfo(node, arrival, mad, set);
            }
            case Smp.GUID_INFO -> {
                return guidInfo(node, arrival, modifier, mad, set);
            }
            case Smp.LINEAR_FORWARDING -> {
                return linearForwarding(node, modifier, mad, set);
            }
            default -> {
                return tables(node, arrival, mad, set);
            }
        }
    }

    private int tables(ManagedNode node, int arrival, MemorySegment mad, boolean set) {
        int modifier = header.attributeModifier();
        switch (header.attributeId()) {
            case Smp.P_KEY_TABLE -> {
                int port = node.node.isSwitch() ? modifier >>> 16 : arrival;
                boolean exists = port <= node.node.ports() && (modifier & 0xffff) * 32 < node.partitions(port);
                return exists ? table(node, port << 16 | modifier & 0xffff, mad, set) : Smp.BAD_VALUE;
            }
            case Smp.SL_TO_VL -> {
                int in = modifier >>> 8 & 0xff;
                int out = modifier & 0xff;
                boolean exists = !node.node.isSwitch() || in <= node.node.ports() && out <= node.node.ports();
                int key = node.node.isSwitch() ? modifier & 0xffff : arrival;
                return exists ? table(node, key, mad, set) : Smp.BAD_VALUE;
            }
            case Smp.VL_ARBITRATION -> {
                int port = node.node.isSwitch() ? modifier & 0xffff : arrival;
                int part = modifier >>> 16;
                boolean exists = port <= node.node.ports() && (part == 1 || part == 3);
                return exists ? table(node, part << 16 | port, mad, set) : Smp.BAD_VALUE;
            }
            case Smp.MULTICAST_FORWARDING -> {
                if (!node.node.isSwitch()) {
                    return Smp.BAD_ATTRIBUTE;
                }
                int position = modifier >>> 28;
                boolean exists =
                        (modifier & 0x1ff) * 32 < ManagedNode.MULTICAST_LIDS && position * 16 <= node.node.ports();
                return exists ? table(node, modifier & 0xf000_01ff, mad, set) : Smp.BAD_VALUE;
            }
            default -> {
                return Smp.BAD_ATTRIBUTE;
            }
        }
    }

    private static int linearForwarding(ManagedNode node, int modifier, MemorySegment mad, boolean set) {
        if (!node.node.isSwitch()) {
            return Smp.BAD_ATTRIBUTE;
        }
        if (modifier < 0 || modifier >= ManagedNode.LINEAR_LIDS / ManagedNode.BLOCK) {
            return Smp.BAD_VALUE;
        }
        MemorySegment block = node.forwardingBlock(modifier);
        if (set) {
            block.copyFrom(mad.asSlice(SmpHeader.DATA, ManagedNode.BLOCK));
        } else {
            mad.asSlice(SmpHeader.DATA, ManagedNode.BLOCK).copyFrom(block);
        }
        return STATUS_OK;
    }

    private static int readOnly(boolean set) {
        return set ? Smp.BAD_ATTRIBUTE : STATUS_OK;
    }

    private static void clear(MemorySegment mad) {
        mad.asSlice(SmpHeader.DATA, SmpHeader.DATA_LENGTH).fill((byte) 0);
    }

    private int table(ManagedNode node, int key, MemorySegment mad, boolean set) {
        MemorySegment data = mad.asSlice(SmpHeader.DATA, ManagedNode.BLOCK);
        if (set) {
            node.table(header.attributeId(), key, data.toArray(ValueLayout.JAVA_BYTE));
        } else {
            data.copyFrom(MemorySegment.ofArray(node.table(header.attributeId(), key)));
        }
        return STATUS_OK;
    }

    private int guidInfo(ManagedNode node, int arrival, int block, MemorySegment mad, boolean set) {
        int own = node.endport(arrival);
        if (block != 0) {
            return Smp.BAD_VALUE;
        }
        GuidInfo fields = new GuidInfo().wrap(mad, SmpHeader.DATA);
        if (set) {
            // The first GUID is the port's own and does not change.
            fields.guid(
                    0,
                    node.node
                            .address(Math.max(own, node.node.isSwitch() ? 0 : 1))
                            .guid());
            return table(node, own, mad, true);
        }
        table(node, own, mad, false);
        fields.guid(
                0,
                node.node.address(Math.max(own, node.node.isSwitch() ? 0 : 1)).guid());
        return STATUS_OK;
    }

    private int switchInfo(ManagedNode node, MemorySegment mad, boolean set) {
        if (!node.node.isSwitch()) {
            return Smp.BAD_ATTRIBUTE;
        }
        MemorySegment data = mad.asSlice(SmpHeader.DATA, ManagedNode.BLOCK);
        if (set) {
            SwitchInfo asked = new SwitchInfo().wrap(data, 0);
            if (asked.linearFdbTop() >= ManagedNode.LINEAR_LIDS) {
                return Smp.BAD_VALUE;
            }
            SwitchInfo own = node.switchInfo();
            own.linearFdbTop(asked.linearFdbTop())
                    .defaultPort(asked.defaultPort())
                    .defaultMulticastPrimaryPort(asked.defaultMulticastPrimaryPort())
                    .defaultMulticastNotPrimaryPort(asked.defaultMulticastNotPrimaryPort())
                    .lifeTimeValue(asked.lifeTimeValue());
            if (asked.portStateChange()) {
                own.portStateChange(false);
            }
        }
        data.copyFrom(node.switchInfoBytes());
        return STATUS_OK;
    }

    private int portInfo(ManagedNode node, int arrival, MemorySegment mad, boolean set) {
        int asked = header.attributeModifier() & 0x7fff_ffff;
        int port = asked == 0 && !node.node.isSwitch() ? arrival : asked;
        if (port > node.node.ports() || port == 0 && !node.node.isSwitch()) {
            return Smp.BAD_VALUE;
        }
        if (set) {
            wanted.wrap(mad, SmpHeader.DATA);
            if (!node.node.isSwitch() && port != arrival || !valid(node, port)) {
                return Smp.BAD_VALUE;
            }
            apply(node, port);
            changeState(node, port, wanted.portState(), wanted.portPhysicalState());
        }
        mad.asSlice(SmpHeader.DATA, ManagedNode.BLOCK).copyFrom(node.portInfoBytes(port));
        wanted.wrap(mad, SmpHeader.DATA).localPortNum(arrival);
        return STATUS_OK;
    }

    private boolean valid(ManagedNode node, int port) {
        PortInfo own = node.portInfo(port);
        int state = wanted.portState();
        boolean stateValid = state == 0
                || state == Smp.DOWN
                || state == Smp.ARMED && own.portState() >= Smp.INITIALIZE
                || state == Smp.ACTIVE && own.portState() >= Smp.ARMED;
        boolean addressValid = true;
        if (node.endport(port) == port) {
            int lids = 1 << wanted.lmc();
            addressValid = wanted.lid() > 0 && wanted.lid() + lids - 1 <= LAST_UNICAST_LID && wanted.lid() % lids == 0;
        }
        return stateValid
                && addressValid
                && wanted.portPhysicalState() <= Smp.DISABLED
                && wanted.operationalVls() <= own.vlCap()
                && wanted.neighborMtu() <= own.mtuCap();
    }

    private void apply(ManagedNode node, int port) {
        PortInfo own = node.portInfo(port);
        if (node.endport(port) == port) {
            own.mKey(wanted.mKey())
                    .gidPrefix(wanted.gidPrefix())
                    .lid(wanted.lid())
                    .lmc(wanted.lmc())
                    .masterSmLid(wanted.masterSmLid())
                    .masterSmSl(wanted.masterSmSl())
                    .mKeyLeasePeriod(wanted.mKeyLeasePeriod())
                    .mKeyProtectBits(wanted.mKeyProtectBits())
                    .subnetTimeOut(wanted.subnetTimeOut());
        }
        own.vlHighLimit(wanted.vlHighLimit())
                .vlStallCount(wanted.vlStallCount())
                .hoqLife(wanted.hoqLife())
                .partitionEnforcementInbound(wanted.partitionEnforcementInbound())
                .partitionEnforcementOutbound(wanted.partitionEnforcementOutbound())
                .filterRawInbound(wanted.filterRawInbound())
                .filterRawOutbound(wanted.filterRawOutbound())
                .localPhyErrors(wanted.localPhyErrors())
                .overrunErrors(wanted.overrunErrors());
        if (wanted.mKeyViolations() == 0) {
            own.mKeyViolations(0);
        }
        if (wanted.operationalVls() != 0) {
            own.operationalVls(wanted.operationalVls());
        }
        if (wanted.neighborMtu() != 0) {
            own.neighborMtu(wanted.neighborMtu());
        }
        if (wanted.linkDownDefaultState() != 0) {
            own.linkDownDefaultState(wanted.linkDownDefaultState());
        }
    }

    private void changeState(ManagedNode node, int port, int state, int physical) {
        if (node.node.isSwitch() && port == 0) {
            return;
        }
        if (physical == Smp.DISABLED || physical == 1) {
            links.enable(node.node.index(), port, false);
        } else if (physical == Smp.POLLING) {
            links.enable(node.node.index(), port, true);
            links.retrain(node.node.index(), port);
        } else if (state == Smp.DOWN) {
            links.retrain(node.node.index(), port);
        } else if (state == Smp.ARMED || state == Smp.ACTIVE) {
            node.portInfo(port).portState(state);
        }
    }
}
