package io.verbena.sockets.nio.opening;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.SocketException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How often the system is asked for the addresses of this host. */
class LocalAddressesTest {

    private static final InetAddress OURS = InetAddress.ofLiteral("10.0.0.7");
    private static final InetAddress OTHER = InetAddress.ofLiteral("10.0.0.8");

    private int calls;
    private long nowNs = Long.MAX_VALUE - 5;
    private final LocalAddresses addresses = new LocalAddresses(this::ask, () -> nowNs);

    private Set<InetAddress> ask() throws SocketException {
        calls++;
        if (calls > 2) {
            throw new SocketException("none");
        }
        return Set.of(OURS);
    }

    @Test
    void loopbackAndWildcard_askNothing() {
        assertTrue(addresses.contain(InetAddress.getLoopbackAddress()));
        assertTrue(addresses.contain(InetAddress.ofLiteral("0.0.0.0")));
        assertEquals(0, calls);
    }

    @Test
    void manyConnects_askOncePerSecond() {
        for (int i = 0; i < 1000; i++) {
            assertTrue(addresses.contain(OURS));
            assertFalse(addresses.contain(OTHER));
        }
        assertEquals(1, calls);
        nowNs += 1_000_000_000;
        assertTrue(addresses.contain(OURS));
        assertTrue(addresses.contain(OURS));
        assertEquals(2, calls);
    }

    @Test
    void systemShowsNoInterfaces_noAddressIsOurs() {
        addresses.contain(OURS);
        nowNs += 2_000_000_000;
        addresses.contain(OURS);
        nowNs += 2_000_000_000;
        assertFalse(addresses.contain(OURS));
    }
}
