package io.verbena.sim.model;

import java.util.List;

/**
 * A posted receive.
 *
 * @param wrId its number
 * @param pieces where a message goes
 */
record Receive(long wrId, List<Piece> pieces) {

    int capacity() {
        return Piece.total(pieces);
    }
}
