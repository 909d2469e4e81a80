package io.verbena.sockets.protocol;

import io.verbena.base.Digest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a stream: a ring of bytes that were written, and the targets that the peer offers.
 *
 * <pre>
 *      done              posted                 written
 *        │  being sent     │  waits for a target   │  free
 *   ─────┴─────────────────┴───────────────────────┴──────────
 * </pre>
 *
 * <p>The peer writes targets into {@code table}, which it can write at any time. An entry is taken out of the table once,
 * when a message announces it, and only if the one before it at this index is used up; the rest of the table is never
 * looked at.
 *
 * <p><b>Growth.</b> A ring that is too small for what the application writes is replaced by one of four times its size.
 * Bytes that wait are copied into it; the old ring is released when its last byte has been sent.
 *
 * <p><b>Placement.</b> Where the program can reach the memory of the peer, a large write goes straight to the target, and a message
 * announces the bytes as those of an RDMA Write. This needs an empty ring, because a target is filled in the order of the stream. So
 * large writes wait for a target, and pass through the ring only if they are sent at once: a ring that once has bytes that
 * wait would never be empty while the program writes faster than the peer reads. After many failures in a row the ring is used as
 * without placement, until some messages were sent or the peer offers other memory.
 */
final class Outbound {

    /** Entries of the table. */
    static final int ENTRIES = 2;

    static final int TABLE_BYTES = ENTRIES * TargetEntry.LENGTH;

    /** The first data message carries this much, so that the receiver can begin early; each one twice as much as before. */
    private static final int FIRST_BYTES = 2 << 10;

    private static final int MOST_BYTES = 64 << 10;

    /** Failures in a row after which large writes do not wait for targets, and the data messages until they do again. */
    static final int MOST_FAILURES = 16;

    static final int REST_MESSAGES = 256;

    private final StreamBuffers buffers;
    private final StreamSettings settings;
    private final ByteBuffer table;

    private StreamMemory ring;
    private int ringBytes;

    /** Position in the stream of the first byte of the ring. */
    private long base;

    private long written;

    private long posted;
    private long done;

    private boolean growthRefused;

    /** A smaller ring whose last bytes, those before {@link #base}, are still being sent. */
    private @Nullable StreamMemory retired;

    private final long[] address = new long[ENTRIES];
    private final int[] key = new int[ENTRIES];
    private final long[] left = new long[ENTRIES];
    private int entry;
    private int nextEntry = 1;

    private int sent;
    private int limit;
    private int mostPerMessage = FIRST_BYTES;

    /** Bytes in the memory of the peer that no message has announced. */
    private int placed;

    /** Whether the program may be able to reach the memory of the peer. */
    private boolean reachable;

    /** Length of the last target: small ones are not worth a wait. */
    private long targetBytes;

    private int failures;

    /** Data messages until large writes wait for targets again. */
    private int rest;

    /** Whether the last write waits for a target. */
    private boolean held;

    /** Whether a channel has filled the ring. */
    private boolean crowded;

    private final MemoryView view = new MemoryView(false);

    private final ShortMessages shorts;

    Outbound(
            StreamBuffers buffers,
            StreamSettings settings,
            StreamMemory memory,
            ByteBuffer table,
            ShortMessages shorts) {
        this.buffers = buffers;
        this.shorts = shorts;
        this.table = table.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        this.settings = settings;
        ring = memory;
        ringBytes = settings.initialBytes();
    }

    /** The peer accepts data: its first target and its first credits. */
    void onConnected(ConnectData peer) {
        target(0, peer.targetAddress(), peer.targetKey(), Integer.toUnsignedLong(peer.targetLength()));
        limit = peer.credits();
    }

    private void target(int index, long at, int remoteKey, long bytes) {
        address[index] = at;
        key[index] = remoteKey;
        left[index] = bytes;
        targetBytes = bytes;
        if (remoteKey != key[index ^ 1]) {
            failures = 0;
            rest = 0;
        }
    }

