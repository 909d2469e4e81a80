package io.verbena.ib.request;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.Digest;
import io.verbena.ib.packet.EarlyPackets;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RcOption;
import java.lang.foreign.MemorySegment;

/**
 * The requests that the peer has received after a lost one, as it reported them, and the progress of the
 * retransmission. Part of the extension {@link RcOption#SELECTIVE_REPEAT}.
 *
 * <pre>
 *   PSN    | hole | has | hole | has | ............. | end |
 *          oldest                    highest          first one never sent
 * </pre>
 *
 * Each hole is sent again once. If the peer then reports a packet that was first sent after this retransmission, and
 * the oldest hole remains, the retransmission was lost as well. A time-out discards the state, because the peer may
 * have discarded the packets.
 */
final class SelectiveRepeat implements Repetition {

    private final byte[] map = new byte[EarlyPackets.MAP_BYTES];
    private boolean known;
    private boolean responses;
    private int basePsn;
    private int highestPsn;

    /** Whether holes up to {@code repeatedPsn} were sent again or are being sent. */
    private boolean repeated;

    private int repeatedPsn;

    /** The first PSN that had not been sent when the retransmission began. */
    private int endAtRepeat;

    /**
     * Stores a bit map of PSNs that need no repetition after a missing one.
     *
     * @param ofResponses whether each PSN of a Read has its own bit, for a packet of the response; otherwise its first
     *     PSN has the bit of the request.
     */
    void map(boolean ofResponses, int missingPsn, MemorySegment segment, long offset) {
        responses = ofResponses;
        basePsn = missingPsn;
        highestPsn = missingPsn;
        known = false;
        for (int i = 0; i < map.length; i++) {
            map[i] = segment.get(JAVA_BYTE, offset + i);
            if (map[i] != 0) {
                known = true;
                int top = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(map[i] & 0xff);
                highestPsn = Psn.plus(missingPsn, i * 8 + top + 1);
            }
        }
    }

    /** Whether the last bit map contains a packet. */
    @Override
    public boolean has(int psn) {
        int bit = Psn.distance(psn, basePsn) - 1;
        return known && bit >= 0 && bit < map.length * 8 && (map[bit >> 3] >> (bit & 7) & 1) != 0;
    }

    /** Number of PSNs, at most {@code most}, that a Read request at {@code psn} skips or repeats. */
    @Override
    public int run(int psn, int most) {
        if (!responses) {
            return most;
        }
        int count = 1;
        while (count < most && has(Psn.plus(psn, count)) == has(psn)) {
            count++;
        }
        return count;
    }

    /**
     * Starts to retransmit if there are holes that were not repeated. A map with packets that were never sent is discarded: the
     * retransmission in progress must not follow it beyond the end.
     *
     * @param endPsn the first PSN that has not been sent
     * @return the first PSN to examine, or {@link #NOTHING}
     */
    @Override
    public int repeatFrom(int endPsn) {
        known &= Psn.distance(highestPsn, endPsn) < 0;
        if (!known) {
            return NOTHING;
        }
        int from = repeatedPsn;
        if (!repeated || Psn.distance(highestPsn, endAtRepeat) >= 0 || Psn.distance(from, basePsn) < 0) {
            from = basePsn;
            endAtRepeat = endPsn;
        }
        if (Psn.distance(highestPsn, from) <= 0) {
            return NOTHING;
        }
        repeated = true;
        repeatedPsn = highestPsn;
        return from;
    }

    /** Whether a PSN precedes the highest one that the peer has. */
    @Override
    public boolean beforeHighest(int psn) {
        return known && Psn.distance(highestPsn, psn) > 0;
    }

    /** Discards the state: everything is sent again. */
    void forget() {
        known = false;
        repeated = false;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, repeated ? (long) repeatedPsn << 32 | endAtRepeat : -1);
        if (!known) {
            return d;
        }
        d = Digest.mix(Digest.mix(d, (long) basePsn << 24 | highestPsn), responses ? 1 : 0);
        for (byte bits : map) {
            d = bits == 0 ? d + 1 : Digest.mix(d, bits);
        }
        return d;
    }
}
