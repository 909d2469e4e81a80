package io.verbena.fabric.link;

/**
 * What all links of a fabric have in common.
 *
 * @param lanes virtual lanes of every port, 1 to 15
 * @param bufferFlits flits that the receiver of a link can hold on each lane: the credits of the sender
 * @param flitErrorRate probability that a flit arrives damaged, 0 to 1
 * @param tables how lanes share a link
 * @param seed seed of the errors
 */
public record LinkSettings(int lanes, int bufferFlits, double flitErrorRate, LaneTables tables, long seed) {

    /** One lane, buffers of 64 flits, no errors. */
    public static final LinkSettings DEFAULT = new LinkSettings(1, 64, 0, LaneTables.EQUAL, 1);

    /** Checks the values. */
    public LinkSettings {
        if (lanes < 1 || lanes > 15 || bufferFlits < 1 || bufferFlits > 1 << 15) {
            throw new IllegalArgumentException(
                    lanes + " lanes with " + bufferFlits + " flits: lanes are 1 to 15, buffers 1 to 32768 flits");
        }
        if (!(flitErrorRate >= 0 && flitErrorRate < 1)) {
            throw new IllegalArgumentException("flit error rate " + flitErrorRate + ": must be 0 or more and below 1");
        }
    }

    /** The same with other lanes. */
    public LinkSettings withLanes(int value) {
        return new LinkSettings(value, bufferFlits, flitErrorRate, tables, seed);
    }

    /** The same with other buffers. */
    public LinkSettings withBuffer(int flits) {
        return new LinkSettings(lanes, flits, flitErrorRate, tables, seed);
    }

    /** The same with errors. */
    public LinkSettings withErrors(double rate) {
        return new LinkSettings(lanes, bufferFlits, rate, tables, seed);
    }

    /** The same with other tables. */
    public LinkSettings withTables(LaneTables value) {
        return new LinkSettings(lanes, bufferFlits, flitErrorRate, value, seed);
    }

    /** The same with another seed. */
    public LinkSettings withSeed(long value) {
        return new LinkSettings(lanes, bufferFlits, flitErrorRate, tables, value);
    }
}
