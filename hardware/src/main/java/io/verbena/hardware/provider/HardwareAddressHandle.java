package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvAhAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.objects.Destination;
import io.verbena.objects.Ownership;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.TransportType;
import java.lang.foreign.Arena;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/** The destination of datagrams. */
final class HardwareAddressHandle implements AddressHandle, Destination {

    private static final int GID_BYTES = 16;

    private final AdapterDomain domain;
    private final AddressHandleAttributes attributes;
    private final long ah;
    private volatile boolean closed;

    HardwareAddressHandle(AdapterDomain domain, AddressHandleAttributes attributes) {
        this.domain = domain;
        this.attributes = attributes;
        try (Arena arena = Arena.ofConfined()) {
            long nativeAttributes =
                    arena.allocate(IbvAhAttr.STRUCT.sizeBytes(), 8).address();
            Optional<InetAddress> group = attributes.address().filter(InetAddress::isMulticastAddress);
            if (group.isPresent() && domain.rnic().facts().transport() == TransportType.INFINIBAND) {
                Native.put(nativeAttributes, domain.rnic().pathOf(group.get()));
            } else {
                write(nativeAttributes, attributes, domain.rnic().facts());
            }
            ah = domain.libraries().call(NativeFunction.CREATE_AH, domain.pd(), nativeAttributes);
        }
    }

    /** Fills an ibv_ah_attr. */
    static void write(long to, AddressHandleAttributes from, AdapterFacts facts) {
        Native.clear(to, IbvAhAttr.STRUCT.sizeBytes());
        from.address().ifPresent(address -> {
            Native.put(to + IbvAhAttr.DGID, gid(address));
            Native.putByte(to + IbvAhAttr.SGID_INDEX, facts.gidIndex(from.sourceAddress(), address));
            Native.putByte(to + IbvAhAttr.IS_GLOBAL, 1);
        });
        Native.putInt(to + IbvAhAttr.FLOW_LABEL, from.flowLabel());
        Native.putByte(to + IbvAhAttr.HOP_LIMIT, from.hopLimit());
        Native.putByte(to + IbvAhAttr.TRAFFIC_CLASS, from.trafficClass());
        Native.putShort(to + IbvAhAttr.DLID, from.lid());
        Native.putByte(to + IbvAhAttr.SL, from.serviceLevel());
        Native.putByte(to + IbvAhAttr.SRC_PATH_BITS, from.sourcePathBits());
        Native.putByte(to + IbvAhAttr.PORT_NUM, from.port());
    }

    /** What an ibv_ah_attr states. */
    static AddressHandleAttributes read(byte[] from, AdapterFacts facts) {
        ByteBuffer at = ByteBuffer.wrap(from).order(ByteOrder.nativeOrder());
        boolean global = at.get(IbvAhAttr.IS_GLOBAL) != 0;
        return new AddressHandleAttributes(
                global ? Optional.of(address(Arrays.copyOf(from, GID_BYTES))) : Optional.empty(),
                global ? facts.address(Byte.toUnsignedInt(at.get(IbvAhAttr.SGID_INDEX))) : Optional.empty(),
                Short.toUnsignedInt(at.getShort(IbvAhAttr.DLID)),
                at.get(IbvAhAttr.SL),
                at.get(IbvAhAttr.SRC_PATH_BITS),
                at.get(IbvAhAttr.PORT_NUM),
                Byte.toUnsignedInt(at.get(IbvAhAttr.TRAFFIC_CLASS)),
                at.getInt(IbvAhAttr.FLOW_LABEL),
                Byte.toUnsignedInt(at.get(IbvAhAttr.HOP_LIMIT)));
    }

    private static InetAddress address(byte[] gid) {
        try {
            return InetAddress.getByAddress(gid);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of 16 bytes", e);
        }
    }

    /** The GID of an address: an IPv4 address is mapped into IPv6 (RFC 4291 section 2.5.5.2). */
    static byte[] gid(InetAddress address) {
        if (!(address instanceof Inet4Address)) {
            return address.getAddress();
        }
        byte[] gid = new byte[GID_BYTES];
        gid[10] = -1;
        gid[11] = -1;
        System.arraycopy(address.getAddress(), 0, gid, 12, 4);
        return gid;
    }

    /** A handle that the program names, which must be of this domain and open. */
    static HardwareAddressHandle of(Object handle, AdapterDomain domain) {
        if (!(handle instanceof HardwareAddressHandle hardwareAddressHandle)) {
            throw Ownership.foreign("address handle");
        }
        Ownership.check("address handle", hardwareAddressHandle.domain == domain, hardwareAddressHandle.closed);
        return hardwareAddressHandle;
    }

    /** Its ibv_ah. */
    long ah() {
        return ah;
    }

    /** Nothing: an adapter knows the destination by its ibv_ah. */
    @Override
    public int number() {
        return 0;
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public AddressHandleAttributes attributes() {
        return attributes;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            domain.libraries().call(NativeFunction.DESTROY_AH, ah);
            domain.left();
        }
    }
}
