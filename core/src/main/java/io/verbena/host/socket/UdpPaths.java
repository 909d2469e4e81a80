package io.verbena.host.socket;

import io.verbena.tcp.UdpTcp;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashSet;
import java.util.Set;

/**
 * The size of packets on the paths of this host. Packets to its own addresses do not leave it, and may have the size of the
 * loopback interface. Packets of Ethernet reach every other address; larger ones would be lost on most paths.
 */
public final class UdpPaths {

    private static final int ETHERNET_MTU = 1500;
    private static final int MOST_MTU = 65_535;

    private UdpPaths() {}

    /** The paths as the interfaces are now. */
    public static UdpTcp.Paths ofThisHost() {
        Set<InetAddress> own = new HashSet<>();
        int loopbackMtu = ETHERNET_MTU;
        try {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                each.inetAddresses().forEach(own::add);
                if (each.isLoopback()) {
                    loopbackMtu = Math.clamp(each.getMTU(), ETHERNET_MTU, MOST_MTU);
                }
            }
        } catch (SocketException e) {
            loopbackMtu = ETHERNET_MTU; // nothing is known about the interfaces, and small packets always work
        }
        int here = loopbackMtu;
        return new UdpTcp.Paths(
                here, remote -> remote.isLoopbackAddress() || own.contains(remote) ? here : ETHERNET_MTU, true);
    }
}
