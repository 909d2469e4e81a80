package io.verbena.fabric.link;

/**
 * The times of a link, in ticks of the fabric.
 *
 * @param flitTicks time to transmit a full flit, header included; 1 or more
 * @param controlTicks time to transmit a flit without payload; 0 models a separate wire for them
 * @param wireTicks time that a signal takes from one end to the other
 */
public record LinkTiming(int flitTicks, int controlTicks, int wireTicks) {

    /** Picoseconds per tick: at 100 Gb/s a flit of 72 bytes takes 8 ticks, and a flit header one. */
    public static final int PICOSECONDS_PER_TICK = 720;

    /** 4xEDR, 3 m. */
    public static final LinkTiming DEFAULT = of(100_000, 3);

    private static final int FLIT_BITS = 8 * (FlitHeader.LENGTH + FlitHeader.PAYLOAD);
    private static final int CONTROL_BITS = 8 * FlitHeader.LENGTH;
    private static final int PICOSECONDS_PER_METRE = 5_000;

    /** Checks the values. */
    public LinkTiming {
        if (flitTicks < 1 || controlTicks < 0 || controlTicks > flitTicks || wireTicks < 0) {
            throw new IllegalArgumentException("link times of " + flitTicks + ", " + controlTicks + " and " + wireTicks
                    + " ticks: a flit needs 1 or more, a flit without payload at most as much, the wire 0 or more");
        }
    }

    /** The times of a link of a data rate and a length. */
    public static LinkTiming of(long megabitsPerSecond, int metres) {
        return new LinkTiming(
                ticks(FLIT_BITS, megabitsPerSecond),
                ticks(CONTROL_BITS, megabitsPerSecond),
                Math.ceilDiv(metres * PICOSECONDS_PER_METRE, PICOSECONDS_PER_TICK));
    }

    private static int ticks(int bits, long megabitsPerSecond) {
        return (int) Math.max(1, Math.round(bits * 1e6 / megabitsPerSecond / PICOSECONDS_PER_TICK));
    }

    /** Flits that a sender may have without an acknowledgement: a power of two. */
    int window() {
        int least = 2 * roundTripFlits() + 8;
        int window = Math.max(16, Integer.highestOneBit(least - 1) << 1);
        if (window > FlitHeader.SEQUENCES / 2) {
            throw new IllegalArgumentException("a link with a round trip of " + roundTripFlits()
                    + " flits needs more sequence numbers than a flit has: shorten the link or lower its rate");
        }
        return window;
    }

    /** Flit times from the transmission of a flit until the answer to it has arrived, at least 1. */
    public int roundTripFlits() {
        return Math.max(1, Math.ceilDiv(flitTicks + controlTicks + 2 * wireTicks, flitTicks));
    }
}
