package io.verbena.rnic.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The conditions for refusing a network because of protection violations, and the end of a refusal. */
class ViolationsTest {

    private static final long SECOND_NS = 1_000_000_000L;

    /** Close to the overflow of a long, which a virtual clock may reach. */
    private long nowNs = Long.MAX_VALUE - 5 * SECOND_NS;

    private final List<String> reports = new ArrayList<>();

    private Violations violations(String... settings) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            map.put(settings[i], settings[i + 1]);
        }
        return new Violations(RnicOptions.defaults().withSettings(map), nowNs, reports::add);
    }

    private static SocketAddress at(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 4711);
    }

    private void violate(Violations violations, String address, int times) {
        for (int i = 0; i < times; i++) {
            violations.ended(AsyncEventType.QP_ACCESS_ERROR, at(address), nowNs);
        }
    }

    private boolean refused(Violations violations, String address) {
        return violations.refusal(PeerNetwork.of(at(address)), nowNs).isPresent();
    }

    @Test
    void limitReached_isRefused_untilOneHasDecayed() {
        Violations violations = violations("violation-limit", "10", "violation-decay-seconds", "100");
        violate(violations, "192.0.2.1", 9);
        assertFalse(refused(violations, "192.0.2.1"));
        violate(violations, "192.0.2.1", 1);
        assertTrue(refused(violations, "192.0.2.1"));
        assertFalse(refused(violations, "192.0.2.2"));
        nowNs += 9 * SECOND_NS;
        assertTrue(refused(violations, "192.0.2.1"));
        nowNs += SECOND_NS;
        assertFalse(refused(violations, "192.0.2.1"), "one of ten decays in ten seconds");
        violate(violations, "192.0.2.1", 1);
        assertTrue(refused(violations, "192.0.2.1"));
        nowNs += 100 * SECOND_NS;
        violate(violations, "192.0.2.1", 9);
        assertFalse(refused(violations, "192.0.2.1"), "all had decayed");
    }

    @Test
    void defaultLimit_is1000_oneViolationDecaysIn86Seconds() {
        Violations violations = violations();
        violate(violations, "192.0.2.1", 999);
        assertFalse(refused(violations, "192.0.2.1"));
        violate(violations, "192.0.2.1", 1);
        assertEquals(
                "connections from 192.0.2.1 are temporarily refused: its protection violations (wrong keys, rights or"
                        + " bounds) reached the limit of 1000; one violation decays every 86 s",
                violations.refusal(PeerNetwork.of(at("192.0.2.1")), nowNs).orElseThrow());
        nowNs += 87 * SECOND_NS;
        assertFalse(refused(violations, "192.0.2.1"));
    }

    @Test
    void manyOtherNetworks_doNotEvictAGuessingNetwork() {
        Violations violations = violations("violation-limit-all", "0");
        violate(violations, "192.0.2.1", 1000);
        violate(violations, "192.0.2.2", 500);
        for (int i = 0; i < 3 * Violations.MAX_NETWORKS; i++) {
            violate(violations, "10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255), 1);
        }
        assertEquals(Violations.MAX_NETWORKS, violations.networks());
        assertTrue(refused(violations, "192.0.2.1"));
        violate(violations, "192.0.2.2", 500);
        assertTrue(refused(violations, "192.0.2.2"));
        assertEquals(2000 + 3 * Violations.MAX_NETWORKS, violations.total());
    }

    @Test
    void newNetworkInAFullTable_beginsWithTheLowestCount() {
        Violations violations = violations("violation-limit", "3", "violation-limit-all", "0");
        for (int i = 0; i < Violations.MAX_NETWORKS; i++) {
            violate(violations, "10.0." + (i >> 8) + "." + (i & 255), 2);
        }
        violate(violations, "192.0.2.1", 1);
        assertTrue(refused(violations, "192.0.2.1"), "it may be a network that was evicted with a count of two");
        assertEquals(Violations.MAX_NETWORKS, violations.networks());
    }

    @Test
    void guessesSpreadOverAddresses_refuseEveryAddressWithAViolation() {
        Violations violations = violations("violation-limit", "10", "violation-decay-seconds", "100");
        for (int i = 1; i <= 99; i++) {
            violate(violations, "192.0.2." + i, 1);
        }
        assertFalse(refused(violations, "192.0.2.99"));
        assertEquals(List.of(), reports);
        violate(violations, "192.0.2.100", 1);
        assertTrue(refused(violations, "192.0.2.100"));
        assertTrue(refused(violations, "192.0.2.1"));
        assertFalse(refused(violations, "192.0.2.101"), "a network without violations is accepted");
        assertEquals(1, reports.size());
        assertTrue(reports.getFirst().contains("caused 100 violations in total"), reports.getFirst());
        nowNs += SECOND_NS;
        assertFalse(refused(violations, "192.0.2.1"), "below the limit again");
    }

    @Test
    void ipv6_countsPerNetworkOf64Bits() {
        Violations violations = violations("violation-limit", "4");
        for (int i = 1; i <= 4; i++) {
            violate(violations, "2001:db8:1:2::" + i, 1);
        }
        assertTrue(refused(violations, "2001:db8:1:2:ffff::9"));
        assertFalse(refused(violations, "2001:db8:1:3::1"));
        assertEquals("2001:db8:1:2::/64", PeerNetwork.of(at("2001:db8:1:2::1")).name());
        assertEquals(PeerNetwork.of(at("192.0.2.1")), PeerNetwork.of(at("::ffff:192.0.2.1")));
    }

    @Test
    void refusalIsReportedOnceAnHour() {
        Violations violations = violations("violation-limit", "2", "violation-decay-seconds", "20");
        violate(violations, "192.0.2.1", 5);
        assertEquals(1, reports.size());
        nowNs += 3599 * SECOND_NS;
        violate(violations, "192.0.2.1", 2);
        assertEquals(1, reports.size());
        nowNs += SECOND_NS;
        violate(violations, "192.0.2.1", 1);
        assertEquals(2, reports.size());
        assertTrue(reports.getFirst().startsWith("Connections from 192.0.2.1 are refused: "), reports.getFirst());
    }

    @Test
    void otherEndings_areNotCounted_andLimitZeroIsNone() {
        Violations violations = violations("violation-limit", "0");
        violations.ended(AsyncEventType.BAD_FRAME, at("192.0.2.1"), nowNs);
        assertEquals(0, violations.total());
        violate(violations, "192.0.2.1", 20_000);
        assertFalse(refused(violations, "192.0.2.1"));
        assertEquals(List.of(), reports);
    }

    @Test
    void limitOfAllWithoutALimitOfOne_decaysAsWell() {
        Violations violations =
                violations("violation-limit", "0", "violation-limit-all", "10", "violation-decay-seconds", "10");
        violate(violations, "192.0.2.1", 10);
        assertTrue(refused(violations, "192.0.2.1"));
        nowNs += SECOND_NS;
        assertFalse(refused(violations, "192.0.2.1"));
    }

    @Test
    void badSettings_areRejectedWithASentence() {
        assertEquals(
                "the setting 'violation-limit' must be a number, not 'many'",
                assertThrows(IllegalArgumentException.class, () -> violations("violation-limit", "many"))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> violations("violation-limit", "-1"));
        assertThrows(IllegalArgumentException.class, () -> violations("violation-decay-seconds", "0"));
    }
}
