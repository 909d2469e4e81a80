package io.verbena.iwarp;

import static io.verbena.iwarp.HandMade.behind;
import static io.verbena.iwarp.HandMade.fetchAdd;
import static io.verbena.iwarp.HandMade.payload;
import static io.verbena.iwarp.HandMade.readRequest;
import static io.verbena.iwarp.HandMade.send;
import static io.verbena.iwarp.HandMade.untagged;
import static io.verbena.iwarp.HandMade.write;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.AtomicOpcode;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.AtomicResponse;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The extensions of RFC 7306 as scripts: atomics and immediate data. */
class ExtensionScriptsTest {

    private static AtomicRequest requestOf(byte[] ulpdu) {
        return new AtomicRequest().wrap(MemorySegment.ofArray(ulpdu), DdpUntagged.LENGTH);
    }

    private static AtomicResponse responseOf(byte[] ulpdu) {
        return new AtomicResponse().wrap(MemorySegment.ofArray(ulpdu), DdpUntagged.LENGTH);
    }

    private static void set(Victim v, long offset, long value) {
        v.open.segment().set(JAVA_LONG, offset, value);
        expectWord(v, v.open, offset, value);
    }

    private static void expectWord(Victim v, Region region, long offset, long value) {
        v.expect(
                region,
                offset,
                ByteBuffer.allocate(8)
                        .order(ByteOrder.nativeOrder())
                        .putLong(value)
                        .array());
    }

    private static void postAdd(Victim v, long id, int sink, long addend) {
        v.end.post(
                WorkOpcode.FETCH_AND_ADD,
                w -> w.wrId(id)
                        .rkey(0x70)
                        .remoteAddress(0x500)
                        .operand1(addend)
                        .addElement(v.inbox.localKey(), sink, 8));
    }

    // Atomics.

    @Test
    void atomicsAndReads_posted_leaveOnQueueOneInOrder() {
        Victim v = Victim.initiator(Framing.CRC);
        postAdd(v, 1, 0, -3);
        v.postRead(2, 8, 8);
        v.end.post(
                WorkOpcode.COMPARE_AND_SWAP,
                w -> w.wrId(3)
                        .rkey(-5)
                        .remoteAddress(0x508)
                        .operand1(6)
                        .operand2(7)
                        .addElement(v.inbox.localKey(), 16, 8));
        List<byte[]> sent = v.sentUlpdus();
        // RFC 7306 sections 5.2 [1] and 5.2.1 [3, 4, 5, 9, 10, 11]: untagged, on the queue of Read Requests, in order
        // with them. RFC 7306 section 4.1 [1, 2, 3]: version, opcode, and a field that stays zero.
        assertEquals(
                List.of(
                        "AtomicRequest last msn=1 mo=0 len=52",
                        "ReadRequest last msn=2 mo=0 len=28",
                        "AtomicRequest last msn=3 mo=0 len=52"),
                sent.stream().map(HandMade::line).toList());
        assertEquals(0x4a, sent.getFirst()[1]);
        assertEquals(0, ByteBuffer.wrap(sent.getFirst()).getInt(2));
        AtomicRequest add = requestOf(sent.getFirst());
        assertEquals(AtomicOpcode.FETCH_ADD, add.aOpCode());
        assertEquals(
                "112 1280 -3 0",
                add.remoteStag() + " " + add.remoteTo() + " " + add.addOrSwapData() + " " + add.addOrSwapMask());
        AtomicRequest swap = requestOf(sent.getLast());
        assertEquals(AtomicOpcode.CMP_SWAP, swap.aOpCode());
        assertEquals(
                "-5 1288 7 -1 6 -1",
                swap.remoteStag() + " " + swap.remoteTo() + " " + swap.addOrSwapData() + " " + swap.addOrSwapMask()
                        + " " + swap.compareData() + " " + swap.compareMask());
    }

