package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.memory.Region;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Runs a conversation twice: in order, as the model, and with the segments of each direction in an order given by the
 * test, with refused segments repeated. After each segment the receiver must have reported exactly what the model had
 * reported at the same stream position; in the end all memory must be equal.
 */
public final class Reordering {

    /** Maximum number of consecutive refusals by memory that comes and goes. */
    private static final int MAX_IDLE = 100;

    /** How often the only segment that is in order may be refused by such memory, while all others wait for it. */
    private static final int MAX_ROUNDS = 12;

    /** A conversation that is about to begin: all is posted. */
    public record Scene(StreamPair pair, boolean markers, List<Region> memory) {}

    /** A range of stream offsets. */
    public record Range(long from, long to) {}

    /** All bytes that one side sent in a leg, and what the other had reported at the end of each FPDU, in order. */
    private record Leg(boolean fromA, long base, byte[] bytes, TreeMap<Long, String> reported) {}

    private final Supplier<Scene> scenes;
    private final List<Leg> legs = new ArrayList<>();
    private final List<byte[]> memory;
    private int refused;
    private int withdrawn;

    public Reordering(Supplier<Scene> scenes) {
        this.scenes = scenes;
        Scene scene = scenes.get();
        Reported reported = new Reported(scene.pair);
        long[] sent = new long[2];
        while (true) {
            int before = legs.size();
            for (boolean fromA : new boolean[] {true, false}) {
                byte[] bytes = reported.takeWire(fromA);
                if (bytes.length > 0) {
                    legs.add(inOrder(scene, reported, fromA, sent[fromA ? 0 : 1], bytes));
                    sent[fromA ? 0 : 1] += bytes.length;
                }
            }
            if (legs.size() == before) {
                break;
            }
        }
        memory = contents(scene);
    }

