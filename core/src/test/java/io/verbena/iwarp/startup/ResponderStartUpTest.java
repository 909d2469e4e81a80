package io.verbena.iwarp.startup;

import static io.verbena.iwarp.startup.Script.MS;
import static io.verbena.iwarp.startup.Script.REP;
import static io.verbena.iwarp.startup.Script.REQ;
import static io.verbena.iwarp.startup.Script.data;
import static io.verbena.iwarp.startup.Script.deciding;
import static io.verbena.iwarp.startup.Script.established;
import static io.verbena.iwarp.startup.Script.failed;
import static io.verbena.iwarp.startup.Script.fault;
import static io.verbena.iwarp.startup.Script.feed;
import static io.verbena.iwarp.startup.Script.hex;
import static io.verbena.iwarp.startup.Script.listening;
import static io.verbena.iwarp.startup.Script.rejected;
import static io.verbena.iwarp.startup.Script.sent;
import static io.verbena.iwarp.startup.Script.siwLike;
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

class ResponderStartUpTest {
    private static final String PLAIN = REQ + "10020004 00010001";
    private static final String REVISION_1 = REQ + "00010002 beef";

    private static PeerRequest request(ResponderStartUp side) {
        return assertInstanceOf(StartUpOutcome.RequestArrived.class, side.outcome())
                .request();
    }

    @Test
    void awaitingRequest_request_reachesTheApplication() {
        ResponderStartUp side = deciding(REQ + "d8020006 8003 4102 abcd");
        PeerRequest request = request(side);
        assertEquals("abcd", request.privateData().toString());
        assertEquals(new ReadDepths(3, 0x102), request.depths());
        assertEquals(PeerToPeer.of(RtrKind.READ), request.peerToPeer());
        assertTrue(request.flags().markers()
                && request.flags().crc()
                && request.flags().enhanced()
                && request.flags().gsoBitSeen());
        assertEquals(2, request.revision());
        assertEquals(508, request.maxReplyPrivateDataLength());
        assertInstanceOf(StartUpOutcome.RequestArrived.class, side.pollOutcome());
        assertInstanceOf(StartUpOutcome.Pending.class, side.pollOutcome());
    }

    @Test
    void deciding_accept_repliesAndIsEstablishedWhenTheReplyIsOut() {
        ResponderStartUp side = deciding(PLAIN);
        assertTrue(side.accept(siwLike(), MS));
        assertEquals(24, side.transmitPendingBytes());
        assertEquals(23, side.fillTransmit(MemorySegment.ofArray(new byte[23]), 0, 23));
        assertEquals(ResponderTable.State.ACCEPTING, side.state());
        assertEquals("01", sent(side));
        Negotiated n = established(side);
        // RFC 5044 section 7.1.2 [8]: a responder waits for the first FPDU.
        assertTrue(n.waitsForFirstFpdu());
        assertFalse(n.receivesRtrFirst() || n.sendsRtrFirst());
        assertEquals(StartUp.NO_DEADLINE, side.nextDeadlineNs());
        assertEquals(0, feed(side, "00124143", 2 * MS), "FPDUs are the caller's");
    }

    @Test
    void awaitingRequest_sBitWithReservedBits_isStillEnhanced() {
        // RFC 6581 section 6 [2]: S is no reserved bit any more; RFC 5044 section 7.1.1 [10]: those are not checked.
        ResponderStartUp side = deciding(REQ + "1f020004 00020003");
        assertTrue(request(side).flags().enhanced());
        assertEquals(0xf, request(side).flags().reservedBits());
        side.accept(siwLike().withDepths(9, 9), MS);
        // RFC 5044 section 7.1.1 [10], RFC 6581 section 6 [1]: reserved bits go out as zero.
        assertEquals(REP + "1002000400030002", sent(side));
        assertTrue(established(side).peer().flags().gsoBitSeen());
    }

    @Test
    void awaitingRequest_revision1WithSBit_isUnenhanced() {
        // RFC 6581 section 6 [3]: the enhanced start-up needs revision 2.
        ResponderStartUp side = deciding(REQ + "10010004 00010001");
        assertFalse(request(side).flags().enhanced());
        assertEquals("00010001", request(side).privateData().toString());
        side.accept(siwLike(), MS);
        assertEquals(REP + "00010000", sent(side));
    }