    @Test
    void atomicResponse_itsNumberSkipsOne_terminates() {
        Victim v = Victim.initiator(Framing.CRC);
        postAdd(v, 0, 0, 1);
        int identifier = requestOf(v.sentUlpdus().getFirst()).requestIdentifier();
        v.peer.add(HandMade.atomicResponse(2, identifier, 5));
        v.give();
        // RFC 5041 section 7.1 [2]: the first message on queue 3 has number 1, whatever request it answers.
        v.assertTerminates(TerminateCode.DDP_UNTAGGED_MSN_RANGE);
        assertEquals(List.of("0 FETCH_AND_ADD PROTOCOL 8"), v.flushed());
        v.assertMemory();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 6, 1000})
    void atomicResponses_arrive_completeTheirAtomics(int piece) {
        Victim v = Victim.initiator(Framing.CRC);
        List<Integer> identifiers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            postAdd(v, i, i * 8, 1);
        }
        v.sentUlpdus().forEach(request -> identifiers.add(requestOf(request).requestIdentifier()));
        // RFC 5040 sections 6.1 [3, 4], RFC 7306 section 5.2.2 [6]: all that were agreed are accepted, and no more at a
        // time.
        assertEquals(4, identifiers.size());
        v.peer.add(HandMade.atomicResponse(1, identifiers.getFirst(), -7));
        v.give(v.left() - 1, piece);
        // RFC 7306 section 5.4 [1, 5]: not before the whole Response is delivered.
        assertEquals(List.of(), v.end.completions());
        v.give();
        // RFC 7306 section 5.2.2 [1, 7]: it uses queue 3, and the application gets a completion.
        assertEquals(List.of("0 FETCH_AND_ADD SUCCESS 8"), v.end.completions());
        identifiers.add(requestOf(v.sentUlpdus().getFirst()).requestIdentifier());
        for (int i = 1; i < 5; i++) {
            v.peer.add(HandMade.atomicResponse(i + 1, identifiers.get(i), 100 + i));
        }
        v.give(piece);
        assertEquals(4, v.end.completions().size());
        expectWord(v, v.inbox, 0, -7);
        for (int i = 1; i < 5; i++) {
            expectWord(v, v.inbox, i * 8L, 100 + i);
        }
        v.assertMemory();
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void atomicRequests_arrive_areDoneAndAnsweredInOrder(Framing framing) {
        Victim v = Victim.responder(framing);
        v.postReceive(7, 0, 90);
        set(v, 8, 40);
        long to = v.open.baseAddress() + 8;
        int key = v.open.rkey();
        v.peer.add(fetchAdd(1, key, to, 2), readRequest(2, 0x51, 0, 8, key, to));
        v.peer.add(HandMade.atomicRequest(
                3,
                AtomicOpcode.CMP_SWAP,
                r -> r.requestIdentifier(0x7777)
                        .remoteStag(key)
                        .remoteTo(to)
                        .compareData(42)
                        .compareMask(-1)
                        .addOrSwapData(-5)
                        .addOrSwapMask(-1)));
        v.peer.add(fetchAdd(4, key, to, 1));
        v.give(19);
        // RFC 7306 sections 5.2.1 [6, 7, 12] and 5.4 [6]: executed in order, without a completion for the application.
        assertEquals(List.of(), v.end.completions());
        expectWord(v, v.open, 8, -4);
        v.assertMemory();
        List<byte[]> sent = v.sentUlpdus();
        // RFC 7306 sections 5 [3], 5.2 [2], 5.2.1 [13], 5.2.2 [2, 3, 4, 5, 8] and 5.4 [7]: untagged, on queue 3 with
        // numbers of its own, in the order of the Requests.
        assertEquals(
                List.of(
                        "AtomicResponse last msn=1 mo=0 len=12", "ReadResponse last stag=0x00000051 to=0x0 len=8",
                        "AtomicResponse last msn=2 mo=0 len=12", "AtomicResponse last msn=3 mo=0 len=12"),
                sent.stream().map(HandMade::line).toList());
        assertEquals(40, responseOf(sent.get(0)).originalRemoteDataValue());
        assertEquals(1, responseOf(sent.get(0)).originalRequestIdentifier());
        assertEquals(42, responseOf(sent.get(2)).originalRemoteDataValue());
        assertEquals(0x7777, responseOf(sent.get(2)).originalRequestIdentifier());
        assertEquals(-5, responseOf(sent.get(3)).originalRemoteDataValue());
    }

    @Test
    void atomicRequests_withMasks_touchTheirBitsOnly() {
        Victim v = Victim.responder(Framing.CRC);
        long at = v.open.baseAddress();
        int key = v.open.rkey();
        long was = 0x1111_2222_3333_ffffL;
        set(v, 0, was);
        set(v, 8, was);
        set(v, 16, was);
        // RFC 7306 sections 5 [1, 2], 5.1.2 [1] and 5.2.1 [1]: both operations, by bits of the mask, on one word.
        v.peer.add(HandMade.atomicRequest(
                1,
                AtomicOpcode.CMP_SWAP,
                r -> r.remoteStag(key)
                        .remoteTo(at)
                        .compareData(0x2222_0000_0000L)
                        .compareMask(0xffff_0000_0000L)
                        .addOrSwapData(-1)
                        .addOrSwapMask(0xffff_0000L)));
        v.peer.add(HandMade.atomicRequest(
                2,
                AtomicOpcode.CMP_SWAP,
                r -> r.remoteStag(key)
                        .remoteTo(at + 8)
                        .compareData(0x2223_0000_0000L)
                        .compareMask(0xffff_0000_0000L)
                        .addOrSwapData(-1)
                        .addOrSwapMask(-1)));
        // Two fields of 32 bits: no carry from one to the other.
        v.peer.add(HandMade.atomicRequest(
                3,
                AtomicOpcode.FETCH_ADD,
                r -> r.remoteStag(key)
                        .remoteTo(at + 16)
                        .addOrSwapData(0x1_cccc_0001L)
                        .addOrSwapMask(0x8000_0000_8000_0000L)));
        v.give();
        expectWord(v, v.open, 0, 0x1111_2222_ffff_ffffL);
        expectWord(v, v.open, 16, 0x1111_2223_0000_0000L);
        v.assertMemory();
        v.sentUlpdus()
                .forEach(response -> assertEquals(was, responseOf(response).originalRemoteDataValue()));
    }

    @Test
    void atomicRequest_behindAHole_isNotDone() {
        Victim v = Victim.responder(Framing.CRC_AND_MARKERS);
        set(v, 0, 5);
        v.peer.add(write(true, v.open.rkey(), v.open.baseAddress() + 100, payload(480)));
        int hole = v.peer.bytes().length;
        v.peer.add(fetchAdd(1, v.open.rkey(), v.open.baseAddress(), 1));
        int end = v.peer.bytes().length;
        v.segment(hole, end);
        assertEquals(end, v.end.stream.takenTo(), "it is here");
        // RFC 7306 section 5.4 [3, 4]: neither done nor answered before it is delivered.
        v.assertMemory();
        assertFalse(v.end.stream.hasTransmitWork(0));
        // RFC 5041 section 3 [5, 13], RFC 5044 section 1.2 [1]: in its turn when the gap has closed, and only once.
        v.segment(0, hole);
        v.segment(hole, end);
        v.expect(v.open, 100, payload(480));
        expectWord(v, v.open, 0, 6);
        v.assertMemory();
        assertEquals(1, v.sent().size());
    }

    @Test
    void atomicRequest_inPieces_isDoneOnceAndWithTheLastByte() {
        Victim v = Victim.responder(Framing.PLAIN);
        set(v, 0, 5);
        v.peer.add(fetchAdd(1, v.open.rkey(), v.open.baseAddress(), 1));
        v.give(v.left() - 1, 1);
        v.assertMemory();
        v.give();
        expectWord(v, v.open, 0, 6);
        v.assertMemory();
    }

    @Test
    void atomicResult_sinkNotRegisteredAnyMore_failsLocally() {
        Victim v = Victim.initiator(Framing.CRC);
        postAdd(v, 1, 0, 1);
        v.sent();
        v.end.regions.deregister(v.inbox);
        v.peer.add(HandMade.atomicResponse(1, 1, 9));
        v.give();
        v.assertTerminates(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        v.assertMemory();
        assertEquals(List.of("1 FETCH_AND_ADD LOCAL_PROTECTION 8"), v.flushed());
    }

    // Immediate data.

    @ParameterizedTest
    @EnumSource(Framing.class)
    void immediates_posted_leaveOnQueueZeroInOrder(Framing framing) {
        Victim v = Victim.initiator(framing);
        WrFlags solicited = WrFlags.SIGNALLED.withSolicited();
        v.postSend(1, WrFlags.SIGNALLED, 3);
        v.end.post(WorkOpcode.SEND_WITH_IMMEDIATE, w -> w.wrId(2).operand1(0x0102030405060708L));
        v.end.post(
                WorkOpcode.WRITE_WITH_IMMEDIATE,
                solicited,
                w -> w.wrId(3).rkey(9).operand1(-2).addElement(v.open.localKey(), 0, 1500));
        v.postSend(4, WrFlags.SIGNALLED, 3);
        List<byte[]> sent = v.sentUlpdus();
        // RFC 7306 section 6.3 [1, 2, 5, 6, 7]: untagged, queue 0 with the Sends, eight octets, in the order of
        // posting.
        assertEquals(
                List.of(
                        "Send last msn=1 mo=0 len=3", "Immediate last msn=2 mo=0 len=8",
                        "Write stag=0x00000009 to=0x0 len=1024", "Write last stag=0x00000009 to=0x400 len=476",
                        "Immediate SE last msn=3 mo=0 len=8", "Send last msn=4 mo=0 len=3"),
                sent.stream().map(HandMade::line).toList());
        assertEquals(
                0x0102030405060708L,
                ByteBuffer.wrap(behind(DdpUntagged.LENGTH, sent.get(1))).getLong());
        assertEquals(
                -2, ByteBuffer.wrap(behind(DdpUntagged.LENGTH, sent.get(4))).getLong());
        assertEquals(
                List.of("1 SEND SUCCESS 3", "2 SEND SUCCESS 0", "3 WRITE SUCCESS 1500", "4 SEND SUCCESS 3"),
                v.end.completions());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 10_000})
    void immediates_arrive_takeAReceiveEachInOrder(int piece) {
        Victim v = Victim.responder(Framing.CRC);
        for (int i = 0; i < 5; i++) {
            v.postReceive(100 + i, i * 100, i == 1 ? 0 : 90);
        }
        byte[] five = ByteBuffer.allocate(8).putLong(5).array();
        long to = v.open.baseAddress();
        v.peer.add(send(true, 1, 0, payload(4)), untagged(RdmapOpcode.IMMEDIATE, true, 2, 0, five));
        v.peer.add(write(false, v.open.rkey(), to, payload(40)), write(true, v.open.rkey(), to + 40, payload(2)));
        v.peer.add(untagged(RdmapOpcode.IMMEDIATE_SE, true, 3, 0, five), send(true, 4, 0, payload(1)));
        v.peer.add(untagged(RdmapOpcode.IMMEDIATE, true, 5, 0, five));
        v.give(piece);
        // RFC 7306 section 6.3 [3, 4]: one receive each, in the order they were sent, among the Sends.
        assertEquals(
                List.of(
                        "100 RECEIVE SUCCESS 4",
                        "101 RECEIVE_IMMEDIATE SUCCESS 0 imm=5",
                        "102 RECEIVE_WRITE_IMMEDIATE SUCCESS 42 imm=5 solicited",
                        "103 RECEIVE SUCCESS 1",
                        "104 RECEIVE_IMMEDIATE SUCCESS 0 imm=5"),
                v.end.completions());
        v.expect(v.inbox, 0, payload(4));
        v.expect(v.inbox, 300, payload(1));
        v.expect(v.open, 0, payload(40));
        v.expect(v.open, 40, payload(2));
        v.assertMemory();
        assertTrue(v.end.stream.ending().isEmpty());
    }
}
