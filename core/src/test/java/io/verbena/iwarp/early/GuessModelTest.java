package io.verbena.iwarp.early;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.iwarp.Framing;
import io.verbena.iwarp.HandMade;
import io.verbena.iwarp.NotNow;
import io.verbena.iwarp.Reordering;
import io.verbena.iwarp.Reordering.Range;
import io.verbena.iwarp.StreamPair;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.Region;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.RdmapOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Conversations whose payload is full of correct FPDUs, with segments that begin there, beside a receiver that waits for order: the
 * same completions at the same stream positions, and the same bytes everywhere, except where a Write of the payload could write.
 * {@code -Dverbena.seeds=N} sets the number of fresh seeds, {@code -Dverbena.seed=S} the first one.
 */
@Tag(Seeds.TAG)
class GuessModelTest {

    private static final int SEEDS = 30;
    private static final int CHUNK = 2048;
    private static final int MESSAGES = 25;
    private static final int BYTES = MESSAGES * CHUNK;
    private static final Set<AccessRight> NOT_WRITABLE = Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ);

    /** The stream positions at which an FPDU within payload begins are found by its first bytes. */
    private static final byte[] NEEDLE = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x5e};

    private static Reordering.Scene scene(long seed, UnaryOperator<UlpduSink> around) {
        SplittableRandom random = new SplittableRandom(seed);
        RtrKind rtr = RtrKind.values()[random.nextInt(RtrKind.values().length)];
        StreamPair pair = StreamPair.guessing(160 + random.nextInt(900), Optional.of(rtr), around);
        Region local = pair.a.region(BYTES);
        Region remote = pair.b.region(BYTES);
        Region written = pair.b.region(1000);
        Region protectedOne = pair.b.region(1000, NOT_WRITABLE);
        StreamPair.fill(remote, 2);
        fill(local.segment(), random, written, protectedOne);
        int messages = 5 + random.nextInt(MESSAGES - 5);
        for (int i = 0; i < messages; i++) {
            post(pair, local, remote, random, i);
        }
        return new Reordering.Scene(pair, false, List.of(local, remote, protectedOne));
    }

    /** Payload: FPDUs, one after the other, with something between some of them. */
    private static void fill(MemorySegment memory, SplittableRandom random, Region written, Region protectedOne) {
        for (int at = 0; at < BYTES; ) {
            byte[] fpdu = new HandMade(Framing.CRC)
                    .add(ulpdu(random, written, protectedOne))
                    .bytes();
            int count = Math.min(fpdu.length, BYTES - at);
            MemorySegment.copy(fpdu, 0, memory, ValueLayout.JAVA_BYTE, at, count);
            at += fpdu.length + (random.nextInt(3) == 0 ? random.nextInt(30) : 0);
        }
    }

    private static byte[] ulpdu(SplittableRandom random, Region written, Region protectedOne) {
        int msn = 1 + random.nextInt(6);
        return switch (random.nextInt(8)) {
            case 0 -> HandMade.write(true, protectedOne.rkey(), protectedOne.baseAddress(), NEEDLE);
            case 1 -> HandMade.send(true, msn, 0, NEEDLE);
            case 2 -> HandMade.sendInvalidate(msn, written.rkey(), NEEDLE);
            case 3 -> HandMade.tagged(RdmapOpcode.READ_RESPONSE, true, random.nextInt(), 0, NEEDLE);
            default ->
                HandMade.write(
                        random.nextBoolean(), written.rkey(), written.baseAddress() + random.nextInt(900), NEEDLE);
        };
    }

    private static void post(StreamPair p, Region local, Region remote, SplittableRandom random, int id) {
        int length = random.nextInt(3) == 0 ? random.nextInt(40) : random.nextInt(CHUNK);
        int at = id * CHUNK;
        long address = remote.baseAddress() + at;
        switch (random.nextInt(6)) {
            case 0 -> {
                p.b.postReceive(id, remote, at, length);
                p.a.post(WorkOpcode.SEND, WrFlags.SIGNALLED, w -> w.wrId(id).addElement(local.localKey(), at, length));
            }
            case 1 ->
                p.a.post(
                        WorkOpcode.READ,
                        w -> w.wrId(id)
                                .rkey(remote.rkey())
                                .remoteAddress(address)
                                .addElement(local.localKey(), at, length));
            default ->
                p.a.post(
                        WorkOpcode.WRITE,
                        w -> w.wrId(id)
                                .rkey(remote.rkey())
                                .remoteAddress(address)
                                .addElement(local.localKey(), at, length));
        }
    }

    /** Segments that begin where FPDUs begin, true ones and those in payload, and some that begin elsewhere. */
    private static List<Range> segments(SplittableRandom random, Reordering r, int leg) {
        byte[] bytes = r.content(leg);
        long base = r.base(leg);
        List<Long> cuts = new ArrayList<>();
        for (long end : r.ends(leg)) {
            if (random.nextInt(3) > 0) {
                cuts.add(end);
            }
        }
        for (int i = 16; i + NEEDLE.length <= bytes.length; i++) {
            if (bytes[i] == NEEDLE[0] && bytes[i + 7] == NEEDLE[7] && random.nextInt(4) == 0) {
                boolean untagged = random.nextInt(3) == 0;
                cuts.add(base + Math.max(1, i - (untagged ? 20 : 16)));
            }
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            cuts.add(base + random.nextInt(bytes.length));
        }
        List<Range> order = new ArrayList<>(Reordering.cut(base, base + bytes.length, cuts));
        for (int i = random.nextInt(4); i > 0; i--) {
            long from = base + random.nextInt(bytes.length);
            order.add(new Range(from, from + 1 + random.nextInt((int) (base + bytes.length - from))));
        }
        if (random.nextInt(4) == 0) {
            Collections.shuffle(order, new Random(random.nextLong()));
        } else {
            late(random, order);
        }
        return order;
    }

    /** Mostly in order: some segments arrive later. */
    private static void late(SplittableRandom random, List<Range> order) {
        for (int i = order.size() / 5 + 1; i > 0; i--) {
            int from = random.nextInt(order.size());
            Range moved = order.remove(from);
            order.add(Math.min(order.size(), from + random.nextInt(20)), moved);
        }
    }

    @Test
    void payloadFullOfFpdus_segmentsBeginThere_isAsInOrder() {
        int[] withdrawn = {0};
        Seeds.each(SEEDS, seed -> {
            Reordering r = new Reordering(() -> scene(seed, UnaryOperator.identity()));
            SplittableRandom random = new SplittableRandom(~seed);
            for (int run = 0; run < 6; run++) {
                r.run((leg, whole) -> segments(random, r, leg));
            }
            withdrawn[0] += r.withdrawn();
        });
        assertTrue(withdrawn[0] > SEEDS, "wrong guesses: " + withdrawn[0]);
    }

    @Test
    void payloadFullOfFpdus_memoryComesAndGoes_isAsInOrder() {
        Seeds.each(SEEDS, seed -> {
            SplittableRandom random = new SplittableRandom(~seed);
            Reordering r = new Reordering(() -> scene(seed, sink -> new NotNow(sink, () -> random.nextInt(4) == 0)));
            for (int run = 0; run < 4; run++) {
                r.run((leg, whole) -> segments(random, r, leg));
            }
        });
    }
}