    /** The peer grants credits, and may have written targets. */
    void onCredits(int credits) {
        limit = credits;
        while (left[nextEntry] == 0) {
            int at = nextEntry * TargetEntry.LENGTH;
            int bytes = TargetEntry.length(table, at);
            if (bytes == 0) {
                return;
            }
            target(
                    nextEntry,
                    TargetEntry.address(table, at),
                    TargetEntry.key(table, at),
                    Integer.toUnsignedLong(bytes));
            TargetEntry.clear(table, at);
            nextEntry ^= 1;
        }
    }

    /** Bytes that can be written now without growth. */
    int free() {
        return ringBytes - (int) (written - Math.max(base, done));
    }

    int bufferBytes() {
        return ringBytes;
    }

    /** Bytes that were written and not yet handed to the queue pair. */
    int waiting() {
        return (int) (written - posted);
    }

    /** Bytes that were written and have not yet arrived. */
    int unfinished() {
        return (int) (written - done) + placed;
    }

    long posted() {
        return posted;
    }

    /** Takes bytes of the application, as many as fit. */
    int write(ByteBuffer source) {
        int wanted = wanted(source.remaining());
        if (wanted > free()) {
            grow();
        }
        int bytes = Math.min(wanted, free());
        int at = offset(written);
        int before = Math.min(bytes, ringBytes - at);
        int position = source.position();
        ring.bytes().put(at, source, position, before);
        ring.bytes().put(0, source, position + before, bytes - before);
        source.position(position + bytes);
        written += bytes;
        return bytes;
    }

    private int wanted(int bytes) {
        int most = places() && bytes >= StreamSettings.LEAST_PLACED_BYTES ? accepted() : Integer.MAX_VALUE;
        held = most == 0;
        return Math.min(bytes, most);
    }

    /**
     * Space for the next bytes, which a channel may fill, in one piece; empty if there is none. A channel offers no size, so the ring
     * grows when one has filled it.
     */
    ByteBuffer space(int most) {
        int wanted = wanted(most);
        if (wanted > free() && (crowded || free() == 0)) {
            grow();
        }
        int at = offset(written);
        return view.of(ring, at, Math.min(Math.min(wanted, free()), ringBytes - at));
    }

    /** A channel has put bytes into {@link #space}. */
    void onFilled(int bytes) {
        written += bytes;
        crowded = free() == 0;
    }

    private int offset(long position) {
        return (int) ((position - base) % ringBytes);
    }

    private void grow() {
        if (growable()) {
            int bytes = settings.grown(ringBytes);
            growthRefused = true;
            buffers.sendBuffer(bytes).ifPresent(larger -> replace(larger, bytes));
        }
    }

    private boolean growable() {
        return ringBytes < settings.mostBytes() && retired == null && !growthRefused;
    }

    /** Whether a write would take a useful number of bytes. */
    boolean writable() {
        if (held) {
            return accepted() > 0;
        }
        return free() >= ringBytes / 4 || growable();
    }

    private void replace(StreamMemory larger, int bytes) {
        int waiting = waiting();
        int at = offset(posted);
        int before = Math.min(waiting, ringBytes - at);
        larger.bytes().put(0, ring.bytes(), at, before);
        larger.bytes().put(before, ring.bytes(), 0, waiting - before);
        if (posted == done) {
            buffers.release(ring);
        } else {
            retired = ring;
        }
        growthRefused = false;
        ring = larger;
        ringBytes = bytes;
        base = posted;
    }

    // Placement.

    /** Bytes that the peer accepts after those that were written so far, if none of these wait. */
    private int accepted() {
        return waiting() == 0 && placed == 0 && credits() > 0 ? (int) Math.min(left[entry], Integer.MAX_VALUE) : 0;
    }

    /** Bytes of a write of this size that can be placed now; 0 if it must pass through the ring. */
    int placeable(int bytes) {
        int piece = reachable ? Math.min(Math.min(bytes, MOST_BYTES), accepted()) : 0;
        return piece >= StreamSettings.LEAST_PLACED_BYTES ? piece : 0;
    }

