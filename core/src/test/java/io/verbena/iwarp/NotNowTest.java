package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.iwarp.early.UlpduSink;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reception while memory is temporarily missing. */
class NotNowTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void memoryThatComesAndGoes_segmentsInAnyOrder_areDeliveredInOrder(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean markers = seed % 2 == 0;
        Reordering r = new Reordering(() ->
                Scenes.ALL.begin(markers, 400, RtrKind.WRITE, sink -> new NotNow(sink, () -> random.nextInt(3) == 0)));
        for (int run = 0; run < 50; run++) {
            r.run((leg, whole) -> OutOfOrderTest.randomOrder(random, whole.getFirst()));
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "true, true"})
    void memoryThatComesAndGoes_anyPieces_bringsTheRightBytes(boolean crc, boolean markers) {
        for (int seed = 0; seed < 30; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            UnaryOperator<UlpduSink> around = sink -> new NotNow(sink, () -> random.nextInt(3) == 0);
            StreamPair p = new StreamPair(crc, markers, 300, Optional.empty(), 256, around);
            Region local = p.a.region(8000);
            Region remote = p.b.region(8000);
            StreamPair.fill(local, 1);
            p.b.postReceive(1, remote, 0, 1000);
            p.a.post(WorkOpcode.SEND, w -> w.addElement(local.localKey(), 0, 990));
            // One payload byte, so that all of a segment may be collected before its place is known.
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + 1000)
                            .addElement(local.localKey(), 0, 1));
            p.a.post(
                    WorkOpcode.FETCH_AND_ADD,
                    w -> w.rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + 2000)
                            .operand1(4)
                            .addElement(local.localKey(), 4000, 8));
            p.a.post(
                    WorkOpcode.WRITE,
                    w -> w.rkey(remote.rkey())
                            .remoteAddress(remote.baseAddress() + 3000)
                            .addElement(local.localKey(), 0, 2000));
            p.a.transmit(0, 64 * 1024);
            giveInPieces(p, random);
            assertEquals(List.of("1 RECEIVE SUCCESS 990"), p.b.completions());
            assertEquals(-1, MemorySegment.mismatch(local.segment(), 0, 990, remote.segment(), 0, 990));
            assertEquals(-1, MemorySegment.mismatch(local.segment(), 0, 1, remote.segment(), 1000, 1001));
            assertEquals(4, remote.segment().get(ValueLayout.JAVA_LONG, 2000));
            assertEquals(-1, MemorySegment.mismatch(local.segment(), 0, 2000, remote.segment(), 3000, 5000));
        }
    }

    private static void giveInPieces(StreamPair p, SplittableRandom random) {
        byte[] bytes = p.a.wire;
        Slab slab = new Slab(bytes.length);
        int at = 0;
        while (at < bytes.length || p.b.stream.suspended()) {
            int count = Math.min(bytes.length - at, 1 + random.nextInt(60));
            MemorySegment.copy(bytes, at, slab.segment(), ValueLayout.JAVA_BYTE, 0, count);
            at += p.b.stream.onBytes(slab, 0, count, 0);
            assertEquals(at, p.b.stream.nextOffset());
            p.b.stream.resume();
        }
        assertTrue(p.b.stream.ending().isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "true, true"})
    void resume_whileOnlyABitOfAnFpduIsHere_doesNothing(boolean crc, boolean markers) {
        // The sending half may be what waited.
        StreamPair p = new StreamPair(crc, markers, 300, Optional.empty());
        Region local = p.a.region(100);
        Region remote = p.b.region(100);
        for (int i = 0; i < 2; i++) {
            p.b.postReceive(i, remote, 0, 100);
            p.a.post(WorkOpcode.SEND, w -> w.addElement(local.localKey(), 0, 50));
        }
        p.a.transmit(0, 64 * 1024);
        Slab slab = new Slab(1);
        for (byte b : p.a.wire) {
            slab.segment().set(ValueLayout.JAVA_BYTE, 0, b);
            p.b.stream.onBytes(slab, 0, 1, 0);
            p.b.stream.resume();
        }
        assertTrue(p.b.stream.ending().isEmpty());
        assertEquals(2, p.b.completions().size());
    }

    @Test
    void earlyAtomicWhoseMemoryIsNotThere_waitsWhenItsTurnComes() {
        boolean[] absent = {false};
        StreamPair p =
                new StreamPair(true, false, 300, Optional.empty(), 256, sink -> new NotNow(sink, () -> absent[0]));
        Region local = p.a.region(100);
        Region remote = p.b.region(100);
        p.b.postReceive(1, remote, 0, 0);
        p.a.post(WorkOpcode.SEND, w -> {});
        p.a.post(
                WorkOpcode.FETCH_AND_ADD,
                w -> w.rkey(remote.rkey())
                        .remoteAddress(remote.baseAddress() + 8)
                        .operand1(4)
                        .addElement(local.localKey(), 0, 8));
        p.a.transmit(0, 64 * 1024);
        int end = p.a.wire.length;
        int middle = (int) Reordering.fpduEnds(false, 0, p.a.wire)[0];
        Slab slab = new Slab(end);
        MemorySegment.copy(p.a.wire, 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, end);
        p.b.stream.onSegment(0, slab, 0, 10, 0);
        p.b.stream.onSegment(middle, slab, middle, end, 0);
        assertEquals(end, p.b.stream.takenTo());
        absent[0] = true;
        p.b.stream.onSegment(10, slab, 10, end, 0);
        // All bytes are here and need not come again, though the atomic is still to be done.
        assertTrue(p.b.stream.suspended());
        assertEquals(end, p.b.stream.takenTo());
        assertEquals(end, p.b.stream.nextOffset());
        assertEquals(List.of("1 RECEIVE SUCCESS 0"), p.b.completions());
        assertEquals(0, remote.segment().get(ValueLayout.JAVA_LONG, 8));
        absent[0] = false;
        p.b.stream.resume();
        p.b.stream.onSegment(0, slab, 0, end, 0);
        assertEquals(4, remote.segment().get(ValueLayout.JAVA_LONG, 8));
        assertEquals(end, p.b.stream.nextOffset());
    }

    @Test
    void memoryThatComesBackAfterTheEnd_deliversNothing() {
        boolean[] absent = {true};
        StreamPair p =
                new StreamPair(true, false, 300, Optional.empty(), 256, sink -> new NotNow(sink, () -> absent[0]));
        Region local = p.a.region(100);
        Region remote = p.b.region(100);
        p.b.postReceive(1, remote, 0, 100);
        p.a.post(WorkOpcode.SEND, w -> w.addElement(local.localKey(), 0, 50));
        p.a.transmit(0, 64 * 1024);
        Slab slab = new Slab(p.a.wire.length);
        MemorySegment.copy(p.a.wire, 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, p.a.wire.length);
        // In two pieces, so that the FPDU waits inside.
        p.b.stream.onBytes(slab, 0, 30, 0);
        p.b.stream.onBytes(slab, 30, p.a.wire.length, 0);
        assertTrue(p.b.stream.suspended());
        p.b.stream.abort("the test says so");
        absent[0] = false;
        p.b.stream.resume();
        // RFC 5044 section 8 [6]: nothing goes up after the end.
        assertEquals(List.of(), p.b.completions());
    }
}
