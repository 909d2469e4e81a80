package io.verbena.tcp.send;

import io.verbena.tcp.segment.Sequence;
import io.verbena.wire.ip.TcpOptionReader;

/**
 * Applies the SACK blocks of an acknowledgment (RFC 2018). A block is data that the peer has, or, in the first place, data that
 * arrived twice (RFC 2883). Blocks of data that was never sent are ignored.
 */
final class SelectiveAcks {

    private final long iss;
    private final SentSegments sent;
    private final Rack rack;
    private final Delivered delivered;
    private final UnneededRepetitions unneeded;
    private boolean duplicateReported;

    SelectiveAcks(long iss, SentSegments sent, Rack rack, Delivered delivered, UnneededRepetitions unneeded) {
        this.iss = iss;
        this.sent = sent;
        this.rack = rack;
        this.delivered = delivered;
        this.unneeded = unneeded;
    }

    /** An acknowledgment has arrived. */
    void begin() {
        duplicateReported = false;
    }

    /**
     * The peer acknowledges everything before a segment that it has reported: it has discarded the segment (RFC 2018 section 8). It and those after it
     * up to the first block of this acknowledgment are sent again.
     */
    private void discarded(TcpOptionReader options, long una, long next) {
        long limit = next;
        for (int i = 0; i < options.blocks(); i++) {
            long left = Sequence.unwrap(una, options.left(i));
            if (left >= una) {
                limit = Math.min(limit, left);
            }
        }
        sent.discarded(limit);
    }

    /** Whether the current acknowledgment reports data that arrived twice. */
    boolean duplicateReported() {
        return duplicateReported;
    }

    /**
     * Takes the blocks.
     *
     * @param ack the cumulative acknowledgment, which has been applied
     * @param una the oldest number that is not acknowledged
     * @param next the number after the last byte that was sent
     * @param oldest the least number for which a peer still reports a duplicate
     */
    void select(TcpOptionReader options, long ack, long una, long next, long oldest) {
        if (ack == una && sent.count() > 0 && sent.from(0) == una && sent.sacked(0)) {
            discarded(options, una, next);
        }
        for (int i = 0; i < options.blocks(); i++) {
            long left = Sequence.unwrap(una, options.left(i));
            long right = Sequence.unwrap(una, options.right(i));
            if (left >= right || right > next) {
                continue; // not of this connection
            }
            if (i == 0 && rack.isDuplicate(options, left, right, ack)) {
                // RFC 2883 section 4; only what was sent and acknowledged can be a duplicate.
                if (left > iss && left >= oldest) {
                    rack.onDuplicate(ack, next, unneeded.onDuplicate(left, right));
                    duplicateReported = true;
                }
            } else if (left >= una) {
                sent.select(left, right, delivered);
            }
        }
    }
}
