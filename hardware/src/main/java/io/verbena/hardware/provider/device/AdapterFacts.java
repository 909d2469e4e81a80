package io.verbena.hardware.provider.device;

import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.ContextCalls;
import io.verbena.hardware.abi.IbvContext;
import io.verbena.hardware.abi.IbvDevice;
import io.verbena.hardware.abi.IbvDeviceAttr;
import io.verbena.hardware.abi.IbvGidEntry;
import io.verbena.hardware.abi.IbvPortAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.lang.foreign.Arena;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What an open adapter says about itself, read once. */
public final class AdapterFacts {
    /** The name of the provider of adapters. */
    public static final String PROVIDER = "ibverbs";

    public static final int HANDLERS = 1024;

    /** Private data of a connection request: what InfiniBand leaves of a REQ, and what iWARP carries in a byte length. */
    private static final int IB_PRIVATE_DATA_BYTES = 56;

    private static final int IWARP_PRIVATE_DATA_BYTES = 255;

    /** Types 2A and 2B. */
    private static final int WINDOWS_TYPE_2 = 0x800000 | 0x1000000;

    private static final int TRANSPORT_IWARP = 1;
    private static final int SIW_VENDOR = 0x626d74;
    private static final int RXE_VENDOR = 0xffffff;
    private static final int LINK_ETHERNET = 2;
    private static final int PORT_ACTIVE = 4;
    private static final int ROCE_V2 = 2;
    private static final int SMALLEST_MTU_BYTES = 128;
    private static final int MOST_GIDS = 256;
    private static final int MOST_PKEYS = 16;
    private static final int LARGEST_SLOTS = 1 << 16;
    private static final int INLINE_BYTES = 4096;

    private final String name;
    private final TransportType transport;
    private final int[] limits;
    private final long maxRegionBytes;
    private final long guid;
    private final String firmware;
    private final List<PortAttributes> ports = new ArrayList<>();
    private final List<Integer> gidIndexes = new ArrayList<>();
    private long maxMessageBytes = Integer.MAX_VALUE;

    /** Limits by their places in ibv_device_attr. */
    public enum Limit {
        VENDOR_ID(IbvDeviceAttr.VENDOR_ID),
        MAX_QP(IbvDeviceAttr.MAX_QP),
        MAX_QP_WR(IbvDeviceAttr.MAX_QP_WR),
        MAX_SGE(IbvDeviceAttr.MAX_SGE),
        MAX_SGE_RD(IbvDeviceAttr.MAX_SGE_RD),
        MAX_CQ(IbvDeviceAttr.MAX_CQ),
        MAX_CQE(IbvDeviceAttr.MAX_CQE),
        MAX_MR(IbvDeviceAttr.MAX_MR),
        MAX_PD(IbvDeviceAttr.MAX_PD),
        MAX_QP_RD_ATOM(IbvDeviceAttr.MAX_QP_RD_ATOM),
        MAX_QP_INIT_RD_ATOM(IbvDeviceAttr.MAX_QP_INIT_RD_ATOM),
        ATOMIC_CAP(IbvDeviceAttr.ATOMIC_CAP),
        MAX_AH(IbvDeviceAttr.MAX_AH),
        DEVICE_CAP_FLAGS(IbvDeviceAttr.DEVICE_CAP_FLAGS),
        MAX_MW(IbvDeviceAttr.MAX_MW),
        MAX_SRQ(IbvDeviceAttr.MAX_SRQ),
        MAX_SRQ_WR(IbvDeviceAttr.MAX_SRQ_WR),
        MAX_SRQ_SGE(IbvDeviceAttr.MAX_SRQ_SGE);

        private final int offset;

        Limit(int offset) {
            this.offset = offset;
        }
    }

