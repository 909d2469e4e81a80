package io.verbena.fabric.management;

import io.verbena.fabric.mad.NodeInfo;
import io.verbena.fabric.mad.PortInfo;
import io.verbena.fabric.mad.SlToVlMappingTable;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SwitchInfo;
import io.verbena.fabric.topology.LinkRate;
import io.verbena.fabric.topology.LinkSpeed;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.PortAddress;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What subnet management can read and write of one node, as its attributes are on the wire. */
final class ManagedNode {

    static final int LINEAR_LIDS = 0xc000;
    static final int MULTICAST_LIDS = 1024;
    static final int BLOCK = 64;
    private static final long LINK_LOCAL = 0xfe80_0000_0000_0000L;

    /** IsTrapSupported, IsAutomaticMigrationSupported, IsSLMappingSupported, IsSystemImageGUIDSupported, IsExtendedSpeedsSupported, IsClientReregistrationSupported. */
    private static final int CAPABILITIES = 0x0200_4868;
    /** IsCapabilityMask2Supported. */
    private static final int HAS_CAPABILITIES_2 = 0x8000;
    /** IsLinkWidth2xSupported, IsLinkSpeedHDRSupported, IsLinkSpeedNDRSupported, IsExtendedSpeeds2Supported, IsLinkSpeedXDRSupported. */
    private static final int CAPABILITIES_2 = 0x1c30;
    /** IsCommunicationManagementSupported. */
    private static final int COMMUNICATION_MANAGEMENT = 0x1_0000;
    /** IsSM. */
    static final int IS_SM = 0x2;

    private static final int LANES_8 = 4;
    private static final int MTU_4096 = 5;
    private static final int ADAPTER_PARTITIONS = 64;
    private static final int SWITCH_PARTITIONS = 32;

    final Node node;
    /** The node works. */
    boolean up = true;

    private final MemorySegment[] portInfos;
    private final MemorySegment switchInfo = blank();
    private final PortInfo portInfo = new PortInfo();
    private final SwitchInfo switchFields = new SwitchInfo();
    private byte[] forwarding = new byte[0];
    /** Tables that a manager has written, by attribute, modifier and port; the others have their initial contents. */
    private final Map<Long, byte[]> tables = new HashMap<>();

    ManagedNode(Node node) {
        this.node = node;
        portInfos = new MemorySegment[node.ports() + 1];
        for (int port = 0; port <= node.ports(); port++) {
            portInfos[port] = blank();
            initialize(port);
        }
        if (node.isSwitch()) {
            switchInfo()
                    .linearFdbCap(LINEAR_LIDS)
                    .multicastFdbCap(MULTICAST_LIDS)
                    .lifeTimeValue(18)
                    .partitionEnforcementCap(SWITCH_PARTITIONS)
                    .inboundEnforcementCap(true)
                    .outboundEnforcementCap(true);
        }
    }

    private static MemorySegment blank() {
        return MemorySegment.ofArray(new byte[BLOCK]);
    }

    private void initialize(int port) {
        boolean endport = node.isSwitch() == (port == 0);
        PortInfo fields = portInfo(port)
                .gidPrefix(LINK_LOCAL)
                .portState(Smp.DOWN)
                .portPhysicalState(Smp.POLLING)
                .linkDownDefaultState(Smp.POLLING)
                .vlCap(LANES_8)
                .operationalVls(LANES_8)
                .vlArbitrationHighCap(8)
                .vlArbitrationLowCap(8)
                .mtuCap(MTU_4096)
                .neighborMtu(MTU_4096)
                .hoqLife(16)
                .localPhyErrors(8)
                .overrunErrors(8);
        rate(port, LinkRate.DEFAULT);
        if (endport && (node.isSwitch() || port > 0)) {
            PortAddress address = node.address(port);
            fields.lid(address.lid()).lmc(address.lmc());
            fields.capabilityMask(CAPABILITIES | (node.kind() == NodeKind.ADAPTER ? COMMUNICATION_MANAGEMENT : 0));
            fields.guidCap(node.isSwitch() ? 1 : 8).subnetTimeOut(18).respTimeValue(16);
        }
        if (node.isSwitch() && port == 0) {
            fields.portState(Smp.ACTIVE).portPhysicalState(Smp.LINK_UP);
        }
    }

