package io.verbena.iwarp.early;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.fixture.Seeds;
import io.verbena.iwarp.Framing;
import io.verbena.iwarp.HandMade;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.NotNow;
import io.verbena.iwarp.OutOfOrderTest;
import io.verbena.iwarp.Reordering;
import io.verbena.iwarp.Reordering.Range;
import io.verbena.iwarp.Scenes;
import io.verbena.iwarp.StreamPair;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random conversations in random order, beside a receiver that waits for order: the same completions at the same stream
 * positions, the same bytes, the same errors.
 */
@Tag(Seeds.TAG)
class HolesModelTest {

    private static final int SEEDS = 30;
    private static final int CHUNK = 3072;
    private static final int MESSAGES = 30;
    private static final int BYTES = MESSAGES * CHUNK;
    private static final ValueLayout.OfInt CRC = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static void eachSeed(Seeds.Body run) {
        Seeds.each(SEEDS, run);
    }

    /** A conversation with the work that the seed selects. */
    private static Reordering.Scene scene(long seed, UnaryOperator<UlpduSink> around) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean markers = random.nextBoolean();
        RtrKind rtr = RtrKind.values()[random.nextInt(RtrKind.values().length)];
        int payload = 128 + random.nextInt(900);
        StreamPair pair = new StreamPair(true, markers, payload, Optional.of(rtr), 256, around);
        Region local = pair.a.region(BYTES);
        Region remote = pair.b.region(BYTES);
        StreamPair.fill(local, 1);
        StreamPair.fill(remote, 2);
        int messages = 5 + random.nextInt(MESSAGES - 5);
        for (int i = 0; i < messages; i++) {
            post(pair, local, remote, random, i);
        }
        return new Reordering.Scene(pair, markers, List.of(local, remote));
    }

    private static void post(StreamPair p, Region local, Region remote, SplittableRandom random, int id) {
        // Most messages are small, so that runs of whole Sends and of Writes occur.
        int length = random.nextInt(4) == 0 ? random.nextInt(3000) : random.nextInt(40);
        // No bytes are placed twice: RFC 5041 leaves open which of two messages would win.
        int at = id * CHUNK;
        long address = remote.baseAddress() + at;
        switch (random.nextInt(10)) {
            case 0, 1 ->
                p.a.post(
                        WorkOpcode.WRITE,
                        w -> w.wrId(id)
                                .rkey(remote.rkey())
                                .remoteAddress(address)
                                .addElement(local.localKey(), at, length));
            case 2 ->
                p.a.post(
                        WorkOpcode.READ,
                        w -> w.wrId(id)
                                .rkey(remote.rkey())
                                .remoteAddress(address)
                                .addElement(local.localKey(), at, length));
            case 3 ->
                p.a.post(
                        WorkOpcode.FETCH_AND_ADD,
                        w -> w.wrId(id)
                                .rkey(remote.rkey())
                                .operand1(id)
                                .remoteAddress(address)
                                .addElement(local.localKey(), at, 8));
            case 4 -> {
                p.b.postReceive(id, remote, at, id & 1);
                p.a.post(
                        WorkOpcode.WRITE_WITH_IMMEDIATE,
                        w -> w.wrId(id)
                                .rkey(remote.rkey())
                                .operand1(id)
                                .remoteAddress(address)
                                .addElement(local.localKey(), at, Math.min(length, 200)));
            }
            case 5 -> {
                Region victim = p.b.region(100);
                p.b.postReceive(id, remote, at, length);
                p.a.post(
                        WorkOpcode.SEND_WITH_INVALIDATE,
                        w -> w.wrId(id).rkey(victim.rkey()).addElement(local.localKey(), at, length));
            }
            default -> {
                p.b.postReceive(id, remote, at, length + random.nextInt(2));
                WrFlags flags = random.nextBoolean() ? WrFlags.SIGNALLED : WrFlags.SIGNALLED.withSolicited();
                p.a.post(WorkOpcode.SEND, flags, w -> w.wrId(id).addElement(local.localKey(), at, length));
            }
        }
    }

    @Test
    void randomWork_segmentsInAnyOrder_isAsInOrder() {
        eachSeed(seed -> {
            Reordering r = new Reordering(() -> scene(seed, UnaryOperator.identity()));
            SplittableRandom random = new SplittableRandom(~seed);
            for (int run = 0; run < 6; run++) {
                r.run((leg, whole) -> manyCuts(random, whole.getFirst()));
            }
        });
    }

    @Test
    void randomWork_memoryComesAndGoes_isAsInOrder() {
        eachSeed(seed -> {
            SplittableRandom random = new SplittableRandom(~seed);
            Reordering r = new Reordering(() -> scene(seed, sink -> new NotNow(sink, () -> random.nextInt(4) == 0)));
            for (int run = 0; run < 4; run++) {
                r.run((leg, whole) -> manyCuts(random, whole.getFirst()));
            }
        });
    }

    private static List<Range> manyCuts(SplittableRandom random, Range whole) {
        List<Range> order = OutOfOrderTest.randomOrder(random, whole);
        for (int more = random.nextInt(3); more > 0; more--) {
            order.addAll(random.nextInt(order.size()), OutOfOrderTest.randomOrder(random, whole));
        }
        return order;
    }

    @Test
    void damagedFpdu_segmentsInAnyOrder_endsTheStreamAsInOrder() {
        int[] ended = {0};
        eachSeed(seed -> {
            byte[] bytes = damaged(seed);
            List<String> model = play(seed, bytes, List.of(new Range(0, bytes.length)));
            ended[0] += model.getLast().isEmpty() ? 0 : 1;
            SplittableRandom random = new SplittableRandom(~seed);
            for (int run = 0; run < 6; run++) {
                List<Range> order = manyCuts(random, new Range(0, bytes.length));
                order.add(new Range(0, bytes.length));
                assertEquals(model, play(seed, bytes, order));
            }
        });
        // A few seeds need not contain each kind of damage.
        assertTrue(!Seeds.recorded(SEEDS) || ended[0] > SEEDS / 10, "ended " + ended[0]);
    }

    /** What A sends first, with some bytes of one FPDU changed and its checksum right. */
    private static byte[] damaged(long seed) {
        Reordering.Scene scene = scene(seed, UnaryOperator.identity());
        scene.pair().a.transmit(0, 64 * 1024);
        byte[] bytes = scene.pair().a.wire;
        long[] ends = Reordering.fpduEnds(scene.markers(), 0, bytes);
        SplittableRandom random = new SplittableRandom(seed + 1);
        // Not the first FPDU, which decides whether the receiver may send.
        int fpdu = 1 + random.nextInt(ends.length - 1);
        int begin = (int) ends[fpdu - 1];
        int sum = (int) ends[fpdu] - 4;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            // A wrong length would make the checksum a matter of luck, and a marker is not part of it.
            int at = begin + 6 + random.nextInt(Math.min(40, sum - begin - 6));
            bytes[at] = (byte) random.nextInt();
        }
        Slab slab = new Slab(bytes.length);
        MemorySegment.copy(bytes, 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        MemorySegment.ofArray(bytes).set(CRC, sum, slab.crc32c(begin, sum));
        return bytes;
    }

    /** What B reports and sends: completions, the end, and the bytes on the wire. */
    private static List<String> play(long seed, byte[] bytes, List<Range> order) {
        StreamPair pair = scene(seed, UnaryOperator.identity()).pair();
        IwarpStream receiver = pair.b.stream;
        Slab slab = new Slab(bytes.length);
        for (Range r : order) {
            MemorySegment.copy(bytes, 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
            receiver.onSegment(r.from(), slab, (int) r.from(), (int) r.to(), 0);
            slab.segment().fill((byte) 0x5a);
        }
        String end = receiver.ending().map(e -> e.code() + e.sentence()).orElse("");
        if (!end.isEmpty()) {
            assertTrue(receiver.flush());
        }
        pair.b.transmit(0, 64 * 1024);
        return List.of(
                pair.b.completions().toString(),
                end.isEmpty() ? "" : HexFormat.of().formatHex(pair.b.wire),
                "next " + (end.isEmpty() ? receiver.nextOffset() : 0),
                end);
    }

    @Test
    void hostileFlood_anyBytesAnywhere_staysWithinTheBounds() {
        eachSeed(seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            StreamPair pair = new StreamPair(true, random.nextBoolean(), 500, Optional.empty());
            Region open = pair.b.region(BYTES);
            HandMade peer = new HandMade(random.nextBoolean() ? Framing.CRC_AND_MARKERS : Framing.CRC);
            byte[] write = HandMade.write(true, open.rkey(), open.baseAddress(), HandMade.payload(1));
            for (int i = 0; i < 1500; i++) {
                peer.add(write);
            }
            byte[] bytes = peer.bytes();
            Slab slab = new Slab(bytes.length);
            MemorySegment.copy(bytes, 0, slab.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
            IwarpStream receiver = pair.b.stream;
            receiver.onSegment(0, slab, 0, 20, 0);
            for (int step = 0; step < 2000 && receiver.ending().isEmpty(); step++) {
                int from = 21 + random.nextInt(bytes.length - 21);
                int to = Math.min(bytes.length, from + 1 + (random.nextBoolean() ? 0 : random.nextInt(200)));
                long shift = random.nextInt(8) == 0 ? random.nextLong(1L << 40) : 0;
                receiver.onSegment(from + shift, slab, from, to, 0);
                assertTrue(receiver.takenFrom() >= from + shift && receiver.takenTo() <= to + shift);
            }
            HoleFigures figures = receiver.holeFigures();
            assertTrue(figures.mostTableBytes() <= EarlyTables.MAX_TABLE_BYTES);
            assertTrue(figures.mostScrapBytes() <= EarlyTables.MAX_SCRAP_BYTES);
        });
    }

    @Test
    void wholeStreamTorn_oneByteSegmentsBackwards_areDeliveredInTheEnd() {
        Reordering r = Scenes.ALL.reordering(true, 300, RtrKind.WRITE);
        for (int leg = 0; leg < Math.min(2, r.legs()); leg++) {
            List<Range> pieces = new ArrayList<>();
            for (long at = r.base(leg); at < r.base(leg) + r.bytes(leg); at++) {
                pieces.add(new Range(at, at + 1));
            }
            // In runs of 40, each backwards.
            for (int i = 0; i + 40 <= pieces.size(); i += 40) {
                Collections.reverse(pieces.subList(i, i + 40));
            }
            r.run(leg, pieces);
        }
    }
}
