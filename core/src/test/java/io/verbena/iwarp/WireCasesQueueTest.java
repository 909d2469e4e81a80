package io.verbena.iwarp;

import static io.verbena.iwarp.HandMade.payload;
import static io.verbena.iwarp.HandMade.readRequest;
import static io.verbena.iwarp.HandMade.send;
import static io.verbena.iwarp.HandMade.untagged;
import static io.verbena.iwarp.HandMade.write;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of {@link WireCasesTest} that are about queues: depths, fences, flags, ends. */
class WireCasesQueueTest {

    private static final WrFlags SIGNALLED = WrFlags.SIGNALLED;

    private static Victim withDepths(boolean initiator, int inbound, int outbound, Optional<RtrKind> rtr) {
        return new Victim(Framing.PLAIN, initiator, inbound, outbound, rtr);
    }

    // Depths.

    // No Reads may be sent.
    @ParameterizedTest
    @EnumSource(
            value = WorkOpcode.class,
            names = {"READ", "READ_WITH_INVALIDATE", "COMPARE_AND_SWAP", "FETCH_AND_ADD"})
    void outboundDepthZero_readPosted_failsAndTerminatesLocally(WorkOpcode opcode) {
        Victim v = withDepths(true, 4, 0, Optional.empty());
        v.postReceive(7, 0, 100);
        v.postSend(1, SIGNALLED, 8);
        v.end.post(opcode, w -> w.wrId(2).addElement(v.inbox.localKey(), 0, 8));
        v.postSend(3, SIGNALLED, 8);
        v.end.list.reset();
        v.end.stream.fillTransmit(v.end.list, 64 * 1024, 0);
        assertTrue(v.end.stream.ending().isEmpty(), "what is before it has not left");
        assertEquals(List.of("Send last msn=1 mo=0 len=8"), v.sent());
        List<byte[]> sent = v.sentUlpdus();
        assertEquals(1, sent.size());
        // RFC 5040 section 7.1 [2], RFC 7306 section 8.1 [1]: instead of the message a Terminate, without headers.
        Terminate terminate = HandMade.terminateOf(sent.getLast());
        assertEquals(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, terminate.code());
        assertFalse(terminate.m() || terminate.d() || terminate.r());
        assertEquals(18 + Terminate.LENGTH, sent.getLast().length);
        List<String> completions = v.flushed();
        assertEquals("1 SEND SUCCESS 8", completions.get(0));
        assertTrue(completions.get(1).startsWith("2 ") && completions.get(1).contains(" LOCAL_OPERATION "));
        assertEquals(List.of("3 SEND FLUSHED 8", "7 RECEIVE FLUSHED 0"), completions.subList(2, 4));
    }

