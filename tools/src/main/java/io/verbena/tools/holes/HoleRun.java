package io.verbena.tools.holes;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.iwarp.Hole;
import io.verbena.sim.SimRandom;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * A transfer over a {@link HolePath}, in virtual time. The sender repeats rounds of a Write, a Send and a Read of what it wrote
 * before, as fast as its window permits. Its TCP puts each FPDU in a segment of its own. The reverse path has no faults.
 *
 * <pre>
 *   sender --- segments: late, lost ---&gt; receiver, placing on arrival
 *                                  \---&gt; count of what one that waits for order would have buffered
 *          &lt;-- acknowledgements, Read Responses ---
 * </pre>
 */
public final class HoleRun {

    private static final int SEND_BYTES = 1_000;
    private static final int READ_BYTES = 500;
    private static final int RECEIVES = 200;
    private static final long SECOND_NS = 1_000_000_000;
    private static final int MOST_SAMPLES = 400;

    private final HolePath path;
    private final int rounds;
    private final int writeBytes;
    private final SimRandom random;
    private final HoleEnd sender;
    private final HoleEnd receiver;

    /** All segments of the stream, in order. */
    private final List<Segment> segments = new ArrayList<>();

    private final PriorityQueue<Event> events = new PriorityQueue<>(HoleRun::compare);
    private final Slab slab;
    private final List<ClosedHole> closed = new ArrayList<>();
    private final List<HoleSample> samples = new ArrayList<>();

    private long nowNs;
    private long order;
    private long lineFreeNs;
    private long sentBytes;
    private long streamBytes;
    private long acknowledged;
    private int nextToSend;

    private int postedRounds;
    private int postedInRound;
    private int receivesPosted;
    private int sends;
    private int reads;

    private int arrivals;
    private int lost;
    private int refused;
    private long refusedBytes;
    private long keptBytes;
    private long mostKeptBytes;

    /** What was not taken after a hole, in the order of the stream. */
    private final PriorityQueue<Segment> kept = new PriorityQueue<>((a, b) -> Long.compare(a.offset, b.offset));

    /** First segment that has not arrived: what a receiver that waits for order waits for. */
    private int firstMissing;

    private long waitingBytes;
    private long mostWaitingBytes;
    private long afterHolesBytes;

    private static int compare(Event a, Event b) {
        long laterNs = a.atNs() - b.atNs();
        return laterNs == 0 ? Long.compare(a.order(), b.order()) : Long.signum(laterNs);
    }

    private record Event(long atNs, long order, Runnable action) {}

    private static final class Segment {
        final long offset;
        final byte[] bytes;
        boolean arrived;
        long arrivedNs;

        Segment(long offset, byte[] bytes) {
            this.offset = offset;
            this.bytes = bytes;
        }

        long end() {
            return offset + bytes.length;
        }
    }

    /**
     * A transfer that is about to begin.
     *
     * @param rounds number of rounds, 1 or more
     * @param writeBytes length of each Write, 1 or more
     */
    public HoleRun(HolePath path, int rounds, int writeBytes) {
        this.path = path;
        this.rounds = rounds;
        this.writeBytes = writeBytes;
        random = new SimRandom(path.seed());
        long memoryBytes = (long) writeBytes * rounds + (long) SEND_BYTES * rounds + (long) READ_BYTES * rounds;
        sender = new HoleEnd(true, memoryBytes, path.segmentBytes(), path.starts(), random.fork(1));
        receiver = new HoleEnd(false, memoryBytes, path.segmentBytes(), path.starts(), random.fork(2));
        slab = new Slab(path.segmentBytes() + 64);
    }

    /**
     * Runs the transfer to its end and verifies it.
     *
     * @throws IllegalStateException if a byte or a completion is wrong
     */
    public HoleResult run() {
        MemorySegment data = sender.memory.segment();
        for (long at = 0; at < writeOffset(rounds); at += Long.BYTES) {
            data.set(JAVA_LONG_UNALIGNED, Math.min(at, data.byteSize() - 8), at * 31 + 7);
        }
        pump();
        while (!events.isEmpty()) {
            Event next = events.poll();
            nowNs = next.atNs();
            next.action().run();
            pump();
        }
        verify();
        return new HoleResult(
                streamBytes,
                arrivals,
                lost,
                refused,
                refusedBytes,
                mostKeptBytes,
                nowNs,
                sends,
                afterHolesBytes,
                mostWaitingBytes,
                receiver.stream.holeFigures(),
                List.copyOf(closed),
                thinned());
    }

