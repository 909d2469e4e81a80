package io.verbena.sockets.protocol;

import io.verbena.base.Digest;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a stream. The receive buffer has two extents. The peer fills the older one to its end, then the
 * other one. An extent that was consumed is offered again, as the next entry of the peer's table.
 *
 * <pre>
 *     offered ─► announced to the peer ─► filled by the peer ─► consumed by the application ─► offered again
 * </pre>
 *
 * <p><b>Growth.</b> If the peer had filled everything that it was offered before the application consumed the first
 * extent, the buffer limits the peer. The extents are then replaced, one by one, by those of a buffer of four times the
 * size or more ({@link StreamSettings#grown}). The old buffer is released when both of its extents are consumed; the peer has no entry for it then.
 *
 * <p><b>The rest.</b> A peer that closes states how many bytes it has left. What the two extents do not hold gets a third one, which is
 * announced as soon as the first one is full, so that the peer can send everything and end although the application does not read. It is
 * released when it is consumed. The peer never has more than two extents that are not full, as many as its table has entries.
 *
 * <p><b>Credits</b> protect the receives, not the buffer: they are granted again when a message was taken, whether the
 * application has read its bytes or not. There are more of them when the buffer has grown.
 */
final class Inbound {

    /**
     * Extents consumed until a buffer grows although the peer never filled both. With the first, small buffer, this side sends targets or
     * credits after every third message of 64 bytes; a stream in constant use is worth the memory that makes this rare.
     */
    private static final int CONSUMED_TO_GROW = 32;

    /** Messages that fill an extent if the peer has more to send than it has space for. */
    private static final int LARGE_MESSAGES = 2;

    /** Size up to which a buffer grows by use alone. */
    private static final int MOST_BYTES_BY_USE = 16 << 10;

    /** Credits that the peer has at least when more are granted to it. */
    private static final int LEAST_CREDITS = 2;

    private final StreamBuffers buffers;
    private final StreamSettings settings;

    /** What the peer was or will be offered, in the order in which it is filled. */
    private Extent first;

    private Extent second;

    /** Only after the peer has stated its {@link #onRest}. */
    private @Nullable Extent third;

    /** The memory for the rest of what the peer sends, until it is consumed. */
    private @Nullable StreamMemory rest;

    private boolean restStated;

    private StreamMemory current;
    private int currentBytes;

    private int available;
    private int nextEntry = 1;

    /** Data messages taken, and the number of them that the peer may send: modulo 2^16 on the wire. */
    private int taken;

    private int credits;
    private int granted;
    private int announcedAt;

    /** Extents of the current size that were consumed. */
    private int consumedExtents;

    private boolean discarding;
    private final MemoryView view = new MemoryView(true);

    Inbound(StreamBuffers buffers, StreamSettings settings, StreamMemory memory) {
        this.buffers = buffers;
        this.settings = settings;
        current = memory;
        currentBytes = settings.initialBytes();
        first = new Extent(memory, 0, currentBytes / 2);
        second = new Extent(memory, currentBytes / 2, currentBytes / 2);
        first.announced = true; // by the connection data
        credits = settings.firstCredits();
        granted = credits;
    }

    /** The receives that must be posted before the next grant. */
    int receives() {
        return credits + StreamSettings.CONTROL_MESSAGES;
    }

    /** States the first extent in the connection data. */
    void describe(ConnectData data) {
        data.credits(credits).target(first.address(), first.memory.key(), first.length);
    }

    /** Bytes that can be read. */
    int available() {
        return available;
    }

    int bufferBytes() {
        return currentBytes;
    }

    /** Whether the peer has used everything that it was offered, unless messages of it are under way. */
    boolean peerWaits() {
        Extent next = filling();
        return taken == granted || !next.announced || next.full();
    }

    /** The extent that the peer fills next. */
    private Extent filling() {
        if (!first.full()) {
            return first;
        }
        return second.full() && third != null ? third : second;
    }

    /** Whether an extent is to be announced. */
    boolean targetDue() {
        return !first.announced || !second.announced || third != null && !third.announced && first.full();
    }

    /** Whether credits are to be granted although no extent is. */
    boolean creditsDue() {
        return taken - announcedAt >= Math.min(settings.credits() * 3 / 4, Math.max(1, credits - LEAST_CREDITS));
    }

    /**
     * Whether credits are worth a message that leaves together with data: a program that answers each request needs
     * no other.
     */
    boolean creditsWithData() {
        return taken - announcedAt >= credits / 2;
    }

    /** Fills in the entry that announces the next extent, and returns its index in the table. */
    int announce(ByteBuffer entry) {
        Extent extent = first.announced ? second : first;
        if (extent.announced && third != null) {
            extent = third;
        }
        TargetEntry.write(entry, extent.address(), extent.memory.key(), extent.length);
        extent.announced = true;
        int index = nextEntry;
        nextEntry ^= 1;
        return index;
    }

    /** The credits to state now. */
    int grant() {
        announcedAt = taken;
        granted = taken + credits;
        return granted & 0xFFFF;
    }

    /** The peer wrote this many bytes. Returns false if it had no permission to. */
    boolean onData(int bytes) {
        Extent extent = filling();
        if (!accepts(extent, bytes)) {
            return false;
        }
        taken++;
        extent.messages++;
        extent.filled += bytes;
        available += bytes;
        if (discarding) {
            skip(available);
        }
        return true;
    }

    private boolean accepts(Extent extent, int bytes) {
        return taken != granted && extent.announced && bytes <= extent.length - extent.filled;
    }

    /**
     * The peer sent this many bytes, which are at {@code index} of {@code from}. Returns false if it had no
     * permission to.
     */
    boolean onShort(ByteBuffer from, int index, int bytes) {
        Extent extent = filling();
        if (accepts(extent, bytes)) {
            extent.memory.bytes().put(extent.offset + extent.filled, from, index, bytes);
        }
        return onData(bytes);
    }

    /**
     * The peer closes, and has this many bytes that are not under way. They get space of their own if they need it, within the size of a
     * buffer. If no memory is available, they arrive as the application reads.
     */
    void onRest(int bytes) {
        int missing =
                Math.min(bytes - (first.length - first.filled) - (second.length - second.filled), settings.mostBytes());
        if (restStated || discarding || missing <= 0) {
            return;
        }
        restStated = true;
        buffers.receiveBuffer(missing).ifPresent(memory -> {
            rest = memory;
            third = new Extent(memory, 0, missing);
        });
    }

    /** The application reads no more: what has arrived and will arrive is dropped. */
    void discard() {
        discarding = true;
        skip(available);
    }

    private void skip(int bytes) {
        int left = bytes;
        while (left > 0) {
            int step = Math.min(left, first.filled - first.consumed);
            consume(step);
            left -= step;
        }
    }

    /** Moves bytes to the application. */
    int read(ByteBuffer target) {
        int moved = 0;
        while (target.hasRemaining() && available > 0) {
            int step = Math.min(target.remaining(), first.filled - first.consumed);
            int position = target.position();
            target.put(position, first.memory.bytes(), first.offset + first.consumed, step);
            target.position(position + step);
            consume(step);
            moved += step;
        }
        return moved;
    }

    /** The next bytes that have arrived and lie in one piece; empty if there are none. {@link #onTaken} follows. */
    ByteBuffer arrived() {
        return view.of(first.memory, first.offset + first.consumed, first.filled - first.consumed);
    }

    /** The application has taken the first bytes of what has {@link #arrived}. */
    void onTaken(int bytes) {
        consume(bytes);
    }

    private void consume(int bytes) {
        first.consumed += bytes;
        available -= bytes;
        if (first.free()) {
            offerAgain();
        }
    }

    private void offerAgain() {
        Extent used = first;
        if (used.memory == current && third == null) {
            consumedExtents++;
            if (second.announced && second.full() || used.messages <= LARGE_MESSAGES || grownByUse()) {
                grow();
            }
        }
        first = second;
        Extent next = third;
        if (used.memory == rest && next != null) {
            rest = null;
            third = null;
            second = next;
            buffers.release(used.memory);
        } else if (next != null) {
            second = next;
            third = following(used);
        } else {
            second = following(used);
        }
    }

    /** What is offered in place of a consumed extent, after the others. */
    private Extent following(Extent used) {
        if (used.memory == current) {
            used.reuse();
            return used;
        }
        boolean last = first.memory != used.memory;
        if (last) {
            buffers.release(used.memory);
        }
        return new Extent(current, last ? currentBytes / 2 : 0, currentBytes / 2);
    }

    private boolean grownByUse() {
        return consumedExtents >= CONSUMED_TO_GROW && settings.grown(currentBytes) <= MOST_BYTES_BY_USE;
    }

    private void grow() {
        consumedExtents = 0;
        int bytes = settings.grown(currentBytes);
        if (bytes > currentBytes) {
            buffers.receiveBuffer(bytes).ifPresent(larger -> {
                current = larger;
                currentBytes = bytes;
                credits = settings.credits();
            });
        }
    }

    /** For people. */
    StringBuilder describe(StringBuilder out) {
        return out.append("receive buffer ")
                .append(currentBytes)
                .append(" B, available ")
                .append(available)
                .append(", offered ")
                .append(first.length - first.filled)
                .append(first.announced ? "" : " (not announced)")
                .append(" and ")
                .append(second.length - second.filled)
                .append(second.announced ? "" : " (not announced)");
    }

    /** Returns all memory. Nothing is used afterwards. */
    void release() {
        available = 0;
        discarding = true;
        // Of an older buffer, only the second half can be left, which precedes all others.
        StreamMemory older = first.memory;
        if (older != current && older != rest) {
            buffers.release(older);
        }
        if (rest != null) {
            buffers.release(rest);
        }
        buffers.release(current);
    }

    long stateDigest(long digest) {
        long d = digest;
        for (Extent extent : new Extent[] {first, second, third == null ? second : third}) {
            d = Digest.mix(Digest.mix(Digest.mix(d, extent.length), extent.filled), extent.consumed);
            d = Digest.mix(Digest.mix(d, extent.messages), Digest.flags(extent.announced, extent.memory == current));
        }
        d = Digest.mix(Digest.mix(Digest.mix(d, taken), granted), announcedAt);
        d = Digest.mix(Digest.mix(d, currentBytes), credits);
        return Digest.mix(
                Digest.mix(Digest.mix(d, nextEntry), consumedExtents),
                Digest.flags(discarding, restStated, third == null));
    }
}