    // No Reads are accepted, and nothing else is affected.
    @Test
    void inboundDepthZero_readArrives_terminates() {
        for (boolean atomic : new boolean[] {false, true}) {
            Victim v = withDepths(true, 0, 0, Optional.empty());
            v.postReceive(7, 0, 100);
            v.peer.add(send(true, 1, 0, payload(5)), write(true, v.open.rkey(), v.open.baseAddress(), payload(6)));
            v.peer.add(
                    atomic
                            ? HandMade.fetchAdd(1, v.open.rkey(), v.open.baseAddress(), 1)
                            : readRequest(1, 0, 0, 0, 0, 0));
            v.expect(v.inbox, 0, payload(5));
            v.expect(v.open, 0, payload(6));
            v.give(3);
            assertEquals(List.of("7 RECEIVE SUCCESS 5"), v.end.completions());
            v.assertTerminates(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
            v.assertMemory();
        }
    }

    // The Read that is an RTR frame is answered at a depth of zero, but nothing that only looks like one.
    @Test
    void inboundDepthZero_rtrRead_isTheOnlyReadServed() {
        Victim v = withDepths(false, 0, 0, Optional.of(RtrKind.READ));
        v.peer.add(readRequest(1, 0, 0, 0, 1, 0));
        v.give();
        assertEquals(List.of("ReadResponse last stag=0x00000000 to=0x0 len=0"), v.sent());
        v.peer.add(readRequest(2, 0, 0, 0, 1, 0));
        v.give();
        v.assertTerminates(TerminateCode.DDP_UNTAGGED_NO_BUFFER);

        Victim reader = withDepths(false, 0, 0, Optional.of(RtrKind.READ));
        reader.peer.add(readRequest(1, 0, 0, 8, reader.open.rkey(), reader.open.baseAddress()));
        reader.give().assertTerminates(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
        Victim adder = withDepths(false, 0, 0, Optional.of(RtrKind.READ));
        adder.peer.add(HandMade.fetchAdd(1, adder.open.rkey(), adder.open.baseAddress(), 1));
        adder.give().assertTerminates(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
        adder.assertMemory();
        Victim initiator = withDepths(true, 0, 0, Optional.of(RtrKind.READ));
        initiator.sent();
        initiator.peer.add(readRequest(1, 0, 0, 0, 1, 0));
        initiator.give().assertTerminates(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
    }

    // Nothing was posted to receive; Writes and Reads need nothing.
    @Test
    void noReceivePosted_sendArrives_terminates() {
        Victim v = Victim.responder(Framing.CRC);
        v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(6)));
        v.peer.add(readRequest(1, 5, 9, 3, v.open.rkey(), v.open.baseAddress()));
        v.give();
        assertEquals(List.of("ReadResponse last stag=0x00000005 to=0x9 len=3"), v.sent());
        v.expect(v.open, 0, payload(6));
        v.peer.add(send(true, 1, 0));
        v.give();
        v.assertTerminates(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
        v.assertMemory();
    }

    // Fences.

    // Fence and resume.
    @ParameterizedTest
    @ValueSource(ints = {1, 9, 1000})
    void fenced_waitsForEveryAnswerBeforeIt_andGoesOnByItself(int piece) {
        Victim v = Victim.initiator(Framing.CRC);
        v.postRead(1, 0, 40);
        v.end.post(WorkOpcode.FETCH_AND_ADD, w -> w.wrId(2).addElement(v.inbox.localKey(), 64, 8));
        v.postSend(3, SIGNALLED, 5);
        v.postSend(4, SIGNALLED.withFence(), 6);
        v.end.post(WorkOpcode.WRITE, w -> w.wrId(5).rkey(9).addElement(v.open.localKey(), 0, 7));
        List<byte[]> sent = v.sentUlpdus();
        Sink sink = Sink.of(sent.getFirst());
        // RFC 5040 section 5.5 [MAY]: the Send without a fence overtakes the Reads.
        assertEquals(
                List.of(
                        "ReadRequest last msn=1 mo=0 len=28",
                        "AtomicRequest last msn=2 mo=0 len=52",
                        "Send last msn=1 mo=0 len=5"),
                sent.stream().map(HandMade::line).toList());
        v.peer.add(sink.answer(false, 0, payload(39)), sink.answer(true, 39, (byte) 77));
        v.give(v.left() - 1, piece);
        assertEquals(List.of(), v.sent(), "one byte is missing");
        v.give();
        assertEquals(List.of("1 READ SUCCESS 40"), v.end.completions());
        assertEquals(List.of(), v.sent(), "an atomic is missing");
        v.peer.add(HandMade.atomicResponse(1, 2, 123));
        v.give(piece);
        // RFC 5040 section 5.5 [6]: in the order they were posted, though the Send left long ago.
        assertEquals(List.of("2 FETCH_AND_ADD SUCCESS 8", "3 SEND SUCCESS 5"), v.end.completions());
        assertTrue(v.end.stream.hasTransmitWork(0));
        assertEquals(List.of("Send last msn=2 mo=0 len=6", "Write last stag=0x00000009 to=0x0 len=7"), v.sent());
        assertEquals(List.of("4 SEND SUCCESS 6", "5 WRITE SUCCESS 7"), v.end.completions());
    }

    // A fence in front of a Read, and one with nothing to wait for.
    @Test
    void fencedRead_waitsToo_andAFenceWithNothingBeforeItDoesNot() {
        Victim v = Victim.initiator(Framing.PLAIN);
        v.postSend(1, SIGNALLED.withFence(), 5);
        Sink first = v.read(2, 0, 8);
        v.end.post(WorkOpcode.READ, SIGNALLED.withFence(), w -> w.wrId(3).addElement(v.inbox.localKey(), 8, 8));
        assertEquals(List.of(), v.sent());
        v.peer.add(first.answer());
        v.give();
        Sink second = Sink.of(v.sentUlpdus().getFirst());
        v.peer.add(second.answer());
        v.give();
        assertEquals(List.of("1 SEND SUCCESS 5", "2 READ SUCCESS 8", "3 READ SUCCESS 8"), v.end.completions());
    }

    // Both sides wait at a fence for each other's answers.
    @ParameterizedTest
    @ValueSource(ints = {1, 100_000})
    void bothFenced_eachAnswersTheOther(int piece) {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(8000);
        Region remote = p.b.region(8000);
        for (StreamPair.End end : List.of(p.a, p.b)) {
            Region own = end == p.a ? local : remote;
            Region other = end == p.a ? remote : local;
            for (int i = 0; i < 6; i++) {
                int id = i;
                end.post(
                        WorkOpcode.READ,
                        i % 2 == 1 ? SIGNALLED.withFence() : SIGNALLED,
                        w -> w.wrId(id)
                                .rkey(other.rkey())
                                .remoteAddress(other.baseAddress())
                                .addElement(own.localKey(), 4000, 3000));
            }
        }
        p.run(piece);
        assertEquals(6, p.a.completions().size());
        assertEquals(6, p.b.completions().size());
    }

    // Nothing at all.

    // Messages of length zero, each way and with any key.
    @ParameterizedTest
    @EnumSource(Framing.class)
    void emptyMessages_eachWay_arriveAndTouchNothing(Framing framing) {
        for (int key : new int[] {0, 1, -1, 0x1234}) {
            Victim v = Victim.initiator(framing);
            v.postReceive(7, 0, 100);
            v.postReceive(8, 0, 0);
            v.end.post(WorkOpcode.SEND, w -> w.wrId(1));
            v.end.post(WorkOpcode.WRITE, w -> w.wrId(2).rkey(key).remoteAddress(-1));
            v.end.post(WorkOpcode.READ, w -> w.wrId(3).rkey(key).remoteAddress(-1));
            List<byte[]> sent = v.sentUlpdus();
            String stag = String.format("0x%08x", key);
            // RFC 5041 section 5.2 [9]: exactly one segment each.
            assertEquals(
                    List.of(
                            "Send last msn=1 mo=0 len=0",
                            "Write last stag=" + stag + " to=0xffffffffffffffff len=0",
                            "ReadRequest last msn=1 mo=0 len=28"),
                    sent.stream().map(HandMade::line).toList());
            Sink sink = Sink.of(sent.getLast());
            assertEquals(0, sink.length());
            // RFC 5041 section 5.2 [10, 11], RFC 5040 section 5.2.1 [14]: keys and offsets are not checked.
            v.peer.add(write(true, key, -1), readRequest(1, key, 5, 0, key, -1), sink.answer());
            v.peer.add(send(true, 1, 0), untagged(RdmapOpcode.SEND_SE, true, 2, 0));
            v.give(3);
            // RFC 5040 section 5.2.1 [15]: size zero is answered by an empty Read Response.
            assertEquals(List.of("ReadResponse last stag=" + stag + " to=0x5 len=0"), v.sent());
            // RFC 5040 section 5.3 [7]: an empty Send uses a receive, even one of length zero.
            assertEquals(
                    List.of(
                            "1 SEND SUCCESS 0",
                            "2 WRITE SUCCESS 0",
                            "3 READ SUCCESS 0",
                            "7 RECEIVE SUCCESS 0",
                            "8 RECEIVE SUCCESS 0 solicited"),
                    v.end.completions());
            v.assertMemory();
        }
    }

    // A Read that is not signalled has a CQE only on error.
    @Test
    void unsignalledRead_completes_silentlyUnlessItFails() {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(64);
        Region remote = p.b.region(64);
        int key = remote.rkey();
        for (int i = 0; i < 3; i++) {
            long id = i;
            p.a.post(
                    WorkOpcode.READ,
                    i == 1 ? SIGNALLED : WrFlags.UNSIGNALLED,
                    w -> w.wrId(id)
                            .rkey(key)
                            .remoteAddress(remote.baseAddress())
                            .addElement(local.localKey(), 0, 8));
        }
        p.run();
        assertEquals(List.of("1 READ SUCCESS 8"), p.a.completions());
        assertEquals(3, p.a.send.retired(), "its slot is free all the same");
        p.b.regions.invalidate(key, 1);
        for (int i = 3; i < 6; i++) {
            long id = i;
            p.a.post(
                    WorkOpcode.READ,
                    WrFlags.UNSIGNALLED,
                    w -> w.wrId(id)
                            .rkey(key)
                            .remoteAddress(remote.baseAddress())
                            .addElement(local.localKey(), 0, 8));
        }
        p.run();
        assertTrue(p.a.stream.flush());
        assertEquals(List.of("3 READ REMOTE_ACCESS 8", "4 READ FLUSHED 8", "5 READ FLUSHED 8"), p.a.completions());
    }

    // Ends.

    // The stream closes, and what is oldest is no Read.
    @Test
    void streamEnds_atomicAtTheHeadOfWhatWaits_allFail() {
        Victim v = Victim.initiator(Framing.PLAIN);
        v.end.post(WorkOpcode.COMPARE_AND_SWAP, w -> w.wrId(1).addElement(v.inbox.localKey(), 0, 8));
        v.postRead(2, 8, 8);
        v.postSend(3, SIGNALLED, 8);
        v.sent();
        v.end.stream.onEndOfStream(0);
        assertEquals(Ending.Kind.BAD_CLOSE, v.ending().kind());
        assertEquals(
                List.of("1 COMPARE_AND_SWAP CONNECTION_LOST 8", "2 READ FLUSHED 8", "3 SEND FLUSHED 8"), v.flushed());
        assertTrue(v.end.stream.shutdownDue());
    }

    // The stream closes while work is held back: it is still sent; only a Read cannot be answered.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void streamEnds_workHeldBack_leavesButReadsFail(boolean read) {
        Victim v = Victim.initiator(Framing.PLAIN);
        v.end.post(WorkOpcode.DELAY, w -> w.wrId(1).operand1(1000));
        v.postSend(2, SIGNALLED, 8);
        if (read) {
            v.postRead(3, 0, 8);
        }
        assertEquals(List.of(), v.sent());
        v.end.stream.onEndOfStream(0);
        assertTrue(v.end.stream.ending().isEmpty());
        assertFalse(v.end.stream.shutdownDue());
        v.nowNs = 1000;
        List<String> sent = v.sent();
        // RFC 5041 section 6.2.1 [3]: then the local half is closed as well, gracefully if nothing is missing.
        assertEquals("Send last msn=1 mo=0 len=8", sent.getFirst());
        if (!read) {
            // Work that left after the peer's FIN is not complete yet: a reset may contradict it.
            assertEquals(List.of("1 DELAY SUCCESS 0"), v.end.completions());
            assertFalse(v.end.finSent);
            v.nowNs = v.end.stream.nextDeadlineNs();
            assertEquals(1, v.sent().size());
        }
        assertTrue(v.end.finSent);
        assertEquals(
                read ? Ending.Kind.BAD_CLOSE : Ending.Kind.GRACEFUL, v.ending().kind());
        assertEquals(
                read
                        ? List.of("1 DELAY SUCCESS 0", "2 SEND CONNECTION_LOST 8", "3 READ FLUSHED 8")
                        : List.of("2 SEND SUCCESS 8"),
                v.flushed());
        assertTrue(v.end.stream.finished());
    }

    // The stream closes before this side may send.
    @Test
    void streamEnds_beforeTheFirstFpdu_workFailsAtOnce() {
        Victim v = Victim.responder(Framing.CRC);
        v.postReceive(7, 0, 8);
        v.postSend(1, SIGNALLED, 8);
        v.end.stream.onEndOfStream(0);
        assertEquals(List.of(), v.sent());
        assertTrue(v.end.finSent && v.end.stream.finished());
        assertEquals(Ending.Kind.BAD_CLOSE, v.ending().kind());
        assertEquals(List.of("1 SEND CONNECTION_LOST 8", "7 RECEIVE FLUSHED 0"), v.flushed());
    }

    // Flags.

    // The solicited flag survives segmentation.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void solicitedSend_inManySegments_completesOnceWithTheLast(boolean invalidates) {
        StreamPair p = new StreamPair(true, true, 64, Optional.empty());
        Region local = p.a.region(1000);
        Region remote = p.b.region(1000);
        Region victim = p.b.region(8);
        p.b.postReceive(7, remote, 0, 1000);
        p.b.postReceive(8, remote, 0, 1000);
        WorkOpcode opcode = invalidates ? WorkOpcode.SEND_WITH_INVALIDATE : WorkOpcode.SEND;
        p.a.post(
                opcode,
                SIGNALLED.withSolicited(),
                w -> w.wrId(1).rkey(victim.rkey()).addElement(local.localKey(), 0, 1000));
        p.a.post(WorkOpcode.SEND, w -> w.wrId(2).addElement(local.localKey(), 0, 100));
        p.a.transmit(0, 64 * 1024);
        List<String> lines = HandMade.lines(Framing.CRC_AND_MARKERS, p.a.wire);
        String name = invalidates ? "Send SE Inv " + String.format("0x%08x", victim.rkey()) : "Send SE";
        // RFC 5041 section 4.3 [2, 4, 5]: the RDMAP part of the header is in each segment.
        List<String> expected = IntStream.range(0, 16)
                .mapToObj(i -> name + (i == 15 ? " last" : "") + " msn=1 mo=" + 64 * i + " len=" + (i == 15 ? 40 : 64))
                .toList();
        assertEquals(expected, lines.subList(0, 16));
        byte[] bytes = p.a.wire;
        int end = (int) Reordering.fpduEnds(true, 0, bytes)[15];
        p.a.wire = Arrays.copyOf(bytes, end - 1);
        p.deliver(p.a, p.b, 50);
        assertEquals(List.of(), p.b.completions());
        p.a.wire = Arrays.copyOfRange(bytes, end - 1, end);
        p.deliver(p.a, p.b, 50);
        assertEquals(
                List.of("7 RECEIVE SUCCESS 1000" + (invalidates ? " invalidated" : "") + " solicited"),
                p.b.completions());
        p.a.wire = Arrays.copyOfRange(bytes, end, bytes.length);
        p.deliver(p.a, p.b, 50);
        assertEquals(List.of("8 RECEIVE SUCCESS 100"), p.b.completions());
    }

    // Keys.

    // STag 0 and the ends of the range.
    @ParameterizedTest
    @ValueSource(ints = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0xff, 0xffffff00})
    void keyThatNobodyGave_anyUse_isRefused(int key) {
        byte[][] uses = {
            write(true, key, 0, payload(1)),
            write(true, key, 1L << 32, payload(1)),
            readRequest(1, 5, 0, 1, key, 0),
            HandMade.fetchAdd(1, key, 0, 1),
            HandMade.sendInvalidate(1, key),
        };
        for (byte[] use : uses) {
            Victim v = Victim.initiator(Framing.PLAIN);
            v.postReceive(7, 0, 100);
            v.peer.add(use);
            v.give();
            TerminateCode code = v.ending().code().orElseThrow();
            assertTrue(
                    code == TerminateCode.DDP_TAGGED_INVALID_STAG
                            || code == TerminateCode.RDMAP_INVALID_STAG
                            || code == TerminateCode.RDMAP_CANNOT_INVALIDATE,
                    code.toString());
            v.assertTerminates(code);
            v.assertMemory();
        }
    }