    private void at(long timeNs, Runnable action) {
        events.add(new Event(timeNs, order++, action));
    }

    // Work.

    private long writeOffset(int round) {
        return (long) round * writeBytes;
    }

    private long sendOffset(int round) {
        return writeOffset(rounds) + (long) round * SEND_BYTES;
    }

    private long readOffset(int round) {
        return sendOffset(rounds) + (long) round * READ_BYTES;
    }

    /** Posts what can be posted, and sends what the window permits. */
    private void pump() {
        while (receivesPosted < Math.min(rounds, sends + RECEIVES)) {
            check(receiver.postReceive(receivesPosted, sendOffset(receivesPosted), SEND_BYTES), "a receive was posted");
            receivesPosted++;
        }
        while (sender.ring.peek(sender.cqe)) {
            check(sender.cqe.status() == CompletionStatus.SUCCESS, "the sender's work succeeds");
            reads += sender.cqe.opcode() == CompletionOpcode.READ ? 1 : 0;
            sender.ring.release();
        }
        // No more Sends than receives.
        while (postedRounds < Math.min(rounds, sends + RECEIVES / 2) && postNext()) {
            postedInRound++;
            if (postedInRound == 3) {
                postedInRound = 0;
                postedRounds++;
            }
        }
        while (sentBytes - acknowledged < path.windowBytes()) {
            if (nextToSend == segments.size() && !produce()) {
                return;
            }
            Segment segment = segments.get(nextToSend++);
            sentBytes = segment.end();
            transmit(segment);
        }
    }

    private boolean postNext() {
        int round = postedRounds;
        long base = receiver.memory.baseAddress();
        return switch (postedInRound) {
            case 0 ->
                sender.post(
                        WorkOpcode.WRITE,
                        w -> w.rkey(receiver.memory.rkey())
                                .remoteAddress(base + writeOffset(round))
                                .addElement(sender.memory.localKey(), writeOffset(round), writeBytes));
            case 1 ->
                sender.post(
                        WorkOpcode.SEND,
                        w -> w.addElement(sender.memory.localKey(), sendOffset(round), SEND_BYTES - round % 2));
            default ->
                sender.post(
                        WorkOpcode.READ,
                        w -> w.rkey(receiver.memory.rkey())
                                .remoteAddress(base + writeOffset(round))
                                .addElement(
                                        sender.memory.localKey(), readOffset(round), Math.min(READ_BYTES, writeBytes)));
        };
    }

    private boolean produce() {
        int before = segments.size();
        for (byte[] unit : sender.transmit(nowNs)) {
            segments.add(new Segment(streamBytes, unit));
            streamBytes += unit.length;
        }
        return segments.size() > before;
    }

    // The path.

    private void transmit(Segment segment) {
        lineFreeNs = (Times.due(lineFreeNs, nowNs) ? nowNs : lineFreeNs)
                + segment.bytes.length * SECOND_NS / path.bytesPerSecond();
        long arrivalNs = lineFreeNs + path.oneWayNs();
        if (happens(path.lostPercent())) {
            lost++;
            at(arrivalNs + path.oneWayNs(), () -> transmit(segment));
            return;
        }
        long lateNs = happens(path.latePercent()) ? 1 + (long) (path.lateNs() * fraction()) : 0;
        at(arrivalNs + lateNs, () -> arrive(segment));
    }

    private double fraction() {
        return (random.nextLong() >>> 11) * 0x1.0p-53;
    }

    private boolean happens(double percent) {
        return fraction() * 100 < percent;
    }

    private void arrive(Segment segment) {
        arrivals++;
        long before = receiver.stream.nextOffset();
        boolean fills = segment.offset <= before && receiver.stream.holes() > 0;
        Optional<ClosedHole> closing = fills ? Optional.of(closing(receiver.stream.hole(0), before)) : Optional.empty();
        if (!segment.arrived) {
            segment.arrived = true;
            segment.arrivedNs = nowNs;
            countForOneThatWaits(segment);
        }
        MemorySegment.copy(segment.bytes, 0, slab.segment(), JAVA_BYTE, 0, segment.bytes.length);
        receiver.stream.onSegment(segment.offset, slab, 0, segment.bytes.length, nowNs);
        check(!receiver.stream.nextWithdrawn(), "no guess was wrong");
        keep(segment, receiver.stream.takenTo() - receiver.stream.takenFrom());
        offerKept();
        int completed = takeCompletions();
        long after = receiver.stream.nextOffset();
        closing.filter(hole -> after > hole.from() + hole.missingBytes()).ifPresent(hole -> {
            check(completed >= hole.sends(), "each Send after the hole has completed within the call that closed it");
            closed.add(hole);
        });
        at(nowNs + path.oneWayNs(), () -> acknowledged = Math.max(acknowledged, after));
        respond();
        samples.add(new HoleSample(nowNs, receiver.stream.holes(), waitingBytes, receiver.stream.scrapBytes()));
    }

