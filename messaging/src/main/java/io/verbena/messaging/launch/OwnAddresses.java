package io.verbena.messaging.launch;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The addresses by which other machines may reach this one. */
final class OwnAddresses {

    private static final int MOST = 4;

    private OwnAddresses() {}

    /** IPv4 first, at most four; loopback if there are no others. */
    static List<InetAddress> reachable() {
        List<InetAddress> found = new ArrayList<>();
        try {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                if (each.isUp() && !each.isLoopback()) {
                    each.inetAddresses()
                            .filter(address -> !address.isLinkLocalAddress() && !address.isLoopbackAddress())
                            .forEach(found::add);
                }
            }
        } catch (SocketException e) {
            found.clear(); // as without a network
        }
        found.sort(Comparator.comparing(address -> !(address instanceof Inet4Address)));
        return found.isEmpty()
                ? List.of(InetAddress.getLoopbackAddress())
                : found.stream().limit(MOST).toList();
    }
}