    // Keys of both signs are given, and all of them work.
    @Test
    void keysOverTheWholeRange_allWork() {
        Victim v = Victim.initiator(Framing.PLAIN);
        int negative = 0;
        for (int i = 0; i < 32; i++) {
            Region region = v.end.region(16);
            negative += region.rkey() < 0 ? 1 : 0;
            v.peer.add(write(true, region.rkey(), region.baseAddress(), (byte) i));
            v.give();
            assertEquals(i, region.segment().get(JAVA_BYTE, 0));
        }
        assertTrue(negative > 0 && negative < 32);
    }

    // Entering TERMINATE begins a close, on both sides at once, without deadlock.
    @ParameterizedTest
    @ValueSource(ints = {1, 13, 10_000})
    void bothTerminateAtOnce_closeCompletes(int piece) {
        StreamPair p = new StreamPair(true, false, 1024, Optional.empty());
        Region local = p.a.region(8000);
        Region remote = p.b.region(8000);
        p.a.postReceive(9, local, 0, 10);
        p.b.postReceive(9, remote, 0, 10);
        // Each refuses what the other sends, and has more to send.
        for (StreamPair.End end : List.of(p.a, p.b)) {
            Region own = end == p.a ? local : remote;
            end.post(WorkOpcode.WRITE, w -> w.wrId(1).rkey(0).addElement(own.localKey(), 0, 3000));
            end.post(WorkOpcode.SEND, w -> w.wrId(2).addElement(own.localKey(), 0, 3000));
        }
        // The responder must receive an FPDU before it may send.
        HandMade hello = new HandMade(Framing.CRC).add(write(true, 0, 0));
        p.b.stream.onBytes(slabOf(hello.bytes()), 0, hello.bytes().length, 0);
        p.run(piece);
        for (StreamPair.End end : List.of(p.a, p.b)) {
            assertEquals(
                    Ending.Kind.TERMINATED_BY_US,
                    end.stream.ending().orElseThrow().kind());
            assertEquals(
                    TerminateCode.DDP_TAGGED_INVALID_STAG,
                    end.stream.ending().orElseThrow().code().orElseThrow());
            assertTrue(end.finSent && end.stream.finished());
            assertTrue(end.stream.flush());
            assertFalse(end.stream.hasTransmitWork(0));
            List<String> completions = end.completions();
            assertEquals(3, completions.size(), completions.toString());
        }
    }

    private static Slab slabOf(byte[] bytes) {
        Slab slab = new Slab(bytes.length);
        slab.segment().copyFrom(MemorySegment.ofArray(bytes));
        return slab;
    }

    // The peer continues to send and never reads: the direction of this side ends nevertheless.
    @Test
    void terminating_peerGoesOnSending_isIgnoredToItsEnd() {
        Victim v = Victim.initiator(Framing.CRC);
        v.end.stream.onMemoryLost("the test says so");
        v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(3000)));
        v.give(10);
        v.assertTerminates(TerminateCode.RDMAP_LOCAL_CATASTROPHIC);
        v.assertMemory();
        assertFalse(v.end.stream.finished());
        v.end.stream.onEndOfStream(0);
        assertTrue(v.end.stream.finished());
    }
}