    @Test
    void awaitingRequest_revision1_getsARevision1Reply() {
        // RFC 6581 sections 6 [4] and 10 [2, 4, 6]: an unenhanced request gets an unenhanced reply.
        ResponderStartUp side = deciding(REVISION_1);
        assertEquals(512, request(side).maxReplyPrivateDataLength());
        side.accept(siwLike().withDepths(4, 5).withPeerToPeer(PeerToPeer.ANY).withPrivateData(data(1)), MS);
        assertEquals(REP + "0001000100", sent(side));
        Negotiated n = established(side);
        assertEquals(new ReadDepths(4, 5), n.depths());
        assertEquals(ReadDepths.NOT_NEGOTIATED, n.peer().depths());
        assertFalse(n.peerToPeer());
        assertEquals("beef", n.peer().privateData().toString());
    }

    @Test
    void awaitingRequest_revision2WithoutS_getsTheSame() {
        ResponderStartUp side = deciding(REQ + "00020000");
        side.accept(siwLike(), MS);
        assertEquals(REP + "00020000", sent(side));
    }

    @Test
    void awaitingRequest_rBit_isNotLookedAt() {
        // RFC 5044 section 7.1.1 [note]: R means nothing in a request.
        ResponderStartUp side = deciding(REQ + "30020004 00010001");
        side.accept(siwLike(), MS);
        assertEquals(REP + "1002000400010001", sent(side));
    }

    @Test
    void awaitingRequest_malformed_closesWithoutAReplyAndOnlyOnce() {
        // RFC 5044 section 7.1.2 [3, 9, 11, 14]: close TCP, no Reply.
        for (String bytes : new String[] {"47455420", REQ + "10020201", REQ + "10020003", REQ + "00030000"}) {
            ResponderStartUp side = listening();
            feed(side, bytes, MS);
            fault(side);
            assertInstanceOf(StartUpOutcome.Failed.class, side.pollOutcome());
            StartUpOutcome first = side.outcome();
            side.onEndOfStream();
            side.onDeadline(Long.MAX_VALUE / 2);
            side.onLocalError("again");
            assertEquals(0, feed(side, PLAIN, MS));
            assertEquals(first, side.outcome());
            assertInstanceOf(StartUpOutcome.Pending.class, side.pollOutcome(), "each outcome is returned once");
            assertFalse(side.accept(siwLike(), MS));
            assertFalse(side.reject(PrivateData.EMPTY, MS));
        }
    }

    @Test
    void awaitingRequest_reply_isNamed() {
        ResponderStartUp side = listening();
        feed(side, REP + "1002000400010001", MS);
        assertEquals(StartUpFault.REPLY_UNASKED, fault(side));
    }

    @Test
    void awaitingRequest_bytesBehindTheRequest_closeWithoutAReply() {
        // RFC 5044 section 7.1.2, note to rule 2: nothing may be sent before both frames have been exchanged.
        ResponderStartUp side = listening();
        assertEquals(24, feed(side, PLAIN + "00", MS));
        assertEquals(StartUpFault.BYTES_BEFORE_REPLY, fault(side));
    }

    @Test
    void decidingOrReplying_bytes_closeWithoutMore() {
        ResponderStartUp thinking = deciding(PLAIN);
        assertEquals(0, feed(thinking, "00", MS));
        assertEquals(StartUpFault.BYTES_BEFORE_REPLY, fault(thinking));
        assertFalse(thinking.accept(siwLike(), MS));
        ResponderStartUp accepting = deciding(PLAIN);
        accepting.accept(siwLike(), MS);
        accepting.fillTransmit(MemorySegment.ofArray(new byte[20]), 0, 20);
        feed(accepting, "00", MS);
        assertEquals(StartUpFault.BYTES_BEFORE_REPLY, fault(accepting));
        ResponderStartUp rejecting = deciding(PLAIN);
        rejecting.reject(PrivateData.EMPTY, MS);
        feed(rejecting, "00", MS);
        assertEquals(StartUpFault.BYTES_BEFORE_REPLY, fault(rejecting));
    }

