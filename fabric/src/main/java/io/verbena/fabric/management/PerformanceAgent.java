package io.verbena.fabric.management;

import io.verbena.fabric.mad.ClassPortInfo;
import io.verbena.fabric.mad.PortCounters;
import io.verbena.fabric.mad.PortCountersExtended;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The performance agents: PortCounters and PortCountersExtended, both with their own resets. */
final class PerformanceAgent {

    private static final int ALL_PORTS = 255;
    /** AllPortSelect, PortCountersExtended and PortXmitWait are supported. */
    private static final int CAPABILITIES = 0x1300;

    private static final int ADAPTER_CAPABILITIES = 0x1200;
    private static final int RESPONSE_TIME = 0x12;
    private static final int DATA_LENGTH = 192;

    private final List<PortCounts> sources;
    /** The counts at the last reset, by node and port: of PortCounters, then of PortCountersExtended. */
    private final Map<Long, long[]> resets = new HashMap<>();

    private final MadHeader header = new MadHeader();

    /** The list may grow later. */
    PerformanceAgent(List<PortCounts> sources) {
        this.sources = sources;
    }

    /** Executes a request and turns it into its response. */
    void handle(ManagedNode node, MemorySegment mad) {
        header.wrap(mad, 0);
        boolean set = header.method() == Smp.SET;
        int status;
        if (header.baseVersion() != 1 || header.classVersion() != 1) {
            status = Smp.BAD_VERSION;
        } else if (!set && header.method() != Smp.GET) {
            status = Smp.BAD_METHOD;
        } else {
            status = switch (header.attributeId()) {
                case Smp.CLASS_PORT_INFO -> classPortInfo(node, mad, set);
                case Smp.PORT_COUNTERS -> portCounters(node, mad, set);
                case Smp.PORT_COUNTERS_EXTENDED -> portCountersExtended(node, mad, set);
                default -> Smp.BAD_ATTRIBUTE;
            };
        }
        header.method(Smp.GET_RESP).response(true).status(status);
    }

    private static int classPortInfo(ManagedNode node, MemorySegment mad, boolean set) {
        if (set) {
            return Smp.BAD_ATTRIBUTE;
        }
        mad.asSlice(SmpHeader.DATA, DATA_LENGTH).fill((byte) 0);
        new ClassPortInfo()
                .wrap(mad, SmpHeader.DATA)
                .baseVersion(1)
                .classVersion(1)
                .capabilityMask(node.node.isSwitch() ? CAPABILITIES : ADAPTER_CAPABILITIES)
                .respTimeValue(RESPONSE_TIME);
        return 0;
    }

    private static boolean exists(ManagedNode node, int port) {
        return node.node.isSwitch()
                ? port <= node.node.ports() || port == ALL_PORTS
                : port >= 1 && port <= node.node.ports();
    }

    private int portCounters(ManagedNode node, MemorySegment mad, boolean set) {
        PortCounters fields = new PortCounters().wrap(mad, SmpHeader.DATA);
        int port = fields.portSelect();
        if (!exists(node, port)) {
            return Smp.BAD_VALUE;
        }
        int mask = fields.counterSelect() | fields.counterSelect2() << 16;
        for (Counter counter : Counter.all()) {
            if (set && counter.selectedBy(mask)) {
                reset(node, port, counter, 0);
            }
            write(fields, counter, Math.min(total(node, port, counter, 0), counter.maximum()));
        }
        fields.portXmitConstraintErrors(0).portRcvConstraintErrors(0);
        return 0;
    }

    private int portCountersExtended(ManagedNode node, MemorySegment mad, boolean set) {
        PortCountersExtended fields = new PortCountersExtended().wrap(mad, SmpHeader.DATA);
        int port = fields.portSelect();
        int mask = fields.counterSelect();
        if (!exists(node, port)) {
            return Smp.BAD_VALUE;
        }
        for (Counter counter : Counter.all()) {
            if (set && counter.selectedByExtended(mask)) {
                reset(node, port, counter, 1);
            }
        }
        mad.asSlice(SmpHeader.DATA + 4, DATA_LENGTH - 4).fill((byte) 0);
        long sent = total(node, port, Counter.XMIT_PACKETS, 1);
        long received = total(node, port, Counter.RCV_PACKETS, 1);
        fields.portXmitData(total(node, port, Counter.XMIT_DATA, 1))
                .portRcvData(total(node, port, Counter.RCV_DATA, 1))
                .portXmitPkts(sent)
                .portRcvPkts(received)
                .portUnicastXmitPkts(sent)
                .portUnicastRcvPkts(received);
        return 0;
    }

    private long total(ManagedNode node, int port, Counter counter, int table) {
        long sum = 0;
        for (int p = port == ALL_PORTS ? 0 : port; p <= (port == ALL_PORTS ? node.node.ports() : port); p++) {
            sum += count(node.node.index(), p, counter) - base(node.node.index(), p)[index(counter, table)];
        }
        return sum;
    }

    private void reset(ManagedNode node, int port, Counter counter, int table) {
        for (int p = port == ALL_PORTS ? 0 : port; p <= (port == ALL_PORTS ? node.node.ports() : port); p++) {
            long[] own = base(node.node.index(), p).clone();
            own[index(counter, table)] = count(node.node.index(), p, counter);
            resets.put(key(node.node.index(), p), own);
        }
    }

    private long count(int node, int port, Counter counter) {
        long sum = 0;
        for (PortCounts source : sources) {
            sum += source.count(node, port, counter);
        }
        return sum;
    }

    private static final long[] NEVER_RESET = new long[2 * Counter.count()];

    private long[] base(int node, int port) {
        long[] own = resets.get(key(node, port));
        return own != null ? own : NEVER_RESET;
    }

    private static long key(int node, int port) {
        return (long) node << 32 | port;
    }

    private static int index(Counter counter, int table) {
        return table * Counter.count() + counter.ordinal();
    }

    private static void write(PortCounters fields, Counter counter, long value) {
        int small = (int) Math.min(value, 0xffff);
        switch (counter) {
            case SYMBOL_ERRORS -> fields.symbolErrorCounter(small);
            case LINK_ERROR_RECOVERY -> fields.linkErrorRecoveryCounter(small);
            case LINK_DOWNED -> fields.linkDownedCounter(small);
            case RECEIVE_ERRORS -> fields.portRcvErrors(small);
            case REMOTE_PHYSICAL_ERRORS -> fields.portRcvRemotePhysicalErrors(small);
            case SWITCH_RELAY_ERRORS -> fields.portRcvSwitchRelayErrors(small);
            case XMIT_DISCARDS -> fields.portXmitDiscards(small);
            case LOCAL_LINK_INTEGRITY_ERRORS -> fields.localLinkIntegrityErrors(small);
            case BUFFER_OVERRUN_ERRORS -> fields.excessiveBufferOverrunErrors(small);
            case VL15_DROPPED -> fields.vl15Dropped(small);
            case XMIT_DATA -> fields.portXmitData(value);
            case RCV_DATA -> fields.portRcvData(value);
            case XMIT_PACKETS -> fields.portXmitPkts(value);
            case RCV_PACKETS -> fields.portRcvPkts(value);
            case XMIT_WAIT -> fields.portXmitWait(value);
        }
    }
}
