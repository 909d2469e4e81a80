package io.verbena.iwarp;

import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;

/** Where a Read Request wants its answer, and how much. */
record Sink(int stag, long to, int length) {

    static Sink of(byte[] readRequest) {
        ReadRequest header = HandMade.readRequestOf(readRequest);
        return new Sink(header.sinkStag(), header.sinkTo(), (int) header.rdmardsz());
    }

    /** A segment of the answer. */
    byte[] answer(boolean last, int offset, byte... payload) {
        return HandMade.tagged(RdmapOpcode.READ_RESPONSE, last, stag, to + offset, payload);
    }

    /** All of the answer. */
    byte[] answer() {
        return answer(true, 0, HandMade.payload(length));
    }
}
