package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The memory of one program, and its expected content: a shadow. Every permitted change by an RNIC is entered into the
 * shadow when it is known to have happened, after it was verified. All other bytes, including guards between buffers,
 * are compared as a whole repeatedly.
 *
 * <pre>
 *   | guard | zone: piece, gap, piece … | guard | zone … | guard |
 * </pre>
 */
final class Memory {

    private static final int MOST_GUARD = 64;

    private final World world;
    private final String name;
    private final SimRandom random;
    private final MemorySegment actual;
    private final byte[] shadow;
    private final MemorySegment shadowSegment;
    private final List<Zone> zones = new ArrayList<>();
    private int used;

    Memory(World world, String name, int bytes, SimRandom random) {
        this.world = world;
        this.name = name;
        this.random = random;
        int whole = bytes + 7 & -8;
        actual = Arena.ofAuto().allocate(whole, 64);
        shadow = new byte[whole];
        shadowSegment = MemorySegment.ofArray(shadow);
        // Filled as an array and copied at once: a checked access per number was a fifth of the time of a short run.
        long[] numbers = new long[whole / Long.BYTES];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = random.nextLong();
        }
        actual.copyFrom(MemorySegment.ofArray(numbers));
        shadowSegment.copyFrom(actual);
    }

    /** Maximum number of bytes of a zone with this length, including its guards. */
    static int bytesFor(int zoneLength) {
        return zoneLength + 2 * MOST_GUARD;
    }

    SimRandom random() {
        return random;
    }

    /** Cuts out the memory of a zone, with guards around it. */
    int cut(int length, boolean aligned) {
        int start = used + random.between(1, MOST_GUARD);
        if (aligned) {
            start = start + 7 & -8;
        }
        used = start + length + random.between(1, MOST_GUARD - 8);
        return start;
    }

    void add(Zone zone) {
        zones.add(zone);
    }

    MemorySegment segment(int start, int length) {
        return actual.asSlice(start, length);
    }

    /** The content of a piece, as far as it is known. */
    byte[] content(Piece piece) {
        int from = piece.zone().start() + piece.offset();
        return Arrays.copyOfRange(shadow, from, from + piece.length());
    }

    /** The concatenated content of pieces. */
    byte[] content(List<Piece> pieces) {
        byte[] bytes = new byte[Piece.total(pieces)];
        int at = 0;
        for (Piece piece : pieces) {
            System.arraycopy(shadow, piece.zone().start() + piece.offset(), bytes, at, piece.length());
            at += piece.length();
        }
        return bytes;
    }

    /** These bytes have arrived at the beginning of these pieces, and nothing after them has changed. */
    void landed(List<Piece> pieces, byte[] bytes, String what) {
        int at = 0;
        for (Piece piece : pieces) {
            int count = Math.min(piece.length(), bytes.length - at);
            int start = piece.zone().start() + piece.offset();
            System.arraycopy(bytes, at, shadow, start, count);
            compare(start, piece.length(), what);
            at += count;
        }
        if (at < bytes.length) {
            world.fail(what + ": " + bytes.length + " bytes cannot be in " + pieces);
        }
    }

    /** All or some of these bytes may have arrived in these pieces: each byte has its old or its new value. */
    void mayHaveLanded(List<Piece> pieces, byte[] bytes, String what) {
        mayHaveLanded(pieces, List.of(bytes), what);
    }

    /**
     * All or some bytes of any of these payloads may have arrived in these pieces: each byte has its old or a new value.
     */
    void mayHaveLanded(List<Piece> pieces, List<byte[]> payloads, String what) {
        int at = 0;
        for (Piece piece : pieces) {
            int start = piece.zone().start() + piece.offset();
            for (int i = 0; i < piece.length(); i++, at++) {
                byte now = actual.get(ValueLayout.JAVA_BYTE, start + i);
                if (now != shadow[start + i] && !among(payloads, at, now)) {
                    world.fail(what + ": byte " + at + " is neither the old nor the new one, in " + piece);
                }
                shadow[start + i] = now;
            }
        }
    }

    private static boolean among(List<byte[]> payloads, int at, byte value) {
        for (byte[] payload : payloads) {
            if (at < payload.length && payload[at] == value) {
                return true;
            }
        }
        return false;
    }

    /** Any bytes may have arrived in these pieces. */
    void wild(List<Piece> pieces) {
        for (Piece piece : pieces) {
            wild(piece.zone().start() + piece.offset(), piece.length());
        }
    }

    void wild(int start, int length) {
        MemorySegment.copy(actual, start, shadowSegment, start, length);
    }

    /** The program itself writes other bytes there. */
    void scribble(Piece piece) {
        int start = piece.zone().start() + piece.offset();
        for (int i = 0; i < piece.length(); i++) {
            shadow[start + i] = (byte) (shadow[start + i] * 31 + 17 + i);
        }
        MemorySegment.copy(shadowSegment, start, actual, start, piece.length());
    }

    private void compare(int start, int length, String what) {
        long mismatch = MemorySegment.mismatch(actual, start, start + length, shadowSegment, start, start + length);
        if (mismatch >= 0) {
            fail(what, start + (int) mismatch);
        }
    }

    /** Compares all of it. */
    void compare(String what) {
        compare(0, shadow.length, what);
    }

    private void fail(String what, int at) {
        String where = "between buffers";
        for (Zone zone : zones) {
            if (at >= zone.start() && at < zone.start() + zone.length()) {
                where = "at byte " + (at - zone.start()) + " of " + zone;
            }
        }
        world.fail(String.format(
                "%s: memory of %s is wrong %s: %02x, and must be %02x",
                what, name, where, actual.get(ValueLayout.JAVA_BYTE, at), shadow[at]));
    }

    @Override
    public String toString() {
        return name;
    }
}
