package io.verbena.sim.model;

import java.util.List;

/**
 * A posted receive.
 *
 * @param wrId number of the request
 * @param pieces buffers of the message
 */
record Receive(long wrId, List<Piece> pieces) {

    int capacity() {
        return Piece.total(pieces);
    }
}
