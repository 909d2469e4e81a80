package io.verbena.iwarp.startup;

import static io.verbena.iwarp.startup.Script.MS;
import static io.verbena.iwarp.startup.Script.REP;
import static io.verbena.iwarp.startup.Script.REQ;
import static io.verbena.iwarp.startup.Script.data;
import static io.verbena.iwarp.startup.Script.established;
import static io.verbena.iwarp.startup.Script.failed;
import static io.verbena.iwarp.startup.Script.fault;
import static io.verbena.iwarp.startup.Script.feed;
import static io.verbena.iwarp.startup.Script.hex;
import static io.verbena.iwarp.startup.Script.rejected;
import static io.verbena.iwarp.startup.Script.sent;
import static io.verbena.iwarp.startup.Script.siwLike;
import static io.verbena.iwarp.startup.Script.waiting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InitiatorStartUpTest {
    private static final StartUpOptions REVISION_1 = siwLike().withEnhanced(false);

    @Test
    void idle_start_sendsTheRequest() {
        // RFC 5044 section 7.1.2 [1]: an initiator sends a valid Request.
        InitiatorStartUp side = new InitiatorStartUp(StartUpOptions.defaults()
                .withMarkersReceived(true)
                .withDepths(3, 0x102)
                .withPeerToPeer(PeerToPeer.of(RtrKind.SEND, RtrKind.READ))
                .withPrivateData(data(2)));
        assertEquals(StartUp.NO_DEADLINE, side.nextDeadlineNs());
        assertEquals(0, side.transmitPendingBytes());
        side.start(5);
        assertEquals(5 + StartUpOptions.DEFAULT_TIMEOUT_NS, side.nextDeadlineNs());
        assertEquals(REQ + "d0020006c00341020001", sent(side));
        assertEquals(InitiatorTable.State.AWAITING_REPLY, side.state());
    }

    @Test
    void idle_startOfRevision1_sendsNoEnhancedData() {
        // RFC 6581 section 10 [3]: no enhanced format is used without an enhanced request.
        InitiatorStartUp side = new InitiatorStartUp(REVISION_1.withCrc(true).withPrivateData(data(1)));
        side.start(0);
        assertEquals(REQ + "4001000100", sent(side));
    }

    @Test
    void idle_startTwice_isMisuse() {
        InitiatorStartUp side = waiting(siwLike());
        assertThrows(IllegalStateException.class, () -> side.start(1));
    }

    @Test
    void idle_bytes_stayWithTheCaller() {
        InitiatorStartUp side = new InitiatorStartUp(siwLike());
        assertEquals(0, feed(side, REP + "10020004 00010001", 0));
        assertEquals(InitiatorTable.State.IDLE, side.state());
    }

    @Test
    void awaitingReply_fpduInTheSameSegment_isNotTaken() {
        // RFC 5044 section 7.1 [1]: RDMA mode begins exactly after the Reply.
        InitiatorStartUp side = waiting(siwLike());
        assertEquals(24, feed(side, REP + "10020004 00010001" + "0012 4143 00000000", MS));
        assertEquals(new ReadDepths(1, 1), established(side).depths());
        assertEquals(0, feed(side, "00124143", MS));
        assertEquals(StartUp.NO_DEADLINE, side.nextDeadlineNs());
    }

    @Test
    void awaitingReply_reply_isReportedOnce() {
        InitiatorStartUp side = waiting(siwLike());
        assertInstanceOf(StartUpOutcome.Pending.class, side.pollOutcome());
        feed(side, REP + "1002000400010001", MS);
        assertInstanceOf(StartUpOutcome.Established.class, side.pollOutcome());
        assertInstanceOf(StartUpOutcome.Pending.class, side.pollOutcome());
        side.onDeadline(Long.MAX_VALUE / 2);
        side.onEndOfStream();
        assertInstanceOf(StartUpOutcome.Pending.class, side.pollOutcome());
        established(side);
    }

    @Test
    void awaitingReply_request_isTwoInitiators() {
        // RFC 5044 section 7.1.2 [10]: the key shows that both sides are initiators.
        InitiatorStartUp side = waiting(siwLike());
        feed(side, REQ + "1002000400010001", MS);
        assertEquals(StartUpFault.TWO_INITIATORS, fault(side));
        assertTrue(failed(side).sentence().contains("both sides"), failed(side).sentence());
        assertTrue(failed(side).terminate().isEmpty());
    }

    @Test
    void sendingRequest_request_isTwoInitiatorsToo() {
        InitiatorStartUp side = new InitiatorStartUp(siwLike());
        side.start(0);
        feed(side, REQ + "1002000400010001", MS);
        assertEquals(StartUpFault.TWO_INITIATORS, fault(side));
    }

    @Test
    void sendingRequest_reply_isTooEarly() {
        InitiatorStartUp side = new InitiatorStartUp(siwLike());
        side.start(0);
        assertEquals(7, side.fillTransmit(MemorySegment.ofArray(new byte[7]), 0, 7));
        feed(side, REP + "1002000400010001", MS);
        assertEquals(StartUpFault.REPLY_BEFORE_REQUEST, fault(side));
    }

    @Test
    void awaitingReply_otherBytes_closeAtTheFirstWrongOne() {
        // RFC 5044 section 7.1.2 [9]: a wrong key closes the connection.
        InitiatorStartUp side = waiting(siwLike());
        assertEquals(0, side.nextDeadlineNs() - StartUpOptions.DEFAULT_TIMEOUT_NS);
        feed(side, "48545450", MS);
        assertEquals(StartUpFault.WRONG_KEY, fault(side));
        assertEquals(4, StartUpFault.WRONG_KEY.mpaCode());
    }

    @Test
    void awaitingReply_malformedReplies_close() {
        // RFC 5044 sections 7.1.1 [12, 13, 15] and 7.1.2 [6, 11]: the revision and PD_Length are checked.
        assertEquals(StartUpFault.UNSUPPORTED_REVISION, faultOf(siwLike(), "10030004 00010001"));
        assertEquals(StartUpFault.UNSUPPORTED_REVISION, faultOf(siwLike(), "00000000"));
        assertEquals(StartUpFault.PRIVATE_DATA_TOO_LONG, faultOf(siwLike(), "10020201"));
        // RFC 6581 section 6 [5]: S means that IRD and ORD are there.
        assertEquals(StartUpFault.ENHANCED_DATA_MISSING, faultOf(siwLike(), "10020003 000100"));
    }

    private static StartUpFault faultOf(StartUpOptions options, String rest) {
        InitiatorStartUp side = waiting(options);
        feed(side, REP + rest, MS);
        return fault(side);
    }

    @Test
    void awaitingReply_unenhancedAcceptance_closes() {
        // RFC 6581 section 10 [1]: an enhanced request is to be answered by an enhanced reply.
        assertEquals(StartUpFault.REPLY_NOT_ENHANCED, faultOf(siwLike(), "00010000"));
        assertEquals(StartUpFault.REPLY_NOT_ENHANCED, faultOf(siwLike(), "00020004 00010001"));
        // In revision 1 the S bit is reserved.
        assertEquals(StartUpFault.REPLY_NOT_ENHANCED, faultOf(siwLike(), "10010004 00010001"));
    }

    @Test
    void awaitingReply_unenhancedRejection_isARejection() {
        InitiatorStartUp side = waiting(siwLike());
        feed(side, REP + "20010002 cafe", MS);
        assertEquals("cafe", rejected(side).privateData().toString());
        assertEquals(ReadDepths.NOT_NEGOTIATED, rejected(side).depths());
    }

    @Test
    void awaitingReplyOfRevision1_reply_leavesDepthsToTheUpperLayer() {
        // RFC 6581 section 10 [MAY]: without the enhanced data IRD and ORD are the upper layer's business.
        InitiatorStartUp side = waiting(REVISION_1.withDepths(5, 6));
        assertEquals(22, feed(side, REP + "40010002 abcd 0000", MS));
        Negotiated n = established(side);
        assertEquals(new ReadDepths(5, 6), n.depths());
        assertEquals(ReadDepths.NOT_NEGOTIATED, n.peer().depths());
        assertTrue(n.framing().crc());
        assertEquals(1, n.revision());
        assertEquals("abcd", n.peer().privateData().toString());
    }

    @Test
    void awaitingReplyOfRevision1_sBit_isReservedThere() {
        // RFC 5044 section 7.1.1 [10]: reserved bits are not checked.
        InitiatorStartUp side = waiting(REVISION_1);
        feed(side, REP + "1f010004 00010001", MS);
        assertEquals("00010001", established(side).peer().privateData().toString());
        assertTrue(established(side).peer().flags().gsoBitSeen());
    }

    @Test
    void awaitingReplyOfRevision1_enhancedReply_closes() {
        // RFC 6581 section 10 [2]: an unenhanced request gets an unenhanced reply.
        assertEquals(StartUpFault.REPLY_ENHANCED_UNASKED, faultOf(REVISION_1, "10020004 00010001"));
    }

    @Test
    void awaitingReply_rejection_leavesTheStreamUsable() {
        // RFC 5044 section 7.1.2 [7]: with R set MPA ends and TCP stays open.
        InitiatorStartUp side = waiting(siwLike());
        assertEquals(26, feed(side, REP + "30020006 0000 0009 6e6f" + "48656c6c6f", MS));
        // RFC 6581 section 9.1 [1, 7]: IRD and ORD of a rejection reach the upper layer as well.
        assertEquals(new ReadDepths(0, 9), rejected(side).depths());
        assertEquals("6e6f", rejected(side).privateData().toString());
        assertEquals(0, feed(side, "48656c6c6f", MS), "streaming data is the caller's");
        assertEquals(StartUp.NO_DEADLINE, side.nextDeadlineNs(), "the timer is cancelled");
        side.onEndOfStream();
        side.onDeadline(Long.MAX_VALUE / 2);
        side.onLocalError("too late to matter");
        rejected(side);
    }

    @Test
    void awaitingReply_privateDataOf512And513() {
        InitiatorStartUp full = waiting(REVISION_1);
        assertEquals(532, feed(full, REP + "00010200" + data(512) + "ff", MS));
        assertEquals(data(512), established(full).peer().privateData());
        InitiatorStartUp enhanced = waiting(siwLike());
        assertEquals(532, feed(enhanced, REP + "10020200" + "00010001" + data(508), MS));
        assertEquals(data(508), established(enhanced).peer().privateData());
        // RFC 5044 section 7.1.1 [15]: more than 512 bytes close the connection.
        assertEquals(StartUpFault.PRIVATE_DATA_TOO_LONG, faultOf(REVISION_1, "00010201" + data(512) + "00"));
    }

    @Test
    void awaitingReply_depths_areCutToTheResponders() {
        // RFC 6581 section 9.1 [4]: our ORD is at most the responder's IRD, and our IRD no more than its ORD.
        assertEquals(new ReadDepths(8, 2), depthsAfter(8, 8, "00020008"));
        assertEquals(new ReadDepths(0, 8), depthsAfter(8, 8, "00090000"));
        // Zero either way is a number like others.
        assertEquals(new ReadDepths(0, 0), depthsAfter(8, 8, "00000000"));
        assertEquals(new ReadDepths(0, 0), depthsAfter(0, 0, "00000000"));
        // RFC 6581 section 9.1 [9, 11]: all ones in the reply leave the own value unchanged, however small.
        assertEquals(new ReadDepths(8, 7), depthsAfter(8, 7, "3fff3fff"));
        assertEquals(new ReadDepths(0x1000, 4), depthsAfter(0x3fff, 0x3fff, "00041000"));
        assertEquals(new ReadDepths(0x3ffe, 0x3ffe), depthsAfter(0x3ffe, 0x3ffe, "3ffe3ffe"));
    }

    private static ReadDepths depthsAfter(int ird, int ord, String words) {
        InitiatorStartUp side = waiting(siwLike().withDepths(ird, ord));
        feed(side, REP + "10020004" + words, MS);
        return established(side).depths();
    }

    @Test
    void awaitingReply_responderOrdAboveOurIrd_endsWithTerminate206() {
        // RFC 6581 section 9.1 [5, 6]: too little IRD gives a Terminate 2/0/6.
        InitiatorStartUp side = waiting(siwLike().withDepths(4, 4));
        feed(side, REP + "50020004 00040005", MS);
        assertEquals(StartUpFault.INSUFFICIENT_IRD, fault(side));
        StartUpTerminate terminate = failed(side).terminate().orElseThrow();
        assertEquals("2/0/6", terminate.layer() + "/" + terminate.type() + "/" + terminate.code());
        assertTrue(failed(side).framing().orElseThrow().crc(), "the Terminate goes out with CRC");
        assertEquals(6, StartUpFault.INSUFFICIENT_IRD.mpaCode());
    }

    @Test
    void awaitingReply_noCommonRtr_endsWithTerminate207() {
        // RFC 6581 section 9.2 [8, 9]: without a common RTR message there is a Terminate 2/0/7.
        StartUpOptions writeOnly = siwLike().withPeerToPeer(PeerToPeer.of(RtrKind.WRITE));
        assertRtrFails(writeOnly, "8001 4001");
        assertRtrFails(writeOnly, "8001 0001");
        // One side peer-to-peer, the other client-server.
        assertRtrFails(writeOnly, "0001 8001");
        assertRtrFails(siwLike(), "8001 8001");
    }

    private static void assertRtrFails(StartUpOptions options, String words) {
        InitiatorStartUp side = waiting(options);
        feed(side, REP + "10020004" + words, MS);
        assertEquals(StartUpFault.NO_MATCHING_RTR, fault(side));
        assertEquals(Optional.of(StartUpTerminate.NO_MATCHING_RTR), failed(side).terminate());
        assertEquals(7, StartUpTerminate.NO_MATCHING_RTR.code());
    }

    @Test
    void awaitingReply_rtrFlagsWithoutA_areIgnored() {
        // RFC 6581 section 9.2 [13]: with A clear B, C and D mean nothing.
        InitiatorStartUp side = waiting(siwLike());
        feed(side, REP + "10020004 4001 c001", MS);
        assertFalse(established(side).peerToPeer());
    }

    @Test
    void awaitingReply_severalRtr_choosesWriteThenReadThenSend() {
        // RFC 6581 sections 1.1 and 9.2 [7]: which of the common ones it sends is up to the initiator.
        assertEquals(RtrKind.WRITE, rtrAfter(PeerToPeer.ANY, "c001 c001"));
        assertEquals(RtrKind.READ, rtrAfter(PeerToPeer.ANY, "c001 4001"));
        assertEquals(RtrKind.SEND, rtrAfter(PeerToPeer.ANY, "c001 0001"));
        assertEquals(RtrKind.SEND, rtrAfter(PeerToPeer.of(RtrKind.SEND), "c001 c001"));
        // A responder that cannot serve a Read gets one only if it supports nothing else.
        assertEquals(RtrKind.SEND, rtrAfter(PeerToPeer.ANY, "c000 4001"));
        assertEquals(RtrKind.READ, rtrAfter(PeerToPeer.ANY, "8000 4001"));
    }

    private static RtrKind rtrAfter(PeerToPeer ours, String words) {
        InitiatorStartUp side = waiting(siwLike().withPeerToPeer(ours));
        feed(side, REP + "10020004" + words, MS);
        assertTrue(established(side).sendsRtrFirst());
        assertFalse(established(side).receivesRtrFirst());
        assertFalse(established(side).waitsForFirstFpdu());
        return established(side).rtr().orElseThrow();
    }

    @Test
    void awaitingReply_deadline_timesOut() {
        // RFC 5044 section 7.1.2, rule 10: the wait for the whole set of frames has an end.
        InitiatorStartUp side = waiting(siwLike().withTimeoutNs(100));
        feed(side, REP + "1002", 50);
        side.onDeadline(99);
        assertEquals(InitiatorTable.State.AWAITING_REPLY, side.state());
        side.onDeadline(100);
        assertEquals(StartUpFault.TIMED_OUT, fault(side));
        assertEquals(1, StartUpFault.TIMED_OUT.mpaCode());
        assertEquals(0, feed(side, "0004", 101));
    }

    @Test
    void sendingRequest_deadline_timesOutAcrossTheWrapOfTheClock() {
        InitiatorStartUp side = new InitiatorStartUp(siwLike().withTimeoutNs(100));
        side.start(Long.MAX_VALUE - 50);
        side.onDeadline(Long.MAX_VALUE);
        assertEquals(InitiatorTable.State.SENDING_REQUEST, side.state());
        side.onDeadline(Long.MIN_VALUE + 49);
        assertEquals(StartUpFault.TIMED_OUT, fault(side));
    }

    @Test
    void start_deadlineThatWouldBeTheSentinel_isOneNanosecondEarlier() {
        InitiatorStartUp side = new InitiatorStartUp(siwLike().withTimeoutNs(100));
        side.start(Long.MAX_VALUE - 100);
        assertEquals(Long.MAX_VALUE - 1, side.nextDeadlineNs());
    }

    @Test
    void awaitingReply_endOfStream_fails() {
        InitiatorStartUp side = waiting(siwLike());
        feed(side, REP.substring(0, 8), MS);
        side.onEndOfStream();
        assertEquals(StartUpFault.PEER_CLOSED, fault(side));
        // RFC 6581 section 10 [7]: it may have been an unenhanced responder that closed.
        assertTrue(failed(side).sentence().contains("unenhanced"), failed(side).sentence());
    }

    @Test
    void idle_endOfStreamThenStart_staysFailed() {
        InitiatorStartUp side = new InitiatorStartUp(siwLike());
        side.onEndOfStream();
        side.start(0);
        assertEquals(StartUpFault.PEER_CLOSED, fault(side));
    }

    @Test
    void localError_beforeTheReplySilent_afterItTerminate205() {
        InitiatorStartUp before = waiting(siwLike());
        before.onLocalError("no memory");
        assertEquals(StartUpFault.LOCAL_CATASTROPHIC, fault(before));
        assertTrue(failed(before).terminate().isEmpty());
        // RFC 6581 section 9.3 [1]: an error of our own without a code of its own is a Terminate 2/0/5.
        InitiatorStartUp after = waiting(siwLike());
        feed(after, REP + "1002000400010001", MS);
        after.onLocalError("no memory");
        assertEquals(StartUpFault.LOCAL_CATASTROPHIC, fault(after));
        assertEquals(5, failed(after).terminate().map(StartUpTerminate::code).orElseThrow());
        assertTrue(failed(after).sentence().endsWith("no memory"), failed(after).sentence());
    }

    @Test
    void stateDigest_everyStep_differs() {
        InitiatorStartUp side = new InitiatorStartUp(siwLike());
        InitiatorStartUp twin = new InitiatorStartUp(siwLike());
        Set<Long> seen = new HashSet<>();
        assertTrue(seen.add(side.stateDigest()));
        side.start(0);
        assertTrue(seen.add(side.stateDigest()));
        sent(side);
        assertTrue(seen.add(side.stateDigest()));
        for (byte b : hex(REP + "1002000400010001")) {
            feed(side, new byte[] {b}, MS);
            assertTrue(seen.add(side.stateDigest()));
        }
        twin.start(0);
        sent(twin);
        feed(twin, REP + "1002000400010001", MS);
        assertEquals(side.stateDigest(), twin.stateDigest());
    }
}
