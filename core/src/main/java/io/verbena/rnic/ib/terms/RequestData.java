package io.verbena.rnic.ib.terms;

import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.wire.ib.CmaHeader;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * The private data of a REQ or SIDR_REQ between RDMA-IP connection managers (InfiniBand architecture specification, annex A11): a
 * header with the IP addresses and the source port, and the private data of the application.
 */
public final class RequestData {

    /** Maximum private data of the application in a REQ. */
    public static final int MOST_BYTES = 56;

    /** Maximum private data of the application in a SIDR_REQ. */
    public static final int LOOK_UP_BYTES = 180;

    private static final int IPV4 = 4;
    private static final int IPV6 = 6;
    private static final long IPV4_BITS = 0xffff_ffffL;

    private RequestData() {}

    /** Builds the field of a REQ from one address to another. */
    public static byte[] of(InetSocketAddress local, PacketPath remote, byte[] data, int offers) {
        return field(local, remote, PaddedData.pad(data, MOST_BYTES, offers));
    }

    /** Builds the field of a SIDR_REQ. */
    public static byte[] lookUp(InetSocketAddress local, PacketPath remote, byte[] data) {
        return field(local, remote, PaddedData.pad(data, LOOK_UP_BYTES, PaddedData.NONE));
    }

    private static byte[] field(InetSocketAddress local, PacketPath remote, byte[] padded) {
        byte[] field = new byte[CmaHeader.LENGTH + padded.length];
        System.arraycopy(padded, 0, field, CmaHeader.LENGTH, padded.length);
        long sourceHigh = Addresses.high(local.getAddress());
        long sourceLow = Addresses.low(local.getAddress());
        CmaHeader header = new CmaHeader().wrap(MemorySegment.ofArray(field), 0).sourcePort(local.getPort());
        if (remote.ipv4()) {
            header.ipVersion(IPV4).source(0, sourceLow & IPV4_BITS).target(0, remote.addressLow() & IPV4_BITS);
        } else {
            header.ipVersion(IPV6).source(sourceHigh, sourceLow).target(remote.addressHigh(), remote.addressLow());
        }
        return field;
    }

    /** The port that the peer connects from. */
    public static int sourcePort(byte[] field) {
        return new CmaHeader().wrap(MemorySegment.ofArray(field), 0).sourcePort();
    }

    /** The private data of the peer's application. */
    public static byte[] data(byte[] field) {
        return PaddedData.data(Arrays.copyOfRange(field, CmaHeader.LENGTH, field.length));
    }

    /** What the peer offers, if it is a Verbena. */
    static int offers(byte[] field) {
        return PaddedData.offers(field);
    }
}