    long placeAddress() {
        return address[entry];
    }

    int placeKey() {
        return key[entry];
    }

    /** Bytes that were {@link #placeable} are in the memory of the peer. */
    void onPlaced(int bytes) {
        use(bytes);
        placed = bytes;
        failures = 0;
        rest = 0;
        held = false;
    }

    /** Bytes that were {@link #placeable} could not be placed. */
    void onNotPlaced() {
        if (rest == 0 && ++failures == MOST_FAILURES) {
            failures = 0;
            rest = REST_MESSAGES;
        }
    }

    /** Whether large writes wait for targets. */
    boolean places() {
        return reachable && rest == 0 && targetBytes >= StreamSettings.LEAST_PLACED_BYTES;
    }

    /** The program may be able to reach the memory of the peer. */
    void reachable() {
        reachable = true;
    }

    // Messages.

    /** Whether data can be sent: there are some, and the peer accepts them. */
    boolean sendable() {
        return placed > 0 || waiting() > 0 && left[entry] > 0 && credits() > 0;
    }

    /** Whether everything that was written was handed to the queue pair. */
    boolean allSent() {
        return waiting() == 0 && placed == 0;
    }

    /** Data messages that may be sent before the peer grants more. */
    int credits() {
        return limit - sent & 0xFFFF;
    }

    /** Whether there are data that the peer does not accept now. */
    boolean blocked() {
        return waiting() > 0 && !sendable();
    }

    /** Fills in the next data message. A target is filled to its end before the next one is begun. */
    void next(StreamWork work) {
        if (placed > 0) {
            work.message(StreamMessage.of(StreamMessage.DATA, placed));
            placed = 0;
            return;
        }
        int at = offset(posted);
        int bytes = Math.min(Math.min(waiting(), mostPerMessage), ringBytes - at);
        bytes = (int) Math.min(bytes, left[entry]);
        work.data(ring, at, bytes);
        if (shorts.carries(bytes)) {
            work.shortData();
        } else {
            work.remote(address[entry], key[entry]);
        }
        mostPerMessage = Math.min(MOST_BYTES, mostPerMessage * 2);
        posted += bytes;
        rest = Math.max(0, rest - 1);
        use(bytes);
    }

    private void use(int bytes) {
        sent++;
        address[entry] += bytes;
        left[entry] -= bytes;
        if (left[entry] == 0) {
            entry ^= 1;
        }
    }

    /** Everything up to this position of the stream has arrived. */
    void onDone(long position) {
        done = position;
        growthRefused = false;
        if (retired != null && done >= base) {
            buffers.release(retired);
            retired = null;
        }
    }

    /** For people. */
    StringBuilder describe(StringBuilder out) {
        return out.append("send buffer ")
                .append(ringBytes)
                .append(" B, waiting ")
                .append(waiting())
                .append(", unfinished ")
                .append(unfinished())
                .append(", targets ")
                .append(left[entry])
                .append(" and ")
                .append(left[entry ^ 1])
                .append(", credits ")
                .append(credits());
    }

    /** Drops what was not sent. */
    void drop() {
        written = posted;
        placed = 0;
    }

    /** Returns all memory. Nothing is used afterwards. */
    void release() {
        if (retired != null) {
            buffers.release(retired);
        }
        buffers.release(ring);
    }

    long stateDigest(long digest) {
        long d = Digest.mix(Digest.mix(Digest.mix(digest, ringBytes), waiting()), unfinished());
        for (int i = 0; i < ENTRIES; i++) {
            d = Digest.mix(Digest.mix(d, address[i]), left[i]);
        }
        d = Digest.mix(Digest.mix(Digest.mix(d, entry), nextEntry), sent);
        d = Digest.mix(Digest.mix(Digest.mix(d, placed), failures), Digest.mix(targetBytes, rest));
        return Digest.mix(
                Digest.mix(Digest.mix(d, limit), mostPerMessage),
                Digest.flags(crowded, retired != null, growthRefused, reachable, held));
    }
}
