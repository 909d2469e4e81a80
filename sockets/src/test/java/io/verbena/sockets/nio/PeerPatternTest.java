package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which peers a pattern names. */
class PeerPatternTest {

    @ParameterizedTest
    @CsvSource({
        "*, 10.1.2.3, 9092, true",
        "*:9092, 10.1.2.3, 9092, true",
        "*:9092, 10.1.2.3, 9093, false",
        "10.0.0.0/8, 10.1.2.3, 1, true",
        "10.0.0.0/8, 11.1.2.3, 1, false",
        "10.1.2.3, 10.1.2.3, 1, true",
        "10.1.*:7, 10.1.2.3, 7, true",
        "10.0.0.0/8:7, 10.1.2.3, 8, false",
        "fd00::/8, fd00::1, 7, true",
        "[fd00::/8]:7, fd00::1, 7, true",
        "[fd00::/8]:7, fd00::1, 8, false",
        "fd00::/8, fe80::1, 7, false",
        "10.0.0.0/8, fd00::1, 7, false",
        "[::1], ::1, 7, true",
        "[::1]:7, ::1, 7, true",
        "[::1]:7, ::1, 8, false",
        "::1, ::1, 7, true",
        "[0:0:0:0:0:0:0:1], ::1, 7, true",
        "[FD00:0::1], fd00::1, 7, true",
        "[fd00::1], fd00::2, 7, false",
        "[fd00::*], fd00::1, 7, true",
        "[fd00:0:0:*], fd00::1, 7, true",
        "[::ffff:10.1.2.3], 10.1.2.3, 7, true",
    })
    void pattern_matchesItsPeers(String pattern, String address, int port, boolean matches) {
        assertEquals(
                matches, PeerPattern.of(pattern).matches(new InetSocketAddress(InetAddress.ofLiteral(address), port)));
    }

    @ParameterizedTest
    @CsvSource({
        "''",
        ":9092",
        "a b",
        "*:9092;*:9093",
        "kafka:x",
        "kafka:0",
        "kafka:65536",
        "10.0.0.0/33",
        "[fd00::1",
        "[fd00::1]7",
        "a@b",
    })
    void wrongPattern_isRefusedWithASentence(String pattern) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> PeerPattern.of(pattern));
        assertTrue(String.valueOf(refused.getMessage()).contains("write a list such as"), refused::toString);
    }
}
