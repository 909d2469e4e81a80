package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies of a request that was rejected, on a network that duplicates and delays datagrams. */
class CmRejectedTest {

    private static final int QUEUE_PAIR = 0x11;
    private static final int MRA_CODE = 20;

    private final CmPair pair = new CmPair();

    /** A rejected request; returns its datagram. */
    private byte[] rejected() {
        pair.connect(QUEUE_PAIR);
        pair.a.collect();
        byte[] request = pair.a.wire.getFirst();
        pair.toB();
        int theirs = pair.b.last(CmSignal.Requested.class).connection();
        pair.b.agent.reject(theirs, CmReject.CONSUMER, new byte[] {9});
        return request;
    }

    @Test
    void rejectionLost_repeatedRequest_isRejectedAgainAndNotSignalled() {
        byte[] request = rejected();
        assertEquals(List.of("REJ 28"), pair.b.sent());
        pair.b.receive(request, pair.nowNs);
        assertEquals(1, pair.b.count(CmSignal.Requested.class));
        pair.toA();
        assertEquals(9, pair.a.last(CmSignal.Rejected.class).privateData()[0]);
    }

    /** What ends a request of the peer before it is accepted. */
    private enum End {
        REJECT,
        REJECT_MTU,
        DISCONNECT,
        DISCONNECT_AFTER_MRA,
        EXPIRY,
        EXPIRY_AFTER_MRA;

        void of(CmPair pair, int request) {
            switch (this) {
                case REJECT -> pair.b.agent.reject(request, CmReject.CONSUMER, new byte[0]);
                case REJECT_MTU -> pair.b.agent.rejectMtu(request, 2);
                case DISCONNECT -> pair.b.agent.disconnect(request, pair.nowNs);
                case DISCONNECT_AFTER_MRA -> {
                    pair.b.agent.delay(request, MRA_CODE, pair.nowNs);
                    pair.b.agent.disconnect(request, pair.nowNs);
                }
                case EXPIRY -> expire(pair);
                case EXPIRY_AFTER_MRA -> {
                    pair.b.agent.delay(request, MRA_CODE, pair.nowNs);
                    expire(pair);
                }
            }
        }

        private static void expire(CmPair pair) {
            while (pair.b.agent.size() > 0) {
                pair.nowNs = pair.b.agent.nextDeadlineNs();
                pair.b.agent.onDeadline(pair.nowNs);
            }
        }
    }

    /** The REJ is lost: the peer would wait for it, and a second signal of its request would ask the application again. */
    @ParameterizedTest
    @EnumSource
    void requestEnded_rejectionLost_repeatedRequestGetsTheSameRejection(End end) {
        pair.connect(QUEUE_PAIR);
        pair.a.collect();
        byte[] request = pair.a.wire.getFirst();
        pair.toB();
        end.of(pair, pair.b.last(CmSignal.Requested.class).connection());
        pair.b.collect();
        byte[] rejection = pair.b.wire.getLast();
        pair.b.wire.clear();
        for (int i = 0; i < 3; i++) {
            pair.b.receive(request, pair.nowNs);
            assertArrayEquals(rejection, pair.b.wire.removeFirst());
            assertEquals(List.of(), pair.b.sent());
        }
        assertEquals(1, pair.b.count(CmSignal.Requested.class));
        assertEquals(0, pair.b.agent.size());
        pair.a.receive(rejection, pair.nowNs);
        assertEquals(1, pair.a.count(CmSignal.Rejected.class));
    }

    @Test
    void copyAfterTheRejection_nextRequestOfTheQueuePair_isNotStale() {
        byte[] request = rejected();
        pair.toA();
        pair.b.receive(request, pair.nowNs);
        pair.connect(QUEUE_PAIR);
        pair.toB();
        assertEquals(2, pair.b.count(CmSignal.Requested.class));
    }

    @Test
    void copyAfterTheNextRequest_connectionOfTheQueuePair_staysEstablished() {
        byte[] request = rejected();
        pair.toA();
        int[] numbers = pair.established();
        pair.b.receive(request, pair.nowNs);
        pair.toA();
        pair.toB();
        assertEquals(
                CmState.ESTABLISHED, pair.a.agent.find(numbers[0]).orElseThrow().state());
        assertEquals(
                CmState.ESTABLISHED, pair.b.agent.find(numbers[1]).orElseThrow().state());
    }

    @Test
    void manyRejections_onlyTheLastAreRemembered() {
        // The address is known after a connection, and all of its requests are processed.
        pair.a.agent.disconnect(pair.established()[0], pair.nowNs);
        pair.toB();
        pair.toA();
        pair.pass(4_096L << 20);
        byte[] request = rejected();
        for (int i = 0; i < 256; i++) {
            rejected();
        }
        pair.b.receive(request, pair.nowNs);
        assertEquals(259, pair.b.count(CmSignal.Requested.class));
    }
}