    public AdapterFacts(RdmaLibraries libraries, ContextCalls calls, long context) {
        long device = Native.longAt(context + IbvContext.DEVICE);
        name = Native.text(device + IbvDevice.NAME, 64);
        boolean iwarp = Native.intAt(device + IbvDevice.TRANSPORT_TYPE) == TRANSPORT_IWARP;
        try (Arena arena = Arena.ofConfined()) {
            long attributes =
                    arena.allocate(IbvDeviceAttr.STRUCT.sizeBytes(), 8).address();
            libraries.call(NativeFunction.QUERY_DEVICE, context, attributes);
            limits = new int[Limit.values().length];
            for (Limit limit : Limit.values()) {
                limits[limit.ordinal()] = Native.intAt(attributes + limit.offset);
            }
            firmware = Native.text(attributes + IbvDeviceAttr.FW_VER, 64);
            guid = Long.reverseBytes(Native.longAt(attributes + IbvDeviceAttr.NODE_GUID));
            maxRegionBytes = Native.longAt(attributes + IbvDeviceAttr.MAX_MR_SIZE);
            int count = Math.max(1, Native.byteAt(attributes + IbvDeviceAttr.PHYS_PORT_CNT));
            long port = arena.allocate(IbvPortAttr.STRUCT.sizeBytes(), 8).address();
            boolean ethernet = false;
            for (int number = 1; number <= count; number++) {
                if (calls.queryPort(number, port) == 0) {
                    ethernet |= Native.byteAt(port + IbvPortAttr.LINK_LAYER) == LINK_ETHERNET;
                    maxMessageBytes = Math.min(
                            maxMessageBytes, Integer.toUnsignedLong(Native.intAt(port + IbvPortAttr.MAX_MSG_SZ)));
                    ports.add(port(libraries, context, number, port));
                }
            }
            transport = iwarp ? TransportType.IWARP : ethernet ? TransportType.ROCE_V2 : TransportType.INFINIBAND;
        }
    }

    private PortAttributes port(RdmaLibraries libraries, long context, int number, long port) {
        int mtu = Native.intAt(port + IbvPortAttr.ACTIVE_MTU);
        return new PortAttributes(
                number,
                Native.intAt(port + IbvPortAttr.STATE) == PORT_ACTIVE,
                SMALLEST_MTU_BYTES << mtu,
                Native.shortAt(port + IbvPortAttr.LID),
                Native.byteAt(port + IbvPortAttr.LMC),
                Native.shortAt(port + IbvPortAttr.SM_LID),
                addresses(libraries, context, number, Native.byteAt(port + IbvPortAttr.LINK_LAYER) == LINK_ETHERNET),
                partitionKeys(libraries, context, number, Native.shortAt(port + IbvPortAttr.PKEY_TBL_LEN)));
    }

