package io.verbena.fabric.link;

import io.verbena.base.Digest;
import java.util.Arrays;

/** Which flits arrive damaged: for each port the number of flits up to the next one, so that an intact flit costs a count. */
final class BitErrors {
    private final long[] state;
    private final long[] remaining;
    private final double[] logOfIntact;
    private boolean any;

    BitErrors(int ports, long seed) {
        state = new long[ports];
        Arrays.setAll(state, port -> Digest.mix(seed, port));
        remaining = new long[ports];
        Arrays.fill(remaining, Long.MAX_VALUE);
        logOfIntact = new double[ports];
    }

    /** Sets the probability that a flit which a port sends from now on arrives damaged. */
    void rate(int port, double rate) {
        if (!(rate >= 0 && rate < 1)) {
            throw new IllegalArgumentException("flit error rate " + rate + ": must be 0 or more and below 1");
        }
        any |= rate > 0;
        logOfIntact[port] = Math.log1p(-rate);
        remaining[port] = rate == 0 ? Long.MAX_VALUE : draw(port);
    }

    /** Whether the flit that a port sends now will arrive damaged. */
    boolean next(int port) {
        if (!any || --remaining[port] > 0) {
            return false;
        }
        remaining[port] = draw(port);
        return true;
    }

    private long draw(int port) {
        state[port] = SeededNumbers.next(state[port]);
        return SeededNumbers.trials(SeededNumbers.mix(state[port]), logOfIntact[port]);
    }
}
