package io.verbena.sockets.nio.opening;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The addresses of this host. The JDK asks the system for each interface, so a host with hundreds of them is asked at most once per second.
 */
public final class LocalAddresses {

    private static final long FRESH_NS = Duration.ofSeconds(1).toNanos();

    /** How the system is asked. */
    public interface System {
        Set<InetAddress> addresses() throws SocketException;
    }

    private record Found(Set<InetAddress> addresses, long atNs) {}

    private final System system;
    private final LongSupplier nowNs;
    private volatile Found found = new Found(Set.of(), 0);
    private volatile boolean asked;

    public LocalAddresses(System system, LongSupplier nowNs) {
        this.system = system;
        this.nowNs = nowNs;
    }

    /** Those of the system. */
    public static Set<InetAddress> ofInterfaces() throws SocketException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .collect(Collectors.toUnmodifiableSet());
    }

    public boolean contain(InetAddress address) {
        if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
            return true;
        }
        if (!asked || nowNs.getAsLong() - found.atNs >= FRESH_NS) {
            refresh();
        }
        return found.addresses.contains(address);
    }

    private synchronized void refresh() {
        if (asked && nowNs.getAsLong() - found.atNs < FRESH_NS) {
            return; // another thread did
        }
        Set<InetAddress> now;
        try {
            now = system.addresses();
        } catch (SocketException _) {
            now = Set.of(); // the system does not show its interfaces: TCP reaches the peer
        }
        found = new Found(now, nowNs.getAsLong());
        asked = true;
    }
}
