package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** One memory region of a program and the pieces of it that are in use. Gaps between pieces are guards. */
final class Zone {

    private static final int MOST_GAP = 16;

    private final Memory memory;
    private final String name;
    private final int start;
    private final int length;
    private final MemoryRegion region;
    private final SimRandom random;
    private int next;
    private final TreeMap<Integer, Piece> live = new TreeMap<>();

    Zone(Memory memory, String name, int length, boolean aligned, ProtectionDomain domain, AccessRight... rights) {
        this.memory = memory;
        this.name = name;
        this.length = length;
        this.random = memory.random();
        this.start = memory.cut(length, aligned);
        this.region = domain.register(memory.segment(start, length), rights);
        memory.add(this);
    }

    Memory memory() {
        return memory;
    }

    MemoryRegion region() {
        return region;
    }

    /** First byte in the memory. */
    int start() {
        return start;
    }

    int length() {
        return length;
    }

    /** Allocates an unused piece; empty if there is no space. */
    Optional<Piece> take(int bytes) {
        int at = next + random.nextInt(MOST_GAP);
        for (int wraps = 0; wraps < 2; ) {
            if (at + bytes > length) {
                at = 0;
                wraps++;
                continue;
            }
            Map.Entry<Integer, Piece> before = live.lowerEntry(at + bytes + MOST_GAP);
            if (before == null || end(before.getValue()) <= at) {
                Piece piece = new Piece(this, at, bytes);
                // An empty piece occupies no space; it would hide another one at its position.
                if (bytes > 0) {
                    live.put(at, piece);
                }
                next = at + bytes;
                return Optional.of(piece);
            }
            at = end(before.getValue()) + 1 + random.nextInt(MOST_GAP);
        }
        return Optional.empty();
    }

    private static int end(Piece piece) {
        return piece.offset() + piece.length();
    }

    /** Allocates several pieces with this total size; empty if there is no space. */
    Optional<List<Piece>> takeList(int bytes, int mostPieces) {
        List<Piece> pieces = new ArrayList<>();
        int left = bytes;
        while (left > 0 || pieces.size() < mostPieces && random.oneIn(4)) {
            boolean last = pieces.size() >= mostPieces - 1 || random.oneIn(2);
            Optional<Piece> piece = mostPieces == 0 ? Optional.empty() : take(last ? left : random.nextInt(left + 1));
            if (piece.isEmpty()) {
                giveAll(pieces);
                return Optional.empty();
            }
            pieces.add(piece.get());
            left -= piece.get().length();
        }
        return Optional.of(pieces);
    }

    /** Releases a piece. */
    void give(Piece piece) {
        if (piece.length() > 0 && live.remove(piece.offset()) == null) {
            throw new AssertionError("released twice: " + piece);
        }
    }

    static void giveAll(List<Piece> pieces) {
        for (Piece piece : pieces) {
            piece.zone().give(piece);
        }
    }

    @Override
    public String toString() {
        return name + " of " + memory;
    }
}