    @Test
    void deciding_reject_leavesTheStreamUsable() {
        // RFC 5044 section 7.1.2 [4]: Reply with R, leave MPA, leave TCP open.
        ResponderStartUp side = deciding(PLAIN);
        assertTrue(side.reject(PrivateData.of(hex("6e6f")), MS));
        assertEquals(1001 * MS, side.nextDeadlineNs());
        assertEquals(REP + "30020006000000006e6f", sent(side));
        assertEquals("6e6f", rejected(side).privateData().toString());
        assertEquals(StartUp.NO_DEADLINE, side.nextDeadlineNs());
        assertEquals(0, feed(side, "48656c6c6f", MS), "streaming data is the caller's");
        side.onEndOfStream();
        side.onDeadline(Long.MAX_VALUE / 2);
        rejected(side);
        assertFalse(side.accept(siwLike(), MS));
    }

    @Test
    void deciding_rejectForDepth_namesWhatWasNeeded() {
        // RFC 6581 section 9.1 [MAY]: a rejection may say which ORD the responder needs.
        ResponderStartUp side = deciding(REQ + "50020004 8001 8001");
        side.reject(new ReadDepths(0, 7), PrivateData.EMPTY, MS);
        assertEquals(REP + "70020004" + "c000" + "c007", sent(side));
    }

    @Test
    void decidingOnRevision1_reject_isRevision1() {
        ResponderStartUp side = deciding(REVISION_1);
        side.reject(data(512), MS);
        assertEquals(REP + "20010200" + data(512), sent(side));
    }

    @Test
    void deciding_privateDataTooLong_isMisuseAndChangesNothing() {
        ResponderStartUp side = deciding(PLAIN);
        StartUpOptions tooMuch = siwLike().withEnhanced(false).withPrivateData(data(509));
        assertThrows(IllegalArgumentException.class, () -> side.accept(tooMuch, MS));
        assertThrows(IllegalArgumentException.class, () -> side.reject(data(509), MS));
        assertEquals(ResponderTable.State.DECIDING, side.state());
        assertTrue(side.accept(siwLike().withPrivateData(data(508)), MS));
        assertEquals(REP + "1002020000010001" + data(508), sent(side));
    }

    @Test
    void answerAtTheWrongTime_isMisuse() {
        ResponderStartUp side = listening();
        assertThrows(IllegalStateException.class, () -> side.accept(siwLike(), MS));
        assertThrows(IllegalStateException.class, () -> side.reject(PrivateData.EMPTY, MS));
        assertThrows(IllegalStateException.class, () -> side.start(0));
        feed(side, PLAIN, MS);
        side.accept(siwLike(), MS);
        assertThrows(IllegalStateException.class, () -> side.accept(siwLike(), MS));
        assertThrows(IllegalStateException.class, () -> side.reject(PrivateData.EMPTY, MS));
    }

    @Test
    void deciding_accept_answersDepthsWithinOurLimits() {
        // RFC 6581 section 9.1 [2]: our IRD answers the initiator's ORD, our ORD its IRD; words are IRD, then ORD.
        assertDepths(8, 8, "0002 0003", "00030002", new ReadDepths(3, 2));
        assertDepths(1, 1, "0002 0003", "00010001", new ReadDepths(1, 1));
        assertDepths(8, 8, "0000 0000", "00000000", new ReadDepths(0, 0));
        assertDepths(0, 0, "0002 0003", "00000000", new ReadDepths(0, 0));
        assertDepths(0x3ffe, 0x3ffe, "3ffe 3ffe", "3ffe3ffe", new ReadDepths(0x3ffe, 0x3ffe));
        // RFC 6581 section 9.1 [8, 10]: all ones are answered by all ones and leave our own value unchanged.
        assertDepths(8, 9, "3fff 3fff", "3fff3fff", new ReadDepths(8, 9));
        assertDepths(8, 9, "3fff 0002", "00023fff", new ReadDepths(2, 9));
        assertDepths(8, 9, "0002 3fff", "3fff0002", new ReadDepths(8, 2));
        // Our own upper layer negotiates.
        assertDepths(0x3fff, 0x3fff, "0002 0003", "3fff3fff", ReadDepths.NOT_NEGOTIATED);
    }