    private static Leg inOrder(Scene scene, Reported reported, boolean fromA, long base, byte[] bytes) {
        Leg leg = new Leg(fromA, base, bytes, new TreeMap<>());
        leg.reported.put(base, reported.by(!fromA));
        Slab slab = new Slab(bytes.length);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, slab.segment(), 0, bytes.length);
        IwarpStream receiver = (fromA ? scene.pair.b : scene.pair.a).stream;
        long[] ends = fpduEnds(scene.markers, base, bytes);
        long from = base;
        for (long end : ends) {
            int at = (int) (from - base);
            while (at < end - base) {
                at = receiver.onBytes(slab, at, (int) (end - base), 0);
                if (at < end - base || receiver.suspended()) {
                    receiver.resume();
                }
            }
            settle(receiver);
            assertTrue(receiver.ending().isEmpty(), () -> receiver.ending().toString());
            assertEquals(end, receiver.nextOffset());
            leg.reported.put(end, reported.by(!fromA));
            from = end;
        }
        return leg;
    }

    private static void settle(IwarpStream receiver) {
        while (receiver.suspended()) {
            receiver.resume();
        }
    }

    /** Stream offsets at which the FPDUs of a run of whole FPDUs end. */
    public static long[] fpduEnds(boolean markers, long base, byte[] bytes) {
        List<Long> ends = new ArrayList<>();
        FpduHeader header = new FpduHeader();
        for (long at = base; at < base + bytes.length; ) {
            int lead = markers && Marker.isAt(at) ? Marker.LENGTH : 0;
            int length =
                    header.wrap(MemorySegment.ofArray(bytes), at - base + lead).ulpduLength();
            at += markers ? Marker.fpduWireLength(at, length) : FpduHeader.fpduLength(length);
            ends.add(at);
        }
        return ends.stream().mapToLong(Long::longValue).toArray();
    }

    public int legs() {
        return legs.size();
    }

    public long base(int leg) {
        return legs.get(leg).base;
    }

    public int bytes(int leg) {
        return legs.get(leg).bytes.length;
    }

    /** Ends of the FPDUs of a leg, as stream offsets. */
    public List<Long> ends(int leg) {
        return legs.get(leg).reported.keySet().stream().skip(1).toList();
    }

    /** Segments that were not taken whole in the run before. */
    int refused() {
        return refused;
    }

    /** Ranges that were withdrawn in the runs so far. */
    public int withdrawn() {
        return withdrawn;
    }

    /** The bytes of a leg. */
    public byte[] content(int leg) {
        return legs.get(leg).bytes;
    }

    /** Runs the conversation with the segments of leg {@code which} in this order, and everything else in order. */
    public void run(int which, List<Range> order) {
        run((leg, inOrder) -> leg == which ? order : inOrder);
    }

    /** The order of the segments of a leg, given the whole leg as one. */
    public interface Order {
        List<Range> of(int leg, List<Range> whole);
    }

    public void run(Order order) {
        refused = 0;
        Scene scene = scenes.get();
        Reported reported = new Reported(scene.pair);
        for (int i = 0; i < legs.size(); i++) {
            Leg leg = legs.get(i);
            assertArrayEquals(leg.bytes, reported.takeWire(leg.fromA), "leg " + i + ": other bytes than in order");
            Range whole = new Range(leg.base, leg.base + leg.bytes.length);
            feed(leg, (leg.fromA ? scene.pair.b : scene.pair.a).stream, reported, order.of(i, List.of(whole)));
        }
        assertEquals(0, reported.takeWire(true).length + reported.takeWire(false).length);
        List<byte[]> own = contents(scene);
        for (int i = 0; i < own.size(); i++) {
            assertArrayEquals(memory.get(i), own.get(i), "memory " + i);
        }
    }

    private void feed(Leg leg, IwarpStream receiver, Reported reported, List<Range> order) {
        Slab slab = new Slab(leg.bytes.length + 64);
        Deque<Range> due = new ArrayDeque<>(order);
        int idle = 0;
        while (!due.isEmpty()) {
            Range r = due.poll();
            int count = (int) (r.to - r.from);
            int at = (int) (r.from & 31);
            MemorySegment.copy(leg.bytes, (int) (r.from - leg.base), slab.segment(), ValueLayout.JAVA_BYTE, at, count);
            long before = receiver.nextOffset();
            receiver.onSegment(r.from, slab, at, at + count, 0);
            // What was used must not be needed any more.
            slab.segment().fill((byte) 0x5a);
            assertTrue(r.from <= receiver.takenFrom() && receiver.takenFrom() <= receiver.takenTo());
            assertTrue(receiver.takenTo() <= r.to);
            settle(receiver);
            assertTrue(receiver.ending().isEmpty(), () -> receiver.ending().toString());
            // RFC 5041 section 5.3 [2, 3]: what was reported is what the stream in order has reported, once.
            assertEquals(
                    leg.reported.floorEntry(receiver.nextOffset()).getValue(), reported.by(!leg.fromA), "delivered");
            boolean progress = receiver.takenFrom() < receiver.takenTo();
            idle = progress ? 0 : idle + 1;
            assertTrue(idle <= MAX_ROUNDS * due.size() + MAX_IDLE, "no progress");
            again(due, r, receiver);
            while (receiver.nextWithdrawn()) {
                assertTrue(receiver.withdrawnFrom() >= before, "withdrawn after it was acknowledged");
                if (receiver.withdrawnTo() > receiver.nextOffset()) {
                    due.add(new Range(receiver.withdrawnFrom(), receiver.withdrawnTo()));
                }
                withdrawn++;
            }
        }
        assertEquals(leg.base + leg.bytes.length, receiver.nextOffset());
    }

    /** Bytes that were not taken arrive again, after those that are due. */
    private void again(Deque<Range> due, Range r, IwarpStream receiver) {
        int before = due.size();
        if (receiver.takenFrom() == receiver.takenTo()) {
            due.add(r);
        } else {
            if (r.from < receiver.takenFrom()) {
                due.add(new Range(r.from, receiver.takenFrom()));
            }
            if (receiver.takenTo() < r.to) {
                due.add(new Range(receiver.takenTo(), r.to));
            }
        }
        refused += due.size() > before ? 1 : 0;
    }

    private static List<byte[]> contents(Scene scene) {
        return scene.memory.stream()
                .map(r -> r.segment().toArray(ValueLayout.JAVA_BYTE))
                .toList();
    }

    /** All completions of both ends so far. */
    private static final class Reported {
        private final StreamPair pair;
        private final StringBuilder a = new StringBuilder();
        private final StringBuilder b = new StringBuilder();

        Reported(StreamPair pair) {
            this.pair = pair;
        }

        /** What an end has reported, and whether it was made to send something. */
        String by(boolean endA) {
            StringBuilder all = endA ? a : b;
            StreamPair.End end = endA ? pair.a : pair.b;
            end.completions().forEach(c -> all.append(c).append('\n'));
            return all + "work: " + end.stream.hasTransmitWork(0);
        }

        byte[] takeWire(boolean endA) {
            StreamPair.End end = endA ? pair.a : pair.b;
            end.transmit(0, 64 * 1024);
            byte[] bytes = end.wire;
            end.wire = new byte[0];
            return Arrays.copyOf(bytes, bytes.length);
        }
    }

    /** All orders of a list. */
    public static <T> List<List<T>> permutations(List<T> all) {
        if (all.isEmpty()) {
            return List.of(List.of());
        }
        List<List<T>> result = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            List<T> rest = new ArrayList<>(all);
            T first = rest.remove(i);
            for (List<T> tail : permutations(rest)) {
                List<T> order = new ArrayList<>(List.of(first));
                order.addAll(tail);
                result.add(order);
            }
        }
        return result;
    }

    /** Cuts a range at these offsets. */
    public static List<Range> cut(long from, long to, List<Long> at) {
        List<Range> pieces = new ArrayList<>();
        long begin = from;
        for (long end : at.stream().sorted().distinct().toList()) {
            if (end > begin && end < to) {
                pieces.add(new Range(begin, end));
                begin = end;
            }
        }
        pieces.add(new Range(begin, to));
        return pieces;
    }
}
