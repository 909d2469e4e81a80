package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.SegmentTaker;
import io.verbena.port.StreamEvents;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** One side of a {@link PairRun}: sends random bytes, in pieces, and receives those of the other side. */
final class PairSide implements StreamEvents, SegmentTaker {

    private static final int PREFACE = 20;

    private final TcpHost host;
    private final TcpLoop loop;
    private final Random random;
    private final boolean segments;
    private final boolean guesses;
    private final Deque<Range> guessed = new ArrayDeque<>();
    private final Deque<Range> withdrawn = new ArrayDeque<>();
    private Range lastWithdrawn = new Range(0, 0);
    private final byte[] toSend;
    private final byte[] received;
    private final BitSet taken = new BitSet();
    private @Nullable TcpStream stream;
    private int sent;
    private int count;
    private boolean ended;
    private boolean closed;
    private boolean delivering;
    private long takenFrom;
    private long takenTo;
    private long inOrder;

    private record Range(long from, long to) {}

    PairSide(TcpHost host, Random random, PairPlan plan, int index) {
        this.host = host;
        this.loop = host.newLoop(() -> {});
        this.random = random;
        this.segments = plan.reception().segments();
        this.guesses = plan.reception().guesses();
        this.toSend = new byte[plan.bytes() + (index == 0 ? 0 : plan.bytes() / 3)];
        this.received = new byte[2 * plan.bytes() + 1];
        random.nextBytes(toSend);
    }

    TcpHost host() {
        return host;
    }

    TcpLoop loop() {
        return loop;
    }

    void begin(TcpStream tcpStream) {
        stream = tcpStream;
        loop.attach(tcpStream, this);
    }

    boolean done() {
        return closed;
    }

    /** Whether the host holds no connection and no memory any more. */
    boolean gone() {
        return host.connectionCount() == 0 && host.lentBuffers() == 0;
    }

    void checkEqual(PairSide other) {
        assertEquals(other.toSend.length, count, "bytes received");
        assertArrayEquals(other.toSend, Arrays.copyOf(received, count));
    }

    /** Does something; returns whether it did. */
    boolean work() throws IOException {
        TcpStream currentStream = stream;
        if (currentStream == null || closed) {
            return false;
        }
        boolean worked = send(currentStream) | receive(currentStream);
        if (ended && sent == toSend.length + 1) {
            currentStream.close(false);
            closed = true;
        }
        return worked;
    }

    private boolean send(TcpStream tcpStream) throws IOException {
        if (sent > toSend.length) {
            return false;
        }
        if (sent == toSend.length) {
            tcpStream.shutdownOutput();
            sent++;
            return true;
        }
        int part = Math.min(toSend.length - sent, 1 + random.nextInt(5_000));
        int written;
        if (random.nextBoolean()) {
            ByteBuffer piece =
                    ByteBuffer.allocateDirect(part).put(toSend, sent, part).flip();
            written = tcpStream.write(piece);
        } else {
            TransmitList list = new TransmitList(8192);
            for (int at = 0; at < part; ) {
                int unit = Math.min(part - at, 1 + random.nextInt(1_400));
                MemorySegment.copy(
                        toSend, sent + at, list.slab().segment(), ValueLayout.JAVA_BYTE, list.reserve(unit), unit);
                list.endUnit(0);
                at += unit;
            }
            written = tcpStream.write(list);
        }
        sent += written;
        return written > 0;
    }

    private boolean receive(TcpStream tcpStream) throws IOException {
        if (ended) {
            return false;
        }
        int got;
        if (segments && count >= PREFACE || delivering) {
            if (!delivering) {
                delivering = true;
                inOrder = count;
                tcpStream.deliverSegments(count);
            }
            got = tcpStream.receive(this, 1 + random.nextInt(100_000));
            ended = got == ByteStream.END;
            return got > 0;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(segments ? PREFACE - count : 1 + random.nextInt(9_000));
        got = tcpStream.read(buffer);
        if (got == ByteStream.END) {
            ended = true;
            return true;
        }
        buffer.flip().get(received, count, got);
        count += got;
        return got > 0;
    }

    @Override
    public void onSegment(long streamOffset, Slab slab, int from, int to) {
        assertTrue(from >= 0 && to <= slab.capacity());
        takenFrom = streamOffset;
        takenTo = streamOffset + (to - from);
        if (random.nextInt(6) == 0) {
            takenTo = streamOffset + random.nextInt(to - from + 1);
        } else if (random.nextInt(6) == 0 && streamOffset > inOrder) {
            takenFrom = streamOffset + random.nextInt(to - from + 1);
        }
        int first = from + (int) (takenFrom - streamOffset);
        for (long at = takenFrom; at < takenTo; at++) {
            byte value = slab.segment().get(ValueLayout.JAVA_BYTE, first + at - takenFrom);
            if (taken.get((int) at)) {
                assertEquals(received[(int) at], value, "byte " + at + " has changed");
            }
            received[(int) at] = value;
            taken.set((int) at);
        }
        boolean guess = guesses && takenFrom > inOrder && takenFrom < takenTo && random.nextInt(4) == 0;
        decideGuesses();
        if (guess) {
            guessed.add(new Range(takenFrom, takenTo));
        }
        inOrder = Math.max(inOrder, taken.nextClearBit((int) inOrder));
    }

    /** Withdraws some guesses: at any time, and at the latest when the bytes before them are in order. */
    private void decideGuesses() {
        for (int left = guessed.size(); left > 0; left--) {
            Range guess = guessed.remove();
            boolean reached = taken.nextClearBit((int) inOrder) > guess.from;
            boolean repeated = guess.from < takenTo && guess.to > takenFrom;
            if (repeated || reached && random.nextBoolean()) {
                continue; // right
            }
            if (reached || random.nextInt(10) == 0) {
                taken.clear((int) guess.from, (int) guess.to);
                withdrawn.add(guess);
            } else {
                guessed.add(guess);
            }
        }
    }

    @Override
    public boolean nextWithdrawn() {
        Range next = withdrawn.poll();
        lastWithdrawn = next == null ? lastWithdrawn : next;
        return next != null;
    }

    @Override
    public long withdrawnFrom() {
        return lastWithdrawn.from;
    }

    @Override
    public long withdrawnTo() {
        return lastWithdrawn.to;
    }

    @Override
    public long takenFrom() {
        return takenFrom;
    }

    @Override
    public long takenTo() {
        return takenTo;
    }

    @Override
    public void onInOrder(long streamOffset) {
        assertTrue(streamOffset <= inOrder, () -> streamOffset + " was not taken, only " + inOrder);
        count = (int) streamOffset;
    }

    @Override
    public void onReadable() {}

    @Override
    public void onWritable() {}

    @Override
    public String toString() {
        return "sent " + sent + " of " + toSend.length + ", received " + count + (ended ? ", ended" : "")
                + (closed ? ", closed" : "") + ", " + host.connectionCount() + " connections";
    }
}