    private static void assertDepths(int ird, int ord, String asked, String answered, ReadDepths agreed) {
        ResponderStartUp side = deciding(REQ + "10020004" + asked);
        side.accept(siwLike().withDepths(ird, ord), MS);
        assertEquals(REP + "10020004" + answered, sent(side));
        assertEquals(agreed, established(side).depths());
    }

    @Test
    void deciding_accept_namesOneRtr() {
        // RFC 6581 section 9.2 [4, 5]: A is answered by A and a message that both can do: Write, then Read, then Send.
        assertRtr(PeerToPeer.ANY, 1, "c001 c001", "80018001", RtrKind.WRITE);
        assertRtr(PeerToPeer.ANY, 1, "c001 4001", "80014001", RtrKind.READ);
        assertRtr(PeerToPeer.ANY, 1, "c001 0001", "c0010001", RtrKind.SEND);
        assertRtr(PeerToPeer.of(RtrKind.SEND), 1, "c001 c001", "c0010001", RtrKind.SEND);
        // A responder without a preference supports all of them.
        assertRtr(PeerToPeer.NONE, 1, "8001 4001", "80014001", RtrKind.READ);
        // RFC 6581 section 9.2 [6]: with nothing in common one that the responder can do is named.
        assertRtr(PeerToPeer.of(RtrKind.WRITE), 1, "8001 4001", "80018001", RtrKind.WRITE);
        assertRtr(PeerToPeer.ANY, 1, "8001 0001", "80018001", RtrKind.WRITE);
        // RFC 6581 section 9.1 [MAY]: a Read as RTR raises the IRD from 0 to 1.
        assertRtr(PeerToPeer.ANY, 1, "8001 4000", "80014001", RtrKind.READ);
        // If no Read can be served, another message is named, if there is one.
        assertRtr(PeerToPeer.ANY, 0, "c001 4001", "c0000001", RtrKind.SEND);
        assertRtr(PeerToPeer.of(RtrKind.READ), 0, "c001 4001", "80014001", RtrKind.READ);
    }

    private static void assertRtr(PeerToPeer ours, int ird, String asked, String answered, RtrKind rtr) {
        ResponderStartUp side = deciding(REQ + "10020004" + asked);
        side.accept(siwLike().withDepths(ird, 1).withPeerToPeer(ours), MS);
        assertEquals(REP + "10020004" + answered, sent(side));
        assertEquals(Optional.of(rtr), established(side).rtr());
        assertTrue(established(side).receivesRtrFirst());
        assertTrue(established(side).waitsForFirstFpdu());
        assertFalse(established(side).sendsRtrFirst());
    }

    @Test
    void deciding_clientServerRequest_staysClientServer() {
        // RFC 6581 section 9.2 [11, 12, 13]: A clear in the request is clear in the reply; B, C, D are then ignored.
        ResponderStartUp side = deciding(REQ + "10020004 4001 c001");
        side.accept(siwLike().withPeerToPeer(PeerToPeer.ANY), MS);
        assertEquals(REP + "1002000400010001", sent(side));
        assertFalse(established(side).peerToPeer());
    }

    @Test
    void awaitingRequest_enhancedWhereSwitchedOff_closes() {
        // RFC 6581 section 10 [7]: a responder without the enhanced start-up closes.
        ResponderStartUp side = new ResponderStartUp(new ResponderOptions(false, 10, 10, 10));
        side.start(0);
        feed(side, PLAIN, 1);
        assertEquals(StartUpFault.ENHANCED_NOT_UNDERSTOOD, fault(side));
    }

