package io.verbena.sockets.nio.opening;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a peer may take to answer: one that is slow is not one that is absent. */
class PeersTest {

    private static final SocketAddress PEER = InetSocketAddress.createUnresolved("peer", 7);
    private static final Duration OPTION = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofMillis(500);

    private final Peers peers = new Peers();

    @ParameterizedTest
    @CsvSource({"1, 10", "10, 100", "50, 500", "200, 500", "500, 500", "5000, 5000"})
    void peerThatWasNotSilent_hasLonger(long optionMs, long expectedMs) {
        assertEquals(Duration.ofMillis(expectedMs), peers.patience(PEER, Duration.ofMillis(optionMs)));
    }

    @Test
    void peerThatWasSilent_hasTheTimeOfTheOption() {
        peers.silent(PEER);
        assertEquals(OPTION, peers.patience(PEER, OPTION));
        assertEquals(Peers.Kind.SILENT, peers.of(PEER));
    }

    @Test
    void peerThatWasSilent_answers_hasLongerAgain() {
        peers.silent(PEER);
        peers.verbena(PEER);
        assertEquals(LONG, peers.patience(PEER, OPTION));
    }

    @Test
    void verbena_isSilentOnce_isOneStill() {
        peers.verbena(PEER);
        peers.silent(PEER);
        assertEquals(Peers.Kind.VERBENA, peers.of(PEER));
        assertEquals(LONG, peers.patience(PEER, OPTION));
    }

    @Test
    void plainPeer_isSilent_isPlainStill() {
        peers.plain(PEER);
        peers.silent(PEER);
        assertEquals(Peers.Kind.PLAIN, peers.of(PEER));
    }
}
