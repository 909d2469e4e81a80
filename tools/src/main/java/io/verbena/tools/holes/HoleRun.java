package io.verbena.tools.holes;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.verbena.base.Times;
import io.verbena.sim.SimRandom;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.PriorityQueue;

/**
 * A transfer over a {@link HolePath}, in virtual time: two hosts with the TCP of the library, as an RNIC over a TUN device has it. The sender
 * repeats rounds of a Write, a Send and a Read of what it wrote before, as fast as its TCP permits. The reverse path has no faults.
 *
 * <pre>
 *   iWARP                                              iWARP, placing on arrival
 *     |                                                  ^
 *   TCP of the library                                 TCP of the library: copies what was not taken
 *     |                                                  |
 *   sender --- packets: late, lost ---------------&gt; receiver
 *                                              \---&gt; count of what one that waits for order would have buffered
 *          &lt;-- acknowledgements, Read Responses ---
 * </pre>
 */
public final class HoleRun {

    private static final int SEND_BYTES = 1_000;
    private static final int READ_BYTES = 500;
    private static final int RECEIVES = 200;
    private static final long SECOND_NS = 1_000_000_000;
    private static final int MOST_SAMPLES = 400;
    private static final long LIMIT_NS = 3_600 * SECOND_NS;

    private final HolePath path;
    private final int rounds;
    private final int writeBytes;
    private final SimRandom random;
    private final HoleEnd sender;
    private final HoleEnd receiver;
    private final HoleWatch watch;
    private final HoleHost near;
    private final HoleHost far;
    private final PriorityQueue<Arrival> onTheWay = new PriorityQueue<>(HoleRun::compare);

    private long nowNs;
    private long order;
    private long lineFreeNs;

    private int postedRounds;
    private int postedInRound;
    private int receivesPosted;
    private int sends;
    private int reads;
    private int segments;
    private int lost;

    private static int compare(Arrival a, Arrival b) {
        long laterNs = a.atNs() - b.atNs();
        return laterNs == 0 ? Long.compare(a.order(), b.order()) : Long.signum(laterNs);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Arrival(long atNs, long order, HoleHost host, byte[] frame) {}

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
        watch = new HoleWatch(receiver, this::takeCompletions);
        near = new HoleHost(1, new EndTaker(sender), path, random.fork(3), this::forward);
        far = new HoleHost(2, watch, path, random.fork(4), this::backward);
    }

    /**
     * Runs the transfer to its end and verifies it.
     *
     * @throws IllegalStateException if a byte or a completion is wrong
     */
    public HoleResult run() {
        try {
            return transfer();
        } catch (IllegalStateException e) {
            throw new IllegalStateException("Seed " + path.seed() + ": " + e.getMessage(), e);
        }
    }

    private HoleResult transfer() {
        MemorySegment data = sender.memory.segment();
        for (long at = 0; at < writeOffset(rounds); at += Long.BYTES) {
            data.set(JAVA_LONG_UNALIGNED, Math.min(at, data.byteSize() - 8), at * 31 + 7);
        }
        try {
            far.listen();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        near.connect(far);
        settle();
        while (sends < rounds || reads < rounds) {
            advance();
            settle();
        }
        verify();
        return new HoleResult(
                new HoleResult.Traffic(receiver.stream.nextOffset(), segments, lost, nowNs, sends),
                new HoleResult.Kept(watch.refused(), far.bytesCopied(), watch.mostKeptBytes()),
                new HoleResult.InOrder(watch.afterHolesBytes(), watch.mostWaitingBytes()),
                receiver.stream.holeFigures(),
                watch.closed(),
                watch.samples(MOST_SAMPLES));
    }

    /** Both hosts have their turns, until they wait for time to pass. */
    private void settle() {
        boolean more = true;
        while (more) {
            post();
            more = near.turn(nowNs) | far.turn(nowNs);
        }
    }

    /** Time passes until the next arrival or deadline. */
    private void advance() {
        long nextNs = Times.earlier(near.nextDeadlineNs(), far.nextDeadlineNs());
        Arrival first = onTheWay.peek();
        nextNs = first == null ? nextNs : Times.earlier(nextNs, first.atNs());
        check(nextNs != Times.NEVER && nextNs - LIMIT_NS < 0, "the transfer makes progress, at " + sends + " Sends");
        nowNs = Times.due(nextNs, nowNs) ? nowNs : nextNs;
        while (!onTheWay.isEmpty() && Times.due(onTheWay.peek().atNs(), nowNs)) {
            Arrival arrival = onTheWay.remove();
            arrival.host().arrive(arrival.frame());
        }
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

    /** Posts what can be posted. */
    private void post() {
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

    // The path.

    /** A packet of the sender, which may be lost or late. */
    private void forward(byte[] frame) {
        boolean data = hasData(frame);
        lineFreeNs =
                (Times.due(lineFreeNs, nowNs) ? nowNs : lineFreeNs) + frame.length * SECOND_NS / path.bytesPerSecond();
        if (happens(path.lostPercent())) {
            lost++;
            return;
        }
        segments += data ? 1 : 0;
        long lateNs = happens(path.latePercent()) ? 1 + (long) (path.lateNs() * fraction()) : 0;
        onTheWay.add(new Arrival(lineFreeNs + path.oneWayNs() + lateNs, order++, far, frame));
    }

    private void backward(byte[] frame) {
        onTheWay.add(new Arrival(nowNs + path.oneWayNs(), order++, near, frame));
    }

    private static boolean hasData(byte[] frame) {
        int at = VirtioNetHeader.LENGTH + Ipv4Header.LENGTH;
        return frame.length
                > at + new TcpHeader().wrap(MemorySegment.ofArray(frame), at).headerBytes();
    }

    private double fraction() {
        return (random.nextLong() >>> 11) * 0x1.0p-53;
    }

    private boolean happens(double percent) {
        return fraction() * 100 < percent;
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
            throw new IllegalStateException("expected that " + what);
        }
    }
}
