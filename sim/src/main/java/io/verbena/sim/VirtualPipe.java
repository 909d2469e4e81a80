package io.verbena.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * One direction of a virtual stream: bytes that were written, are in transit, or can be read. Always in order; in
 * pieces, if the plan says so.
 *
 * <pre>
 *   read          arrived            written
 *    |  to be read  |   in transit      |  free
 * </pre>
 */
final class VirtualPipe {

    private final Run run;
    private final PipePlan plan;
    private final SimRandom random;
    private final Runnable onArrival;
    private final Runnable onCut;
    private final PipeTap tap;

    private byte[] ring = new byte[1024];
    private int head;
    private int buffered;
    private int arrived;

    private long written;
    private long lastArrivalNs;
    private boolean stalled;
    private boolean cut;
    private long garbageAtByte;
    private boolean finArrived;
    private boolean dead;

    /** Where the units of the writer ended, in bytes that entered the ring; only if segments are cut there. */
    private final Deque<Long> unitEnds = new ArrayDeque<>();

    private boolean keepsUnits;
    private long entered;
    private long left;

    VirtualPipe(Run run, PipePlan plan, Runnable onArrival, Runnable onCut, PipeTap tap) {
        this.run = run;
        this.plan = plan;
        this.random = run.weather().random();
        this.onArrival = onArrival;
        this.onCut = onCut;
        this.tap = tap;
        this.lastArrivalNs = run.nowNs();
        this.garbageAtByte = plan.garbageAtByte();
    }

    // Writer's side.

    int room() {
        return Math.max(0, plan.capacityBytes() - buffered);
    }

    /** Writes bytes; returns 0 if the pipe is full. */
    int write(ByteBuffer source) {
        int count = Math.min(source.remaining(), room());
        if (count == 0 || random.oneIn(plan.idleOneIn())) {
            return 0;
        }
        if (plan.maxWriteBytes() > 0) {
            count = Math.min(count, 1 + random.nextInt(plan.maxWriteBytes()));
        }
        byte[] bytes = new byte[count];
        source.get(bytes);
        tap.onBytes(bytes);
        send(bytes);
        return count;
    }

    /** Records where units end, for {@link #unitEndAfter}. */
    void keepsUnits() {
        keepsUnits = true;
    }

    /** Whether a unit of this size can be written now. */
    boolean accepts(int unitBytes) {
        return buffered == 0 || room() >= unitBytes;
    }

    /** Writes a whole unit; returns false if there is no room. */
    boolean writeUnit(byte[] unit) {
        if (!accepts(unit.length)) {
            return false;
        }
        tap.onBytes(unit);
        send(unit);
        return true;
    }

    private void send(byte[] bytes) {
        transmit(bytes);
        if (keepsUnits && entered > 0) {
            unitEnds.addLast(entered);
        }
    }

