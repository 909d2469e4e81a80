package io.verbena.tcp.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class SilentHostsTest {

    private static final long S = 1_000_000_000L;
    private static final IpAddress HOST = IpAddress.of(InetAddress.ofLiteral("192.0.2.9"));

    private final SilentHosts silent = new SilentHosts();
    private final long startNs = Times.after(Long.MAX_VALUE - 50 * S, 0);

    @Test
    void host_silentForTheSynsOfTwoMinutes_isAbsent() {
        // The SYNs of a set-up, each with three requests.
        for (int second : new int[] {0, 1, 3, 7, 15, 31, 63}) {
            assertFalse(silent.absent(HOST, startNs + second * S), () -> "after " + second + " s");
        }
        assertTrue(silent.absent(HOST, startNs + 127 * S));
    }

    @Test
    void host_notReportedForLong_beginsAgain() {
        assertFalse(silent.absent(HOST, startNs));
        assertFalse(silent.absent(HOST, startNs + SilentHosts.MOST_PAUSE_NS + 1));
        assertFalse(silent.absent(HOST, startNs + SilentHosts.PATIENCE_NS + 1));
    }

    @Test
    void host_absent_mayBeAskedAgain() {
        assertFalse(silent.absent(HOST, startNs));
        assertFalse(silent.absent(HOST, startNs + 60 * S));
        assertTrue(silent.absent(HOST, startNs + 120 * S));
        assertFalse(silent.absent(HOST, startNs + 121 * S));
    }

    @Test
    void manyHosts_areBounded() {
        int absent = 0;
        for (int i = 0; i < 10_000; i++) {
            IpAddress each = IpAddress.of(InetAddress.ofLiteral("10.0." + (i >> 8) + "." + (i & 255)));
            absent += silent.absent(each, startNs + i) ? 1 : 0;
        }
        assertEquals(0, absent);
    }
}
