package io.verbena.fabric.endnode;

import io.verbena.port.Addresses;
import java.net.InetAddress;

/** The GIDs of a simulated subnet: the link-local prefix, and an identification of 64 bits that contains the LID. */
final class PortIdentity {

    /** The default prefix of a subnet, which is that of link-local addresses of IPv6. */
    static final long PREFIX = 0xfe80_0000_0000_0000L;

    /** A locally administered EUI-64 with the LID in its last two bytes. */
    private static final long GUID = 0x0200_5eff_fe00_0000L;

    private static final long LID_BITS = 0xffff;

    private PortIdentity() {}

    static long guid(int lid) {
        return GUID | lid;
    }

    /** The LID in a GUID; 0 if it is none of these. */
    static int lid(long guid) {
        return (guid & ~LID_BITS) == GUID ? (int) (guid & LID_BITS) : 0;
    }

    static InetAddress gid(int lid) {
        return Addresses.address(PREFIX, guid(lid));
    }
}
