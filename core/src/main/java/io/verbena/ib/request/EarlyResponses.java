package io.verbena.ib.request;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.Digest;
import io.verbena.ib.packet.EarlyPackets;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RcOption;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Responses that arrived before an earlier one, whose data is in its final buffers already. Part of the extension
 * {@link RcOption#SELECTIVE_REPEAT}: only missing responses are requested again.
 */
final class EarlyResponses {

    private static final int NONE = -1;

    private final WorkQueue work;
    private final Wqe wqe = new Wqe();
    private final int mask;
    private final int[] psns;
    private final MemorySegment map = MemorySegment.ofArray(new byte[EarlyPackets.MAP_BYTES]);

    /** Requests before this PSN were executed by the peer, but a response may be missing. */
    private int executedPsn;

    /** Responses within this number of PSNs, a power of 2. */
    EarlyResponses(WorkQueue work, int firstPsn, int window) {
        this.work = work;
        mask = window - 1;
        psns = new int[window];
        executedPsn = firstPsn;
        Arrays.fill(psns, NONE);
    }

    /** Records a response that is less than the window ahead of the oldest one. */
    void add(int psn) {
        psns[psn & mask] = psn;
    }

    /** Whether a response was recorded. */
    boolean has(int psn) {
        return psns[psn & mask] == psn;
    }

    /** Removes a response. Returns whether it was recorded. */
    boolean remove(int psn) {
        boolean had = has(psn);
        if (had) {
            psns[psn & mask] = NONE;
        }
        return had;
    }

    /** The peer has executed all requests before this PSN. */
    void executed(int psn) {
        executedPsn = Psn.distance(psn, executedPsn) > 0 ? psn : executedPsn;
    }

    int executedPsn() {
        return executedPsn;
    }

    /** Whether the response to an executed request at this PSN is missing. */
    boolean missing(int oldestPsn) {
        return Psn.distance(executedPsn, oldestPsn) > 0;
    }

    /** Whether the window contains all missing responses. */
    boolean inWindow(int oldestPsn) {
        return Psn.distance(executedPsn, oldestPsn) < EarlyPackets.WINDOW;
    }

    /**
     * The bit map of PSNs after {@code oldestPsn} that need no repetition: responses that arrived, and executed
     * requests that have no response.
     */
    MemorySegment map(Requester requester, long oldest, int oldestPsn) {
        map.fill((byte) 0);
        for (long index = oldest; index < requester.started(); index++) {
            boolean answers = Opcodes.waitsForAnswer(work.at(index, wqe).opcode());
            int first = requester.firstPsn(index);
            for (int i = Math.max(0, Psn.distance(oldestPsn, first)); i < requester.packets(index); i++) {
                int psn = Psn.plus(first, i);
                int bit = Psn.distance(psn, oldestPsn) - 1;
                if (bit >= EarlyPackets.WINDOW - 1) {
                    return map;
                }
                if (bit >= 0 && (has(psn) || !answers && Psn.distance(executedPsn, psn) > 0)) {
                    map.set(JAVA_BYTE, bit >> 3, (byte) (map.get(JAVA_BYTE, bit >> 3) | 1 << (bit & 7)));
                }
            }
        }
        return map;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, executedPsn);
        for (int psn : psns) {
            d = Digest.mix(d, psn);
        }
        return d;
    }
}
