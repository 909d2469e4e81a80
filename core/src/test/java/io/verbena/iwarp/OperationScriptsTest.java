package io.verbena.iwarp;

import static io.verbena.iwarp.HandMade.behind;
import static io.verbena.iwarp.HandMade.payload;
import static io.verbena.iwarp.HandMade.readRequest;
import static io.verbena.iwarp.HandMade.send;
import static io.verbena.iwarp.HandMade.untagged;
import static io.verbena.iwarp.HandMade.write;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.TerminateCode;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each operation as a script: the frames that leave for posted work, and the effect of the frames that arrive. */
class OperationScriptsTest {

    private static final int MOST = 1024;
    private static final WrFlags SIGNALLED = WrFlags.SIGNALLED;

    private static byte[] bytesOf(Region region, int offset, int length) {
        return region.segment().asSlice(offset, length).toArray(JAVA_BYTE);
    }

    private static byte[] payloads(int headerLength, List<byte[]> ulpdus) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ulpdus.forEach(ulpdu -> all.writeBytes(behind(headerLength, ulpdu)));
        return all.toByteArray();
    }

    // Writes.

    @ParameterizedTest
    @EnumSource(Framing.class)
    void write_posted_leavesAsOneTaggedMessage(Framing framing) {
        for (int length : new int[] {1, MOST - 1, MOST, MOST + 1, 3000}) {
            Victim v = Victim.initiator(framing);
            v.end.post(
                    WorkOpcode.WRITE,
                    w -> w.wrId(1).rkey(0x99).remoteAddress(0x1_0000_0005L).addElement(v.open.localKey(), 3, length));
            List<byte[]> sent = v.sentUlpdus();
            List<String> expected = new ArrayList<>();
            for (int at = 0; at < length; at += MOST) {
                boolean last = at + MOST >= length;
                // RFC 5040 sections 5.1 [1, 2] and 4.1 [1, 4, 10]: tagged, its opcode in the octet after DDP's. RFC
                // 5041 sections 5.2 [1, 2, 7, 8], 4.1 [1, 3, 4, 5], 4.2 [2, 4, 5, 7, 9, 10, 11] and 4.4 [1]: cut into
                // segments of at most MULPDU, L in the last one only, STag and opcode the same in all, TO going on.
                expected.add("Write" + (last ? " last" : "") + " stag=0x00000099 to=0x"
                        + Long.toHexString(0x1_0000_0005L + at) + " len=" + Math.min(MOST, length - at));
            }
            assertEquals(expected, sent.stream().map(HandMade::line).toList());
            // RFC 5041 section 5.2 [4], RFC 5044 sections 3 [1] and 4.3 [1]: all of the data, a segment an FPDU, with
            // markers where they are required.
            assertArrayEquals(bytesOf(v.open, 3, length), payloads(DdpTagged.LENGTH, sent));
            assertEquals(List.of("1 WRITE SUCCESS " + length), v.end.completions());
        }
    }

    @Test
    void writes_posted_leaveInOrderEachToItsOneBuffer() {
        Victim v = Victim.initiator(Framing.CRC);
        for (int i = 1; i <= 3; i++) {
            int id = i;
            v.end.post(
                    WorkOpcode.WRITE,
                    w -> w.wrId(id).rkey(id).addElement(v.open.localKey(), 0, 4).addElement(v.open.localKey(), 100, 4));
        }
        // RFC 5040 sections 5.1 [4, 5] and 5.5 [4, 6], RFC 5041 section 5.3 [1].
        assertEquals(
                List.of(
                        "Write last stag=0x00000001 to=0x0 len=8",
                        "Write last stag=0x00000002 to=0x0 len=8",
                        "Write last stag=0x00000003 to=0x0 len=8"),
                v.sent());
        assertEquals(List.of("1 WRITE SUCCESS 8", "2 WRITE SUCCESS 8", "3 WRITE SUCCESS 8"), v.end.completions());
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void write_arrives_isPlacedWithoutCompletion(Framing framing) {
        Victim v = Victim.responder(framing);
        v.postReceive(7, 0, 100);
        long to = v.open.baseAddress() + 1000;
        v.peer.add(write(false, v.open.rkey(), to, payload(200)), write(true, v.open.rkey(), to + 200, payload(100)));
        v.give(31);
        v.expect(v.open, 1000, payload(200));
        v.expect(v.open, 1200, payload(100));
        // RFC 5041 section 5.2 [5], RFC 5040 section 5.1 [3]: placed, without a completion for the application.
        v.assertMemory();
        assertEquals(List.of(), v.end.completions());
        assertEquals(List.of(), v.sent());
    }

    // Reads.

    @Test
    void reads_posted_leaveAsRequestsOnQueueOne() {
        Victim v = Victim.initiator(Framing.CRC);
        for (int i = 0; i < 3; i++) {
            int id = i;
            v.end.post(
                    WorkOpcode.READ,
                    w -> w.wrId(id)
                            .rkey(0x70 + id)
                            .remoteAddress(0x500 + id)
                            .addElement(v.inbox.localKey(), id * 100L, 10 + id)
                            .addElement(v.inbox.localKey(), id * 100 + 50, 5));
        }
        List<byte[]> sent = v.sentUlpdus();
        // RFC 5040 sections 5.2 [1] and 5.2.1 [1, 2, 3, 6, 7, 8, 10, 11]: one untagged message on queue 1 a Read, one
        // remote buffer each, in the order they were posted.
        assertEquals(
                List.of(
                        "ReadRequest last msn=1 mo=0 len=28",
                        "ReadRequest last msn=2 mo=0 len=28",
                        "ReadRequest last msn=3 mo=0 len=28"),
                sent.stream().map(HandMade::line).toList());
        List<Sink> sinks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ReadRequest header = HandMade.readRequestOf(sent.get(i));
            assertEquals(0x70 + i, header.srcStag());
            assertEquals(0x500 + i, header.srcTo());
            assertEquals(15 + i, header.rdmardsz());
            sinks.add(Sink.of(sent.get(i)));
        }
        assertEquals(3, sinks.stream().map(Sink::to).distinct().count());
        assertEquals(List.of(), v.end.completions());
        for (Sink sink : sinks) {
            v.peer.add(sink.answer());
        }
        v.give(11);
        // RFC 5040 sections 5.2.2 [4] and 5.5 [2, 9, 11]: the answer completes the Read, and nothing else is needed.
        assertEquals(List.of("0 READ SUCCESS 15", "1 READ SUCCESS 16", "2 READ SUCCESS 17"), v.end.completions());
        for (int i = 0; i < 3; i++) {
            v.expect(v.inbox, i * 100L, Arrays.copyOf(payload(15 + i), 10 + i));
            v.expect(v.inbox, i * 100 + 50, Arrays.copyOfRange(payload(15 + i), 10 + i, 15 + i));
        }
        v.assertMemory();
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void readRequests_arrive_areAnsweredInOrderWithoutCompletion(Framing framing) {
        Victim v = Victim.responder(framing);
        v.postReceive(7, 0, 100);
        long from = v.readable.baseAddress();
        int key = v.readable.rkey();
        // RFC 5040 sections 5.2.2 [3] and 6.1 [2]: as many as were agreed, at once.
        v.peer.add(readRequest(1, 0x51, 7, 1500, key, from + 3), readRequest(2, 0x52, -1, 0, 0, 99));
        v.peer.add(readRequest(3, 0x53, 1L << 40, 20, v.open.rkey(), v.open.baseAddress()));
        v.peer.add(readRequest(4, 0x51, 0, 1, key, from + Victim.BYTES - 1));
        v.give(23);
        List<byte[]> sent = v.sentUlpdus();
        // RFC 5040 sections 4.4 [2], 5.2.1 [4, 9, 12, 13, 14, 15], 5.2.2 [1, 2, 5, 6] and 5.5 [10]: tagged, one each,
        // to the sink that was named, in the order they were asked for.
        assertEquals(
                List.of(
                        "ReadResponse stag=0x00000051 to=0x7 len=1024",
                        "ReadResponse last stag=0x00000051 to=0x407 len=476",
                        "ReadResponse last stag=0x00000052 to=0xffffffffffffffff len=0",
                        "ReadResponse last stag=0x00000053 to=0x10000000000 len=20",
                        "ReadResponse last stag=0x00000051 to=0x0 len=1"),
                sent.stream().map(HandMade::line).toList());
        assertArrayEquals(bytesOf(v.readable, 3, 1500), payloads(DdpTagged.LENGTH, sent.subList(0, 2)));
        assertArrayEquals(bytesOf(v.open, 0, 20), payloads(DdpTagged.LENGTH, sent.subList(3, 4)));
        assertArrayEquals(bytesOf(v.readable, Victim.BYTES - 1, 1), payloads(DdpTagged.LENGTH, sent.subList(4, 5)));
        // RFC 5040 section 5.2.1 [5]: the application is not shown any of it.
        assertEquals(List.of(), v.end.completions());
        v.assertMemory();
        // What was answered has given its place back.
        v.peer.add(readRequest(5, 0x51, 0, 1, key, from));
        v.give();
        assertEquals(1, v.sent().size());
    }

    @Test
    void readRequest_notAllHereOrBehindAHole_isNotWorkedOn() {
        Victim v = Victim.responder(Framing.CRC);
        v.peer.add(write(true, 0, 0));
        v.give();
        v.peer.add(readRequest(1, 0x51, 7, 4, v.open.rkey(), v.open.baseAddress()));
        v.peer.add(readRequest(2, 0x51, 7, 0, 0, 0));
        byte[] two = v.peer.bytes();
        int begin = (int) v.end.stream.nextOffset();
        int each = (two.length - begin) / 2;
        v.segment(begin, begin + 20);
        v.segment(begin + each, two.length);
        assertEquals(two.length, v.end.stream.takenTo(), "the second is taken before the first is here");
        // RFC 5040 section 5.5 [3, 8]: nothing is read before the Request is delivered, an empty one neither.
        assertEquals(List.of(), v.sent());
        v.segment(begin + 20, begin + each - 1);
        assertEquals(List.of(), v.sent());
        v.segment(begin + each - 1, begin + each);
        assertEquals(2, v.sent().size());
    }

    // Sends.

    @Test
    void sends_posted_leaveOnQueueZeroWithTheirNumbers() {
        Victim v = Victim.initiator(Framing.CRC_AND_MARKERS);
        WrFlags solicited = SIGNALLED.withSolicited();
        v.postSend(1, SIGNALLED, 1025);
        v.postSend(2, solicited, 5);
        v.end.post(WorkOpcode.SEND_WITH_INVALIDATE, w -> w.wrId(3).rkey(0xabcd).addElement(v.open.localKey(), 0, 6));
        v.end.post(
                WorkOpcode.SEND_WITH_INVALIDATE,
                solicited,
                w -> w.wrId(4).rkey(-2).addElement(v.open.localKey(), 0, 2000));
        v.postSend(5, SIGNALLED, 0);
        List<byte[]> sent = v.sentUlpdus();
        // RFC 5040 sections 5.3 [1, 2, 5, 6, 8, 9] and 4.1 [3]: untagged, queue 0, in order; invalidating ones name
        // the key. RFC 5041 sections 4.1 [2, 6], 4.3 [2, 4, 5, 6, 7, 8, 9, 11, 12, 13] and 5.2 [6]: MSN from one on,
        // the same in all segments of a message; MO from zero on, and highest in the last one.
        assertEquals(
                List.of(
                        "Send msn=1 mo=0 len=1024",
                        "Send last msn=1 mo=1024 len=1",
                        "Send SE last msn=2 mo=0 len=5",
                        "Send Inv 0x0000abcd last msn=3 mo=0 len=6",
                        "Send SE Inv 0xfffffffe msn=4 mo=0 len=1024",
                        "Send SE Inv 0xfffffffe last msn=4 mo=1024 len=976",
                        "Send last msn=5 mo=0 len=0"),
                sent.stream().map(HandMade::line).toList());
        for (byte[] ulpdu : sent) {
            boolean invalidates = (ulpdu[1] & 0xf) == 4 || (ulpdu[1] & 0xf) == 6;
            // RFC 5040 section 4.1 [11, 12]: the field goes out as zero where it means nothing.
            assertEquals(invalidates, !Arrays.equals(new byte[4], Arrays.copyOfRange(ulpdu, 2, 6)));
            // RFC 5041 section 4.1 [10, 11]: one version, always.
            assertEquals(1, ulpdu[0] & 3);
        }
        assertArrayEquals(bytesOf(v.open, 0, 1025), payloads(DdpUntagged.LENGTH, sent.subList(0, 2)));
        assertEquals(5, v.end.completions().size());
    }

    @Test
    void send_framedButNotGone_isNotComplete() {
        Victim v = Victim.initiator(Framing.CRC);
        v.postSend(1, SIGNALLED, 2000);
        v.end.stream.fillTransmit(v.end.list, 1 << 20, 0);
        assertEquals(2, v.end.list.units());
        v.end.stream.onTransmitted(v.end.list, 1, false, 0);
        // RFC 5040 section 5.5 [5]: complete when the last of it has been taken.
        assertEquals(List.of(), v.end.completions());
        v.end.list.reset();
        v.end.stream.fillTransmit(v.end.list, 1 << 20, 0);
        v.end.stream.onTransmitted(v.end.list, 1, false, 0);
        assertEquals(List.of("1 SEND SUCCESS 2000"), v.end.completions());
    }

    @Test
    void send_lastUnitLeftInPart_completesWhenItsTailHasLeft() {
        Victim v = Victim.initiator(Framing.CRC);
        v.postSend(1, SIGNALLED, 100);
        v.postSend(2, SIGNALLED, 200);
        v.end.stream.fillTransmit(v.end.list, 1 << 20, 0);
        long before = v.end.stream.stateDigest();
        v.end.stream.onTransmitted(v.end.list, 2, true, 0);
        assertEquals(List.of("1 SEND SUCCESS 100"), v.end.completions());
        long waiting = v.end.stream.stateDigest();
        assertNotEquals(before, waiting);
        v.end.stream.onTailLeft(5);
        assertEquals(List.of("2 SEND SUCCESS 200"), v.end.completions());
        assertNotEquals(waiting, v.end.stream.stateDigest());
    }

    @Test
    void send_tailNeverLeaves_isNotASuccess() {
        Victim v = Victim.initiator(Framing.CRC);
        v.postSend(1, SIGNALLED, 100);
        v.end.stream.fillTransmit(v.end.list, 1 << 20, 0);
        v.end.stream.onTransmitted(v.end.list, 1, true, 0);
        v.end.stream.onBroken("The connection broke: reset.", 5);
        assertEquals(List.of("1 SEND CONNECTION_LOST 100"), v.flushed());
    }

    @Test
    void firstUnitOfSeveral_leftInPart_earlierWorkCompletes() {
        Victim v = Victim.initiator(Framing.CRC);
        v.postSend(1, SIGNALLED, 100);
        v.postSend(2, SIGNALLED, 2000);
        v.end.stream.fillTransmit(v.end.list, 1 << 20, 0);
        v.end.stream.onTransmitted(v.end.list, 2, true, 0);
        assertEquals(List.of("1 SEND SUCCESS 100"), v.end.completions());
        v.end.stream.onTailLeft(1);
        v.end.list.reset();
        v.end.stream.fillTransmit(v.end.list, 1 << 20, 1);
        v.end.stream.onTransmitted(v.end.list, 1, false, 1);
        assertEquals(List.of("2 SEND SUCCESS 2000"), v.end.completions());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 10_000})
    void sends_arrive_takeAReceiveEachInOrder(int piece) {
        Victim v = Victim.responder(Framing.CRC);
        int key = v.end.region(8).rkey();
        for (int i = 0; i < 6; i++) {
            v.postReceive(100 + i, i * 100, 90);
        }
        v.peer.add(send(false, 1, 0, payload(50)), send(false, 1, 50), send(true, 1, 50, payload(10)));
        v.peer.add(send(true, 2, 0), untagged(RdmapOpcode.SEND_SE, true, 3, 0, payload(90)));
        v.peer.add(HandMade.sendInvalidate(4, key, payload(3)));
        v.give(piece);
        // RFC 5040 sections 5.3 [3, 4, 7] and 5.5 [1, 7], RFC 5041 sections 4.1 [8], 4.3 [3] and 5.4 [5, 6]: one
        // receive each, in order; length, solicited flag and key come with them.
        assertEquals(
                List.of(
                        "100 RECEIVE SUCCESS 60",
                        "101 RECEIVE SUCCESS 0",
                        "102 RECEIVE SUCCESS 90 solicited",
                        "103 RECEIVE SUCCESS 3 invalidated"),
                v.end.completions());
        v.expect(v.inbox, 0, payload(50));
        v.expect(v.inbox, 50, payload(10));
        v.expect(v.inbox, 200, payload(90));
        v.expect(v.inbox, 300, payload(3));
        v.assertMemory();
        // RFC 5040 section 5.3 [10, 11]: the key is invalid when the Send completes.
        v.peer.add(write(true, key, 0, payload(1)));
        v.give();
        v.assertTerminates(TerminateCode.DDP_TAGGED_INVALID_STAG);
    }

    @Test
    void sendAndWrite_interleaved_areDeliveredInOrder() {
        Victim v = Victim.responder(Framing.PLAIN);
        v.postReceive(7, 0, 90);
        v.peer.add(send(false, 1, 0, payload(50)), write(true, v.open.rkey(), v.open.baseAddress(), payload(8)));
        v.give();
        v.expect(v.inbox, 0, payload(50));
        v.expect(v.open, 0, payload(8));
        v.assertMemory();
        // RFC 5041 sections 4.1 [7] and 5.4 [1, 2]: not before all of it, the last segment, is here.
        assertEquals(List.of(), v.end.completions());
        v.peer.add(send(true, 1, 50));
        v.give();
        assertEquals(List.of("7 RECEIVE SUCCESS 50"), v.end.completions());
    }

    // What RDMAP does not look at.

    @Test
    void reservedBitsAndTheInvalidateField_areIgnoredWhereTheyMeanNothing() {
        Victim v = Victim.responder(Framing.CRC);
        v.postReceive(7, 0, 90);
        byte[] odd = send(true, 1, 0, payload(5));
        odd[0] |= 0x3c;
        odd[1] |= 0x30;
        odd[5] = 9;
        v.peer.add(odd);
        v.give();
        // RFC 5041 section 4.1 [9], RFC 5040 section 4.1 [9, 12].
        assertEquals(List.of("7 RECEIVE SUCCESS 5"), v.end.completions());
    }

    // Ends.

    @Test
    void terminate_leavesOnQueueTwoAndIsTheLastWord() {
        Victim v = Victim.initiator(Framing.CRC);
        v.end.post(WorkOpcode.WRITE, w -> w.wrId(1).rkey(5).addElement(v.open.localKey(), 0, 4000));
        v.end.list.reset();
        v.end.stream.fillTransmit(v.end.list, 1500, 0);
        v.end.stream.onTransmitted(v.end.list, 1, false, 0);
        v.peer.add(readRequest(1, 5, 0, 8, v.open.rkey(), v.open.baseAddress()), write(true, 5, 0, payload(5)));
        v.give();
        List<String> sent = v.sentNow();
        // RFC 5040 section 5.4 [1, 2, 3, 4, 8]: untagged, queue 2, the first and only message on it, between two
        // segments of another message if need be; neither the rest of that nor an answer follows.
        assertEquals(List.of("Terminate last msn=1 mo=0 len=20: DDP_TAGGED_INVALID_STAG"), sent);
        assertTrue(v.end.finSent);
        assertEquals(List.of(), v.sentNow());
        assertEquals(List.of("1 WRITE PROTOCOL 4000"), v.flushed());
    }

    @Test
    void disconnect_workPosted_leavesFirst() {
        Victim v = Victim.initiator(Framing.CRC);
        Sink sink = v.read(1, 0, 8);
        v.postSend(2, SIGNALLED, 4);
        v.end.stream.disconnect(0);
        assertEquals(List.of("Send last msn=1 mo=0 len=4"), v.sent());
        assertTrue(!v.end.finSent, "a Read is not answered");
        v.peer.add(sink.answer());
        v.give();
        assertEquals(List.of(), v.sent());
        assertTrue(v.end.finSent);
        // RFC 5041 section 3 [10, 11]: a graceful end is reported as such.
        v.end.stream.onEndOfStream(0);
        assertEquals(Ending.Kind.GRACEFUL, v.ending().kind());
        assertEquals(List.of("1 READ SUCCESS 8", "2 SEND SUCCESS 4"), v.flushed());
    }
}
