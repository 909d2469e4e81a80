package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two streams talk: one script an operation, over every kind of framing and of tearing. */
class IwarpStreamTest {

    private static void assertSame(Region expected, long from, Region actual, long at, long count) {
        assertEquals(
                -1,
                expected.segment()
                        .asSlice(from, count)
                        .mismatch(actual.segment().asSlice(at, count)),
                "bytes differ");
    }

    @ParameterizedTest
    @CsvSource({
        "false, false, 1024, 100000",
        "false, false, 1024, 1",
        "false, false, 1024, 7",
        "false, false, 64750, 3000",
        "true, false, 1024, 100000",
        "true, false, 1024, 1",
        "true, false, 512, 100",
        "true, true, 1024, 100000",
        "true, true, 1024, 1",
        "false, true, 2000, 513",
        "true, true, 64, 5",
    })
    void everyOperation_overAnyFraming_bringsTheRightBytes(boolean crc, boolean markers, int payload, int piece) {
        StreamPair p = new StreamPair(crc, markers, payload, Optional.of(RtrKind.WRITE));
        Region local = p.a.region(200_000);
        Region remote = p.b.region(200_000);
        StreamPair.fill(local, 1);
        StreamPair.fill(remote, 2);
        p.b.postReceive(100, remote, 0, 3000);
        p.b.postReceive(101, remote, 3000, 64);
        p.b.postReceive(102, remote, 3064, 64);
        p.a.post(
                WorkOpcode.SEND,
                w -> w.wrId(1).addElement(local.localKey(), 10, 1000).addElement(local.localKey(), 5000, 1501));
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.wrId(2)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + 10_000)
                        .addElement(local.localKey(), 20_000, 70_001));
        p.a.post(
                WorkOpcode.READ,
                w -> w.wrId(3)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + 100_000)
                        .addElement(local.localKey(), 100_000, 333)
                        .addElement(local.localKey(), 120_000, 50_000));
        p.a.post(
                WorkOpcode.WRITE_WITH_IMMEDIATE,
                WrFlags.SIGNALLED.withSolicited(),
                w -> w.wrId(4)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + 90_000)
                        .operand1(77)
                        .addElement(local.localKey(), 0, 500));
        p.a.post(WorkOpcode.SEND, WrFlags.SIGNALLED.withFence(), w -> w.wrId(5));
        p.run(piece);
        assertEquals(
                List.of(
                        "100 RECEIVE SUCCESS 2501",
                        "101 RECEIVE_WRITE_IMMEDIATE SUCCESS 500 imm=77 solicited",
                        "102 RECEIVE SUCCESS 0"),
                p.b.completions());
        assertEquals(
                List.of(
                        "1 SEND SUCCESS 2501",
                        "2 WRITE SUCCESS 70001",
                        "3 READ SUCCESS 50333",
                        "4 WRITE SUCCESS 500",
                        "5 SEND SUCCESS 0"),
                p.a.completions());
        assertSame(local, 10, remote, 0, 1000);
        assertSame(local, 5000, remote, 1000, 1501);
        assertSame(local, 20_000, remote, 10_000, 70_001);
        assertSame(remote, 100_000, local, 100_000, 333);
        assertSame(remote, 100_333, local, 120_000, 50_000);
        assertSame(local, 0, remote, 90_000, 500);
        p.a.stream.disconnect(p.nowNs);
        p.run(piece);
        assertEquals(Ending.Kind.GRACEFUL, p.a.stream.ending().orElseThrow().kind());
        assertEquals(Ending.Kind.GRACEFUL, p.b.stream.ending().orElseThrow().kind());
        assertTrue(p.a.stream.finished() && p.b.stream.finished());
    }

    @ParameterizedTest
    @CsvSource({"1", "9", "100000"})
    void atomics_bringBackWhatWasThere(int piece) {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(64);
        Region remote = p.b.region(64);
        remote.segment().set(ValueLayout.JAVA_LONG, 8, 40);
        p.a.post(
                WorkOpcode.FETCH_AND_ADD,
                w -> w.wrId(1)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + 8)
                        .operand1(2)
                        .addElement(local.localKey(), 0, 8));
        p.a.post(
                WorkOpcode.COMPARE_AND_SWAP,
                w -> w.wrId(2)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + 8)
                        .operand1(42)
                        .operand2(-5)
                        .addElement(local.localKey(), 8, 8));
        p.a.post(
                WorkOpcode.COMPARE_AND_SWAP,
                w -> w.wrId(3)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + 8)
                        .operand1(42)
                        .operand2(9)
                        .addElement(local.localKey(), 16, 8));
        p.run(piece);
        assertEquals(
                List.of("1 FETCH_AND_ADD SUCCESS 8", "2 COMPARE_AND_SWAP SUCCESS 8", "3 COMPARE_AND_SWAP SUCCESS 8"),
                p.a.completions());
        assertEquals(40, local.segment().get(ValueLayout.JAVA_LONG, 0));
        assertEquals(42, local.segment().get(ValueLayout.JAVA_LONG, 8));
        assertEquals(-5, local.segment().get(ValueLayout.JAVA_LONG, 16));
        assertEquals(-5, remote.segment().get(ValueLayout.JAVA_LONG, 8));
    }

    @Test
    void moreReadsThanAgreed_wait() {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(4096);
        Region remote = p.b.region(4096);
        for (int i = 0; i < 20; i++) {
            long id = i;
            p.a.post(
                    WorkOpcode.READ,
                    w -> w.wrId(id)
                            .rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress())
                            .addElement(local.localKey(), 0, 100));
        }
        p.run();
        assertEquals(20, p.a.completions().size());
    }

    @Test
    void write_withoutTheRight_isTerminatedAndNothingChanges() {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(4096);
        Region remote = p.b.region(4096, Set.of(AccessRight.REMOTE_READ));
        StreamPair.fill(local, 1);
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.wrId(1)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress())
                        .addElement(local.localKey(), 0, 100));
        p.a.post(
                WorkOpcode.READ,
                w -> w.wrId(2)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress())
                        .addElement(local.localKey(), 0, 100));
        p.run();
        // RFC 5040 section 4.8 [3]: access rights, reported to the requester by a Terminate message.
        assertEquals(
                TerminateCode.RDMAP_ACCESS_RIGHTS,
                p.b.stream.ending().orElseThrow().code().orElseThrow());
        assertEquals(
                Ending.Kind.TERMINATED_BY_PEER,
                p.a.stream.ending().orElseThrow().kind());
        assertEquals(
                TerminateCode.RDMAP_ACCESS_RIGHTS,
                p.a.stream.ending().orElseThrow().code().orElseThrow());
        assertEquals(0, remote.segment().get(ValueLayout.JAVA_BYTE, 50));
        assertTrue(p.a.stream.flush() && p.b.stream.flush());
        assertEquals(List.of("1 WRITE SUCCESS 100", "2 READ FLUSHED 100"), p.a.completions());
        assertTrue(p.a.stream.finished() && p.b.stream.finished());
    }

    @Test
    void delay_holdsBackWhatIsBehindIt() {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(64);
        Region remote = p.b.region(64);
        p.a.post(WorkOpcode.DELAY, w -> w.wrId(1).operand1(1_000));
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.wrId(2)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress())
                        .addElement(local.localKey(), 0, 10));
        p.run();
        assertEquals(List.of(), p.a.completions());
        assertEquals(1_000, p.a.stream.nextDeadlineNs());
        p.nowNs = 1_000;
        p.run();
        assertEquals(List.of("1 DELAY SUCCESS 0", "2 WRITE SUCCESS 10"), p.a.completions());
    }

    @Test
    void fillThatDoesNotLeave_isFilledAgainTheSame() {
        StreamPair p = new StreamPair(true, true, 512, Optional.empty());
        Region local = p.a.region(8192);
        Region remote = p.b.region(8192);
        StreamPair.fill(local, 3);
        p.a.post(
                WorkOpcode.WRITE,
                w -> w.wrId(1)
                        .rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress())
                        .addElement(local.localKey(), 0, 8000));
        while (p.a.stream.hasTransmitWork(0)) {
            p.a.list.reset();
            p.a.stream.fillTransmit(p.a.list, 4096, 0);
            io.verbena.base.Slab out = new io.verbena.base.Slab(p.a.list.bytes());
            // Only one of several units leaves, each time.
            int end = p.a.list.unitEnd(0);
            p.a.list.copyOut(0, end, out, 0);
            p.a.append(out.segment().asSlice(0, end).toArray(ValueLayout.JAVA_BYTE));
            p.a.stream.onTransmitted(p.a.list, 1, false, 0);
        }
        p.run(100);
        assertEquals(List.of("1 WRITE SUCCESS 8000"), p.a.completions());
        assertEquals(-1, MemorySegment.mismatch(local.segment(), 0, 8000, remote.segment(), 0, 8000));
    }

    @Test
    void completionQueueThatIsFull_endsTheStreamBeforeTheNextMessage() {
        StreamPair p = new StreamPair(false, false, 1024, Optional.empty(), 1, UnaryOperator.identity());
        Region local = p.a.region(64);
        Region remote = p.b.region(64);
        StreamPair.fill(local, 1);
        for (int i = 0; i < 3; i++) {
            p.b.postReceive(i, remote, i * 10L, 10);
            p.a.post(WorkOpcode.SEND, WrFlags.UNSIGNALLED, w -> w.addElement(local.localKey(), 0, 10));
        }
        p.run();
        assertEquals(Ending.Kind.ABORTED, p.b.stream.ending().orElseThrow().kind());
        assertEquals(List.of("0 RECEIVE SUCCESS 10"), p.b.completions());
        assertEquals(0, remote.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 20));
        assertTrue(p.b.stream.receiveTarget() == p.b.stream.receiveTarget(), "an object a call");
    }

    @Test
    void readAsRtrFrame_countsAmongTheReadsThatWereAgreed() {
        StreamPair p = new StreamPair(false, false, 1024, Optional.of(RtrKind.READ));
        Region local = p.a.region(64);
        Region remote = p.b.region(64);
        for (int i = 0; i < 5; i++) {
            p.a.post(
                    WorkOpcode.READ,
                    w -> w.rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress())
                            .addElement(local.localKey(), 0, 10));
        }
        // RFC 5040 section 6.1 [4, 5]: all leave before anything is answered, so a fifth would be one too many.
        p.run();
        assertTrue(p.b.stream.ending().isEmpty());
        assertEquals(5, p.a.completions().size());
    }
}
