package io.verbena.fabric.endnode;

import io.verbena.port.Addresses;
import java.net.InetAddress;

/** The GIDs of a simulated network: the prefix of a subnet, and an identification of 64 bits that contains the LID. */
final class PortIdentity {

    /** The default prefix of a subnet, which is that of link-local addresses of IPv6. */
    private static final long DEFAULT_PREFIX = 0xfe80_0000_0000_0000L;

    /** Prefixes of further subnets: site-local addresses of IPv6, section 4.1.1 of the InfiniBand architecture. */
    private static final long SITE_LOCAL = 0xfec0_0000_0000_0000L;

    private static final long SUBNET_BITS = 0xffff;

    /** Prefixes that routers to a LAN know: unique local addresses of IPv6 (RFC 4193). The number of the subnet is in the last two bytes. */
    private static final long ROUTABLE = 0xfd56_4200_0000_0000L;

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

    /** The prefix of a subnet, from 0 on. */
    static long prefix(int subnet) {
        return subnet == 0 ? DEFAULT_PREFIX : SITE_LOCAL | subnet;
    }

    /** The subnet of a prefix; -1 if it is none of these. */
    static int subnet(long prefix) {
        if (prefix == DEFAULT_PREFIX) {
            return 0;
        }
        int number = (int) (prefix & SUBNET_BITS);
        return (prefix & ~SUBNET_BITS) == SITE_LOCAL && number > 0 ? number : -1;
    }

    /** The address of a port for IPv6 packets from other networks. */
    static InetAddress routable(int subnet, int lid) {
        return Addresses.address(ROUTABLE | subnet, guid(lid));
    }

    /** The subnet of the prefix of such an address; -1 if it is none of these. */
    static int routableSubnet(long prefix) {
        return (prefix & ~SUBNET_BITS) == ROUTABLE ? (int) (prefix & SUBNET_BITS) : -1;
    }

    static InetAddress gid(int subnet, int lid) {
        return Addresses.address(prefix(subnet), guid(lid));
    }
}