    /** The GIDs of a port. A GID of RoCE has a type; those of version 1 are left out, because they reach nothing beyond the link. */
    private List<InetAddress> addresses(RdmaLibraries libraries, long context, int port, boolean ethernet) {
        int size = IbvGidEntry.STRUCT.sizeBytes();
        List<InetAddress> found = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            long table = arena.allocate((long) MOST_GIDS * size, 8).address();
            long count = libraries.call(NativeFunction.QUERY_GID_TABLE, context, table, MOST_GIDS, 0, size);
            for (long entry = table; entry < table + count * size; entry += size) {
                boolean usable = !ethernet || Native.intAt(entry + IbvGidEntry.GID_TYPE) == ROCE_V2;
                if (usable && Native.intAt(entry + IbvGidEntry.PORT_NUM) == port) {
                    found.add(InetAddress.getByAddress(Native.bytes(entry, 16)));
                    gidIndexes.add(Native.intAt(entry + IbvGidEntry.GID_INDEX));
                }
            }
        } catch (CallFailedException _) {
            return found; // an adapter without GIDs, such as one of iWARP
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of 16 bytes", e);
        }
        return found;
    }

    private static List<Integer> partitionKeys(RdmaLibraries libraries, long context, int port, int count) {
        List<Integer> keys = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            long key = arena.allocate(Short.BYTES, 8).address();
            for (int i = 0; i < Math.min(count, MOST_PKEYS); i++) {
                if (libraries.attempt(NativeFunction.QUERY_PKEY, context, port, i, key) == 0) {
                    keys.add(Short.toUnsignedInt(Short.reverseBytes((short) Native.shortAt(key))));
                }
            }
        }
        return keys;
    }

    public String name() {
        return name;
    }

    public boolean iwarp() {
        return transport == TransportType.IWARP;
    }

    /** Whether it is the RoCE of Linux in software. */
    public boolean rxe() {
        return !iwarp() && limit(Limit.VENDOR_ID) == RXE_VENDOR;
    }

    /** Whether it is the iWARP of Linux in software. */
    public boolean siw() {
        return iwarp() && limit(Limit.VENDOR_ID) == SIW_VENDOR;
    }

    public TransportType transport() {
        return transport;
    }

    public int limit(Limit which) {
        return limits[which.ordinal()];
    }

    public int maxPrivateDataBytes() {
        return iwarp() ? IWARP_PRIVATE_DATA_BYTES : IB_PRIVATE_DATA_BYTES;
    }

    /** Whether a port is up. */
    public boolean active() {
        return ports.stream().anyMatch(PortAttributes::up);
    }

    /** The first port that is up, or the first. */
    public int port() {
        return ports.stream()
                .filter(PortAttributes::up)
                .findFirst()
                .map(PortAttributes::number)
                .orElse(1);
    }

    /** Index in the adapter's table of the GID that a path starts from: this one, else the first of the kind of the destination. */
    public int gidIndex(Optional<InetAddress> source, InetAddress destination) {
        List<InetAddress> addresses =
                ports.stream().flatMap(port -> port.addresses().stream()).toList();
        int at = source.map(addresses::indexOf).orElse(-1);
        for (int i = 0; i < addresses.size() && at < 0; i++) {
            // Adapters refuse a path between an address of IPv4 and one of IPv6.
            if (addresses.get(i) instanceof Inet4Address == destination instanceof Inet4Address) {
                at = i;
            }
        }
        return gidIndexes.isEmpty() ? 0 : gidIndexes.get(Math.max(0, at));
    }

    /** The address at this index of the adapter's table of GIDs. */
    public Optional<InetAddress> address(int gidIndex) {
        int at = gidIndexes.indexOf(gidIndex);
        return at < 0
                ? Optional.empty()
                : ports.stream()
                        .flatMap(port -> port.addresses().stream())
                        .skip(at)
                        .findFirst();
    }

    /** An IP address of the adapter from which a multicast group can be joined. On an InfiniBand link no GID is one. */
    public Optional<InetAddress> sourceFor(InetAddress group) {
        return ports.stream()
                .flatMap(port -> port.addresses().stream())
                .filter(each -> transport == TransportType.ROCE_V2 && !each.isLinkLocalAddress())
                .filter(each -> each instanceof Inet4Address == group instanceof Inet4Address)
                .findFirst();
    }

    /** Whether it has windows of type 2, and so invalidates keys. */
    private boolean windows() {
        return (limit(Limit.DEVICE_CAP_FLAGS) & WINDOWS_TYPE_2) != 0 && limit(Limit.MAX_MW) > 0;
    }

    private Set<WorkOpcode> operations() {
        EnumSet<WorkOpcode> known = EnumSet.of(WorkOpcode.SEND, WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.RECEIVE);
        known.add(WorkOpcode.DELAY);
        if (windows()) {
            known.addAll(EnumSet.of(
                    WorkOpcode.BIND,
                    WorkOpcode.UNBIND,
                    WorkOpcode.LOCAL_INVALIDATE,
                    WorkOpcode.SEND_WITH_INVALIDATE,
                    WorkOpcode.READ_WITH_INVALIDATE));
        }
        if (!iwarp()) {
            known.add(WorkOpcode.SEND_WITH_IMMEDIATE);
            known.add(WorkOpcode.WRITE_WITH_IMMEDIATE);
            if (limit(Limit.ATOMIC_CAP) != 0) {
                known.add(WorkOpcode.COMPARE_AND_SWAP);
                known.add(WorkOpcode.FETCH_AND_ADD);
            }
        }
        return known;
    }

    private Set<TransportService> services() {
        return iwarp()
                ? EnumSet.of(TransportService.RELIABLE_CONNECTION)
                : EnumSet.of(
                        TransportService.RELIABLE_CONNECTION,
                        TransportService.UNRELIABLE_CONNECTION,
                        TransportService.UNRELIABLE_DATAGRAM);
    }

    public RnicAttributes attributes(int handlersInUse) {
        return new RnicAttributes(
                PROVIDER,
                transport,
                services(),
                operations(),
                limit(Limit.MAX_QP),
                Math.min(LARGEST_SLOTS, limit(Limit.MAX_QP_WR)),
                limit(Limit.MAX_SGE),
                INLINE_BYTES,
                maxMessageBytes,
                limit(Limit.MAX_MR),
                limit(Limit.MAX_CQ),
                limit(Limit.MAX_CQE),
                limit(Limit.MAX_SRQ),
                Math.min(255, limit(Limit.MAX_QP_RD_ATOM)),
                Math.min(255, limit(Limit.MAX_QP_INIT_RD_ATOM)),
                maxPrivateDataBytes(),
                HANDLERS,
                handlersInUse,
                iwarp() ? 0 : Integer.SIZE,
                new DeviceAttributes(
                        name,
                        guid,
                        firmware,
                        ports,
                        Math.max(1, limit(Limit.MAX_SGE_RD)),
                        maxRegionBytes,
                        limit(Limit.MAX_PD),
                        windows() ? limit(Limit.MAX_MW) : 0,
                        limit(Limit.MAX_AH)));
    }
}