    /** The TCP keeps a segment after a hole that was not taken, or was taken in part, until the hole has closed. */
    private void keep(Segment segment, long taken) {
        if (taken < segment.bytes.length) {
            refused++;
            kept.add(segment);
            keptBytes += segment.bytes.length;
            refusedBytes += segment.bytes.length;
            mostKeptBytes = Math.max(mostKeptBytes, keptBytes + receiver.stream.scrapBytes());
        }
    }

    private void offerKept() {
        while (!kept.isEmpty() && kept.peek().offset <= receiver.stream.nextOffset()) {
            Segment segment = kept.poll();
            keptBytes -= segment.bytes.length;
            MemorySegment.copy(segment.bytes, 0, slab.segment(), JAVA_BYTE, 0, segment.bytes.length);
            receiver.stream.onSegment(segment.offset, slab, 0, segment.bytes.length, nowNs);
        }
    }

    private ClosedHole closing(Hole hole, long from) {
        long waitedSince = nowNs;
        for (int i = firstMissing; i < segments.size() && segments.get(i).offset <= hole.to(); i++) {
            waitedSince = segments.get(i).offset == hole.to() ? segments.get(i).arrivedNs : waitedSince;
        }
        return new ClosedHole(
                nowNs, nowNs - waitedSince, from, hole.to() - from, hole.placedBytes(), hole.sends(), hole.requests());
    }

    /** A receiver that waits for order keeps a segment that arrives after a hole until the hole has closed. */
    private void countForOneThatWaits(Segment segment) {
        if (segments.get(firstMissing) != segment) {
            afterHolesBytes += segment.bytes.length;
            waitingBytes += segment.bytes.length;
            mostWaitingBytes = Math.max(mostWaitingBytes, waitingBytes);
            return;
        }
        firstMissing++;
        while (firstMissing < segments.size() && segments.get(firstMissing).arrived) {
            waitingBytes -= segments.get(firstMissing++).bytes.length;
        }
    }

    private int takeCompletions() {
        int completed = 0;
        while (receiver.ring.peek(receiver.cqe)) {
            check(receiver.cqe.status() == CompletionStatus.SUCCESS, "the receives succeed");
            check(receiver.cqe.wrId() == sends, "the receives complete in order");
            check(receiver.cqe.byteCount() == SEND_BYTES - sends % 2, "a receive reports its length");
            receiver.ring.release();
            sends++;
            completed++;
        }
        return completed;
    }

    /** The receiver's Read Responses, on the path without faults. */
    private void respond() {
        for (byte[] unit : receiver.transmit(nowNs)) {
            at(nowNs + path.oneWayNs(), () -> {
                MemorySegment.copy(unit, 0, slab.segment(), JAVA_BYTE, 0, unit.length);
                sender.stream.onBytes(slab, 0, unit.length, nowNs);
            });
        }
    }

    // The end.

    private void verify() {
        check(receiver.stream.ending().isEmpty() && sender.stream.ending().isEmpty(), "the stream did not end");
        check(sends == rounds, "all Sends completed, not only " + sends + " of " + rounds);
        check(reads == rounds, "all Reads completed, not only " + reads + " of " + rounds);
        long placed = writeOffset(rounds);
        check(
                MemorySegment.mismatch(sender.memory.segment(), 0, placed, receiver.memory.segment(), 0, placed) < 0,
                "the bytes are equal");
    }

    private void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("Seed " + path.seed() + ": expected that " + what);
        }
    }

    private List<HoleSample> thinned() {
        int step = Math.max(1, samples.size() / MOST_SAMPLES);
        List<HoleSample> few = new ArrayList<>();
        for (int i = 0; i < samples.size(); i += step) {
            few.add(samples.get(i));
        }
        return List.copyOf(few);
    }
}
