package io.verbena.ib.paths;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.ib.settings.AddressPair;
import java.util.List;

/**
 * Whether the peer is at the further addresses that it has named. Each is asked with a value that cannot be guessed,
 * and is used
 * after the value has come back from there: a peer could name a third host, which would then receive what it has not
 * requested. Numbers are those of the pairs, from 1.
 */
final class AddressProofs {

    /** No pair. */
    static final int NONE = 0;

    /**
     * Most questions to an address. All of them, to three addresses, are less than three times as long as the
     * messages by which
     * the peer has set the connection up.
     */
    static final int QUESTIONS = 10;

    /** The pause after the first question. Each further one is four times as long: 87 s in all. */
    private static final long FIRST_PAUSE_NS = 1_000_000;

    private final List<AddressPair> pairs;
    private final int[] asked;
    private final long[] nextNs;
    private final boolean[] proven;

    AddressProofs(List<AddressPair> pairs) {
        this.pairs = pairs;
        asked = new int[pairs.size()];
        nextNs = new long[pairs.size()];
        proven = new boolean[pairs.size()];
    }

    /** The pair of the next question, or {@link #NONE}. */
    int due(long nowNs) {
        for (int i = 0; i < asked.length; i++) {
            if (open(i) && (asked[i] == 0 || Times.due(nextNs[i], nowNs))) {
                return i + 1;
            }
        }
        return NONE;
    }

    private boolean open(int index) {
        return !proven[index] && asked[index] < QUESTIONS;
    }

    /** When the next question is due that follows another one, or {@link Times#NEVER}. */
    long deadlineNs() {
        long firstNs = Times.NEVER;
        for (int i = 0; i < asked.length; i++) {
            firstNs = open(i) && asked[i] > 0 ? Times.earlier(firstNs, nextNs[i]) : firstNs;
        }
        return firstNs;
    }

    /** The value of the questions to a pair. */
    long nonce(int number) {
        return pairs.get(number - 1).nonce();
    }

    /** A question was sent. */
    void asked(int number, long nowNs) {
        int index = number - 1;
        nextNs[index] = Times.after(nowNs, FIRST_PAUSE_NS << 2 * asked[index]);
        asked[index]++;
    }

    /** An answer has come from the address of a pair. Returns whether it is the first that proves the address. */
    boolean answered(int number, long nonce) {
        int index = number - 1;
        if (proven[index] || asked[index] == 0 || nonce(number) != nonce) {
            return false;
        }
        proven[index] = true;
        return true;
    }

    long stateDigest(long digest) {
        long d = digest;
        for (int i = 0; i < asked.length; i++) {
            d = Digest.mix(Digest.mix(d, nextNs[i]), asked[i] << 1 | (proven[i] ? 1 : 0));
        }
        return d;
    }
}
