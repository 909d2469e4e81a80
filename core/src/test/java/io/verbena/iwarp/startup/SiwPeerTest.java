package io.verbena.iwarp.startup;

import static io.verbena.iwarp.startup.Script.MS;
import static io.verbena.iwarp.startup.Script.REP;
import static io.verbena.iwarp.startup.Script.REQ;
import static io.verbena.iwarp.startup.Script.deciding;
import static io.verbena.iwarp.startup.Script.established;
import static io.verbena.iwarp.startup.Script.feed;
import static io.verbena.iwarp.startup.Script.sent;
import static io.verbena.iwarp.startup.Script.siwLike;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Frames as Linux's Soft-iWARP (kernel 6.1) sends them: they are accepted, and the answers are equal byte for byte. */
class SiwPeerTest {

    /** A Request of siw as initiator, and the Reply that siw gave as responder. */
    private static void assertSame(StartUpOptions options, String request, String reply) {
        InitiatorStartUp initiator = new InitiatorStartUp(options);
        initiator.start(0);
        assertEquals((REQ + request).replace(" ", ""), sent(initiator));
        feed(initiator, REP + reply, MS);
        ResponderStartUp responder = deciding(REQ + request);
        responder.accept(options.withDepths(128, 128).withCrc(false), MS);
        assertEquals((REP + reply).replace(" ", ""), sent(responder));
        Negotiated a = established(initiator);
        Negotiated b = established(responder);
        assertEquals(a.framing().crc(), b.framing().crc());
        assertEquals(a.rtr(), b.rtr());
        assertFalse(a.peer().flags().gsoBitSeen() || b.peer().flags().gsoBitSeen());
    }

    @Test
    void rping() {
        assertSame(siwLike(), "10020004 0001 0001", "10020004 0001 0001");
    }

    @Test
    void rping_withCrc() {
        assertSame(siwLike().withCrc(true), "50020004 0001 0001", "50020004 0001 0001");
    }

    @Test
    void perftest_writeAndRead() {
        assertSame(siwLike().withDepths(0, 0), "10020004 0000 0000", "10020004 0000 0000");
        assertSame(siwLike().withDepths(128, 128), "10020004 0080 0080", "10020004 0080 0080");
    }

    @Test
    void nvme_depthsAnswerCrosswise() {
        // RFC 6581 section 9.1 [2, 4]: the reply's IRD answers the request's ORD, its ORD the request's IRD.
        InitiatorStartUp initiator = Script.waiting(siwLike().withDepths(128, 0));
        feed(initiator, REP + "10020004 0000 0080", MS);
        assertEquals(new ReadDepths(128, 0), established(initiator).depths());
        ResponderStartUp responder = deciding(REQ + "10020004 0080 0000");
        responder.accept(siwLike().withDepths(128, 128), MS);
        assertEquals(REP + "1002000400000080", sent(responder));
        assertEquals(new ReadDepths(0, 128), established(responder).depths());
    }

    @Test
    void revision1() {
        assertSame(siwLike().withEnhanced(false), "00010000", "00010000");
    }

    @Test
    void peerToPeer_writeAndReadOffered_isWrite() {
        StartUpOptions offer = siwLike().withPeerToPeer(PeerToPeer.of(RtrKind.WRITE, RtrKind.READ));
        assertSame(offer, "10020004 8001 c001", "10020004 8001 8001");
        assertSame(offer.withCrc(true), "50020004 8001 c001", "50020004 8001 8001");
        ResponderStartUp side = deciding(REQ + "10020004 8001 c001");
        side.accept(siwLike(), MS);
        sent(side);
        assertEquals(Optional.of(RtrKind.WRITE), established(side).rtr());
    }

    @Test
    void peerToPeer_readOffered_isRead() {
        StartUpOptions offer = siwLike().withPeerToPeer(PeerToPeer.of(RtrKind.READ));
        assertSame(offer, "10020004 8001 4001", "10020004 8001 4001");
    }

    @Test
    void rstream_privateDataFollowsTheDepths() {
        ResponderStartUp side = deciding(
                REQ + "1002002c 0000 0001 0102018000000000000055a93d49900078b893000000000200007febd4ad700017d53e00"
                        + "00080000");
        PeerRequest request = ((StartUpOutcome.RequestArrived) side.outcome()).request();
        assertEquals(40, request.privateData().length());
        assertTrue(request.privateData().toString().startsWith("01020180"));
        assertEquals(new ReadDepths(0, 1), request.depths());
        side.accept(siwLike().withDepths(128, 128), MS);
        assertEquals(REP + "1002000400010000", sent(side));
    }

    @Test
    void reservedBit_gsoWanted_isReportedAndNotEchoed() {
        // RFC 5044 section 7.1.1 [10]: reserved bits are not checked when they come and zero when they go.
        ResponderStartUp side = deciding(REQ + "18020004 0001 0001");
        side.accept(siwLike(), MS);
        assertEquals(REP + "1002000400010001", sent(side));
        assertTrue(established(side).peer().flags().gsoBitSeen());
    }
}