    /** The width and speed that a link has. */
    void rate(int port, LinkRate rate) {
        if (rate.speed() == LinkSpeed.XDR) {
            PortInfo owner = portInfo(endport(port));
            owner.capabilityMask(owner.capabilityMask() | HAS_CAPABILITIES_2).capabilityMask2(CAPABILITIES_2);
        }
        int width = rate.width().code();
        PortInfo fields = portInfo(port)
                .linkWidthActive(width)
                .linkWidthSupported(1 | width)
                .linkWidthEnabled(1 | width);
        LinkSpeed speed = rate.speed();
        if (speed == LinkSpeed.XDR) {
            fields.linkSpeedExtActive(0).linkSpeedExtSupported(15).linkSpeedExtEnabled(15);
            fields.linkSpeedExt2(1);
            fields.linkSpeedActive(4).linkSpeedSupported(7).linkSpeedEnabled(7);
        } else if (speed.extended()) {
            int all = 2 * speed.code() - 1;
            fields.linkSpeedExtActive(speed.code()).linkSpeedExtSupported(all).linkSpeedExtEnabled(all);
            fields.linkSpeedActive(4).linkSpeedSupported(7).linkSpeedEnabled(7);
        } else {
            int all = 2 * speed.code() - 1;
            fields.linkSpeedExtActive(0).linkSpeedExtSupported(0).linkSpeedExtEnabled(0);
            fields.linkSpeedActive(speed.code()).linkSpeedSupported(all).linkSpeedEnabled(all);
        }
    }

    /** The state of a port; valid until the next call. */
    PortInfo portInfo(int port) {
        return portInfo.wrap(portInfos[port], 0);
    }

    MemorySegment portInfoBytes(int port) {
        return portInfos[port];
    }

    /** The port that owns the addresses of this one. */
    int endport(int port) {
        return node.isSwitch() ? 0 : port;
    }

    SwitchInfo switchInfo() {
        return switchFields.wrap(switchInfo, 0);
    }

    MemorySegment switchInfoBytes() {
        return switchInfo;
    }

    /** Whether a LID is one of an endport's. */
    boolean answersTo(int endport, int lid) {
        PortInfo fields = portInfo(endport);
        int base = fields.lid();
        return base != 0 && lid >= base && lid < base + (1 << fields.lmc());
    }

    /** The output port for a LID; 255 for none. */
    int forward(int lid) {
        return lid > switchInfo().linearFdbTop() || lid >= forwarding.length ? 255 : forwarding[lid] & 0xff;
    }

    /** The bytes of a block of the forwarding table, for reading and writing. */
    MemorySegment forwardingBlock(int block) {
        int end = (block + 1) * BLOCK;
        if (forwarding.length < end) {
            int before = forwarding.length;
            forwarding = Arrays.copyOf(forwarding, Math.min(LINEAR_LIDS, Math.max(end, 2 * before)));
            Arrays.fill(forwarding, before, forwarding.length, (byte) 255);
        }
        return MemorySegment.ofArray(forwarding).asSlice((long) block * BLOCK, BLOCK);
    }

    /** A table that a manager can write; a copy of its initial contents if it has not been written. */
    byte[] table(int attribute, int modifier) {
        byte[] written = tables.get(key(attribute, modifier));
        return written != null ? written : initial(attribute, modifier);
    }

    /** A table that a manager has written. */
    Optional<byte[]> written(int attribute, int modifier) {
        return Optional.ofNullable(tables.get(key(attribute, modifier)));
    }

    void table(int attribute, int modifier, byte[] contents) {
        tables.put(key(attribute, modifier), contents);
    }

    private static long key(int attribute, int modifier) {
        return (long) attribute << 32 | modifier & 0xffff_ffffL;
    }

    private byte[] initial(int attribute, int modifier) {
        byte[] contents = new byte[BLOCK];
        MemorySegment bytes = MemorySegment.ofArray(contents);
        if (attribute == Smp.SL_TO_VL) {
            SlToVlMappingTable table = new SlToVlMappingTable().wrap(bytes, 0);
            for (int sl = 0; sl < SlToVlMappingTable.ENTRIES; sl++) {
                table.vl(sl, sl & 7);
            }
        } else if (attribute == Smp.P_KEY_TABLE && (modifier & 0xffff) == 0) {
            contents[0] = (byte) 0xff;
            contents[1] = (byte) 0xff;
        } else if (attribute == Smp.VL_ARBITRATION) {
            for (int i = 0; i < 8; i++) {
                contents[2 * i] = (byte) i;
                contents[2 * i + 1] = (byte) (modifier >>> 16 <= 2 || i == 0 ? 4 : 0);
            }
        }
        return contents;
    }

    /** Entries of the P_Key table of a port. */
    int partitions(int port) {
        return node.isSwitch() && port > 0 ? SWITCH_PARTITIONS : ADAPTER_PARTITIONS;
    }

    void nodeInfo(MemorySegment out, long offset, int arrival) {
        new NodeInfo()
                .wrap(out, offset)
                .baseVersion(1)
                .classVersion(1)
                .nodeType(node.kind().code())
                .numPorts(node.ports())
                .systemImageGuid(node.identity().systemGuid())
                .nodeGuid(node.guid())
                .portGuid(
                        node.address(Math.max(arrival, node.isSwitch() ? 0 : 1)).guid())
                .partitionCap(ADAPTER_PARTITIONS)
                .deviceId(node.identity().device())
                .revision(0)
                .localPortNum(arrival)
                .vendorId(node.identity().vendor());
    }
}
