package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class TransportOptionsTest {

    @Test
    void rnicOptions_changedForOneTransport_keepTheRest() {
        RnicOptions options = RnicOptions.defaults()
                .withProvider("roce")
                .withDevice("127.0.0.2")
                .withCrc(true)
                .withIwarp(it -> it.withMaxFpduPayloadBytes(1424).withSocketBufferBytes(65_536))
                .withMarkers(true)
                .withInfiniband(it -> it.withUdpPort(18_515)
                        .withPathMtuBytes(4096)
                        .withAckTimeout(Duration.ofMillis(8))
                        .withRetries(3, 5)
                        .withSelectiveRepeat(false)
                        .withCongestionControl(false)
                        .withDatagramWrites(true)
                        .withTrafficClass(104))
                .withEngines(1);
        assertEquals("roce", options.provider());
        assertEquals("127.0.0.2", options.device());
        assertEquals(
                new IwarpOptions(
                        true, true, 1424, 65_536, TcpCarrier.KERNEL, false, false, 65_536, Duration.ofSeconds(5)),
                options.iwarp());
        assertEquals(
                new InfinibandOptions(18_515, 4096, Duration.ofMillis(8), 3, 5, Duration.ZERO, false, false, true, 104),
                options.infiniband());
        assertEquals(options, options.toBuilder().build());
        assertEquals(options.infiniband(), options.infiniband().toBuilder().build());
    }

    @Test
    void infinibandDefaults_areThoseOfTheSpecifications() {
        InfinibandOptions options = InfinibandOptions.defaults();
        assertEquals(4791, options.udpPort());
        assertEquals(Duration.ofNanos(67_108_864), options.ackTimeout());
        assertEquals(7, options.retryCount());
        assertEquals(7, options.receiverNotReadyRetries());
    }

    @Test
    void valueOutOfRange_throws() {
        rejects(it -> it.withUdpPort(0));
        rejects(it -> it.withUdpPort(65_536));
        rejects(it -> it.withPathMtuBytes(128));
        rejects(it -> it.withPathMtuBytes(1500));
        rejects(it -> it.withPathMtuBytes(8192));
        rejects(it -> it.withPathMtuBytes(Integer.MIN_VALUE));
        rejects(it -> it.withAckTimeout(Duration.ofNanos(-1)));
        rejects(it -> it.withAckTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
        rejects(it -> it.withRetries(8, 0));
        rejects(it -> it.withRetries(0, -1));
        rejects(it -> it.withTrafficClass(256));
        assertThrows(
                IllegalArgumentException.class,
                () -> RnicOptions.defaults().withIwarp(it -> it.withMaxFpduPayloadBytes(63)));
        assertThrows(
                IllegalArgumentException.class,
                () -> RnicOptions.defaults().withIwarp(it -> it.withSocketBufferBytes(-1)));
    }

    private static void rejects(UnaryOperator<InfinibandOptions> change) {
        assertThrows(
                IllegalArgumentException.class, () -> RnicOptions.defaults().withInfiniband(change));
    }
}
