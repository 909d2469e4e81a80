package io.verbena.tools.holes;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.Slab;
import io.verbena.iwarp.early.Hole;
import io.verbena.sim.SimRandom;
import io.verbena.verbs.WorkOpcode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The life of holes, step by step: seven messages, one TCP segment each, which arrive in a fixed order. */
public final class HoleLife {

    /** What a segment is at one step. */
    public enum Place {
        /** Delivered. */
        IN_ORDER,
        /** In its final buffer, and not delivered. */
        EARLY,
        MISSING
    }

    /**
     * The state after a segment has arrived.
     *
     * @param arrived index of the segment
     * @param title what happened to the holes
     * @param places all segments
     * @param counts what each hole counts, from the first hole on
     * @param delivered what the step delivered
     */
    public record Step(int arrived, String title, List<Place> places, List<String> counts, String delivered) {}

    private static final List<String> MESSAGES = List.of("Send", "Write", "Send", "Read", "Write", "Send", "Send");
    private static final int[] ORDER = {0, 2, 3, 6, 5, 4, 1};
    private static final List<String> TITLES = List.of(
            "Send 0 arrives in order and is delivered.",
            "Send 2 opens a hole. Its payload goes to its receive buffer, its length to the receive WQE.",
            "Read 3 waits in the read queue. The hole counts it.",
            "Send 6 opens a second hole.",
            "Send 5 arrives in the second hole and makes it shorter.",
            "Write 4 fills the second hole. Its counts are added to the first one.",
            "Write 1 fills the first hole: as many CQEs as it counted, and the read queue's doorbell.");
    private static final int BYTES = 1_000;
    private static final int SEGMENT_BYTES = 1_448;

    private final HoleEnd sender;
    private final HoleEnd receiver;
    private final List<byte[]> segments = new ArrayList<>();

    private HoleLife() {
        SimRandom random = new SimRandom(1);
        sender = new HoleEnd(true, (long) BYTES * MESSAGES.size(), SEGMENT_BYTES, FrameStarts.MARKERS, random);
        receiver = new HoleEnd(false, (long) BYTES * MESSAGES.size(), SEGMENT_BYTES, FrameStarts.MARKERS, random);
        for (int i = 0; i < MESSAGES.size(); i++) {
            post(i, (long) i * BYTES);
        }
        while (segments.size() < MESSAGES.size()) {
            segments.addAll(sender.transmit(0));
        }
    }

    private void post(int index, long at) {
        String kind = MESSAGES.get(index);
        if (kind.equals("Send")) {
            receiver.postReceive(index, at, BYTES);
        }
        WorkOpcode opcode = WorkOpcode.valueOf(kind.toUpperCase(Locale.ROOT));
        sender.post(
                opcode,
                w -> w.rkey(receiver.memory.rkey())
                        .remoteAddress(receiver.memory.baseAddress() + at)
                        .addElement(sender.memory.localKey(), at, BYTES));
    }

    /** The messages, in the order of the stream. */
    public static List<String> messages() {
        return MESSAGES;
    }

    /** Runs the steps on a real stream. */
    public static List<Step> steps() {
        HoleLife life = new HoleLife();
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < ORDER.length; i++) {
            steps.add(life.step(ORDER[i], TITLES.get(i)));
        }
        return steps;
    }

    private long offset(int index) {
        return segments.subList(0, index).stream()
                .mapToLong(each -> each.length)
                .sum();
    }

    private Step step(int index, String title) {
        byte[] bytes = segments.get(index);
        Slab slab = new Slab(bytes.length);
        MemorySegment.copy(bytes, 0, slab.segment(), JAVA_BYTE, 0, bytes.length);
        receiver.stream.onSegment(offset(index), slab, 0, bytes.length, 0);
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            places.add(place(offset(i)));
        }
        List<String> counts = new ArrayList<>();
        for (int i = 0; i < receiver.stream.holes(); i++) {
            Hole hole = receiver.stream.hole(i);
            counts.add("Sends " + hole.sends() + ", Reads " + hole.requests());
        }
        int completions = 0;
        while (receiver.ring.peek(receiver.cqe)) {
            receiver.ring.release();
            completions++;
        }
        int answers = receiver.transmit(0).size();
        String delivered = completions == 0
                ? "nothing delivered"
                : completions + (completions == 1 ? " CQE" : " CQEs") + (answers > 0 ? ", Read served" : "");
        return new Step(index, title, List.copyOf(places), List.copyOf(counts), delivered);
    }

    private Place place(long offset) {
        if (offset < receiver.stream.nextOffset()) {
            return Place.IN_ORDER;
        }
        for (int i = 0; i < receiver.stream.holes(); i++) {
            Hole hole = receiver.stream.hole(i);
            if (offset >= hole.from() && offset < hole.to()) {
                return Place.MISSING;
            }
        }
        return receiver.stream.holes() == 0 || offset >= arrivedEnd() ? Place.MISSING : Place.EARLY;
    }

    /** Stream offset after the last segment that has arrived. */
    private long arrivedEnd() {
        return receiver.stream.firstMissing(
                receiver.stream.hole(receiver.stream.holes() - 1).to());
    }
}
