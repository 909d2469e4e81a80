package io.verbena.sim.model;

import java.util.List;

/**
 * A range of registered memory that one piece of work uses.
 *
 * @param zone where it is
 * @param offset from the start of the zone's region
 * @param length bytes, 0 too
 */
record Piece(Zone zone, int offset, int length) {

    /** Address as peers name it. */
    long address() {
        return zone.region().address() + offset;
    }

    /** A part of it. */
    Piece part(int from, int bytes) {
        return new Piece(zone, offset + from, bytes);
    }

    static int total(List<Piece> pieces) {
        int total = 0;
        for (Piece piece : pieces) {
            total += piece.length;
        }
        return total;
    }

    @Override
    public String toString() {
        return length + " bytes at " + offset + " of " + zone;
    }
}