    @Test
    void awaitingRequest_deadline_findsTwoResponders() {
        // RFC 5044 section 7.1.2, rule 8: waiting for a Request has an end; trickling bytes do not put it off.
        ResponderStartUp side = listening();
        assertEquals(1000 * MS, side.nextDeadlineNs());
        feed(side, REQ, 999 * MS);
        side.onDeadline(1000 * MS - 1);
        assertEquals(ResponderTable.State.AWAITING_REQUEST, side.state());
        side.onDeadline(1000 * MS);
        assertEquals(StartUpFault.TIMED_OUT, fault(side));
        assertTrue(
                failed(side).sentence().contains("both sides are responders"),
                failed(side).sentence());
    }

    @Test
    void deciding_deadline_rejects() {
        ResponderStartUp side = deciding(PLAIN);
        side.onDeadline(1000 * MS);
        assertFalse(side.accept(siwLike(), 1001 * MS), "too late");
        assertEquals(REP + "3002000400000000", sent(side));
        rejected(side);
    }

    @Test
    void replying_deadline_timesOut() {
        ResponderStartUp accepting = deciding(PLAIN);
        accepting.accept(siwLike().withTimeoutNs(5), MS);
        accepting.onDeadline(MS + 5);
        assertEquals(StartUpFault.TIMED_OUT, fault(accepting));
        ResponderStartUp rejecting = deciding(PLAIN);
        rejecting.reject(PrivateData.EMPTY, MS);
        rejecting.onDeadline(1001 * MS);
        assertEquals(StartUpFault.TIMED_OUT, fault(rejecting));
    }

    @Test
    void everyWait_endOfStream_fails() {
        ResponderStartUp idle = new ResponderStartUp(ResponderOptions.defaults());
        ResponderStartUp accepting = deciding(PLAIN);
        accepting.accept(siwLike(), MS);
        ResponderStartUp rejecting = deciding(PLAIN);
        rejecting.reject(PrivateData.EMPTY, MS);
        for (ResponderStartUp side :
                new ResponderStartUp[] {idle, listening(), deciding(PLAIN), accepting, rejecting}) {
            side.onEndOfStream();
            assertEquals(StartUpFault.PEER_CLOSED, fault(side));
            side.onEndOfStream();
            assertFalse(side.reject(PrivateData.EMPTY, MS));
        }
    }

    @Test
    void established_localError_terminates205() {
        // RFC 6581 section 9.3 [1]: an error of our own without a code of its own is a Terminate 2/0/5.
        ResponderStartUp side = deciding(PLAIN);
        side.accept(siwLike(), MS);
        sent(side);
        side.onLocalError("no queue pair");
        assertEquals(StartUpFault.LOCAL_CATASTROPHIC, fault(side));
        assertEquals(
                Optional.of(StartUpTerminate.LOCAL_CATASTROPHIC), failed(side).terminate());
        ResponderStartUp before = deciding(PLAIN);
        before.onLocalError("no queue pair");
        assertTrue(failed(before).terminate().isEmpty());
    }

    @Test
    void start_lastStreamingMessage_goesBeforeTheReply() {
        // RFC 5044 section 7.1.5, point 2: the last streaming message may come with the enabling call.
        ResponderStartUp side = new ResponderStartUp(ResponderOptions.defaults());
        side.start(hex("68656c6c6f"), 0);
        assertEquals(2, side.fillTransmit(MemorySegment.ofArray(new byte[2]), 0, 2));
        feed(side, PLAIN, MS);
        side.accept(siwLike(), MS);
        assertEquals("6c6c6f" + REP + "1002000400010001", sent(side));
        established(side);
    }

    @Test
    void stateDigest_everyStep_differs() {
        ResponderStartUp side = new ResponderStartUp(ResponderOptions.defaults());
        Set<Long> seen = new HashSet<>();
        assertTrue(seen.add(side.stateDigest()));
        side.start(0);
        assertTrue(seen.add(side.stateDigest()));
        for (byte b : hex(PLAIN)) {
            feed(side, new byte[] {b}, MS);
            assertTrue(seen.add(side.stateDigest()));
        }
        side.accept(siwLike(), MS);
        assertTrue(seen.add(side.stateDigest()));
        sent(side);
        assertTrue(seen.add(side.stateDigest()));
    }
}