    private void transmit(byte[] bytes) {
        long from = written;
        written += bytes.length;
        if (plan.flipAtByte() >= from && plan.flipAtByte() < written) {
            bytes[(int) (plan.flipAtByte() - from)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            run.log(() -> tap.name() + " a bit is flipped in byte " + plan.flipAtByte());
            onCut.run();
        }
        int count = bytes.length;
        if (cut) {
            return; // lost, like all bytes after the cut
        }
        if (plan.cutAtByte() < written) {
            cut = true;
            count = (int) Math.max(0, plan.cutAtByte() - from);
            run.log(() -> tap.name() + " is cut after byte " + plan.cutAtByte());
            put(bytes, count);
            onCut.run();
            return;
        }
        byte[] sent = bytes;
        if (garbageAtByte < written) {
            int at = (int) (garbageAtByte - from);
            sent = spoil(bytes, Math.max(0, at));
            run.log(() -> tap.name() + " garbage from byte " + garbageAtByte);
            garbageAtByte = written + run.weather().garbageDistance();
            count = sent.length;
            onCut.run();
        }
        put(sent, count);
    }

    /** Bytes changed, lost, duplicated or inserted, from {@code at} on. */
    private byte[] spoil(byte[] bytes, int at) {
        int rest = bytes.length - at;
        switch (random.nextInt(5)) {
            case 0 -> {
                bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                return bytes;
            }
            case 1 -> {
                for (int i = Math.min(rest, 1 + random.size(40)) - 1; i >= 0; i--) {
                    bytes[at + i] = (byte) random.nextInt();
                }
                return bytes;
            }
            case 2 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 3 -> {
                byte[] twice = Arrays.copyOf(bytes, bytes.length + rest);
                System.arraycopy(bytes, at, twice, bytes.length, rest);
                return twice;
            }
            default -> {
                byte[] more = Arrays.copyOf(bytes, bytes.length + random.size(200));
                System.arraycopy(bytes, at, more, more.length - rest, rest);
                for (int i = at; i < more.length - rest; i++) {
                    more[i] = (byte) random.nextInt();
                }
                return more;
            }
        }
    }

    private void put(byte[] bytes, int count) {
        if (buffered + count > ring.length) {
            grow(buffered + count);
        }
        int tail = head + buffered & ring.length - 1;
        int first = Math.min(count, ring.length - tail);
        System.arraycopy(bytes, 0, ring, tail, first);
        System.arraycopy(bytes, first, ring, 0, count - first);
        buffered += count;
        entered += count;
        for (int rest = count; rest > 0; ) {
            int piece = plan.maxWriteBytes() > 0 && rest > 1 && random.oneIn(2) ? 1 + random.nextInt(rest) : rest;
            rest -= piece;
            run.atTime(arrivalNs(), () -> arrive(piece));
        }
    }

    private long arrivalNs() {
        long delayNs = Math.max(plan.minDelayNs(), random.sizeNs(plan.maxDelayNs()));
        if (!stalled && written > plan.stallAtByte()) {
            stalled = true;
            delayNs += plan.stallNs();
            run.log(() -> tap.name() + " stalls for " + plan.stallNs() + " ns");
        }
        long atNs = run.nowNs() + delayNs;
        if (atNs - lastArrivalNs > 0) {
            lastArrivalNs = atNs;
        }
        return lastArrivalNs;
    }

    /** Appends the end of the stream after the written bytes. */
    void end() {
        tap.onEnd();
        if (!cut) {
            sendEnd();
        }
    }

    /** The end of the stream arrives after what is in transit, and nothing that is written from now on. */
    void endEarly() {
        if (!cut) {
            cut = true;
            sendEnd();
        }
    }

    private void sendEnd() {
        run.atTime(arrivalNs(), () -> {
            if (!dead) {
                finArrived = true;
                onArrival.run();
            }
        });
    }

    /** When all that was written so far will be there. */
    long lastArrivalNs() {
        return lastArrivalNs;
    }

    // Reader's side.

    private void arrive(int count) {
        if (!dead) {
            arrived += count;
            onArrival.run();
        }
    }

    /** Number of bytes that can be read. */
    int arrived() {
        return arrived;
    }

    /** Whether the end of the stream has arrived, after the bytes to be read. */
    boolean ended() {
        return finArrived;
    }

    /** Reads available bytes; may return 0 without a reason, if the plan says so. */
    int read(ByteBuffer target) {
        int count = Math.min(target.remaining(), arrived);
        if (count == 0 || random.oneIn(plan.idleOneIn())) {
            return 0;
        }
        if (plan.maxReadBytes() > 0) {
            count = Math.min(count, 1 + random.nextInt(plan.maxReadBytes()));
        }
        int first = Math.min(count, ring.length - head);
        target.put(ring, head, first).put(ring, 0, count - first);
        head = head + count & ring.length - 1;
        buffered -= count;
        arrived -= count;
        left += count;
        return count;
    }

    /** Number of bytes read so far. */
    long readBytes() {
        return left;
    }

    /** The end of the unit that contains the byte at a position, in bytes that entered; far away if it has no end yet. */
    long unitEndAfter(long position) {
        while (!unitEnds.isEmpty() && unitEnds.getFirst() <= Math.min(position, left)) {
            unitEnds.removeFirst();
        }
        for (long end : unitEnds) {
            if (end > position) {
                return end;
            }
        }
        return PipePlan.NEVER;
    }

    /** Stops delivery; available bytes may be dropped too. */
    void kill(boolean dropUnread) {
        dead = true;
        if (dropUnread) {
            arrived = 0;
        }
    }

    private void grow(int least) {
        byte[] larger = new byte[Integer.highestOneBit(least - 1) << 1];
        for (int i = 0; i < buffered; i++) {
            larger[i] = ring[head + i & ring.length - 1];
        }
        ring = larger;
        head = 0;
    }
}
