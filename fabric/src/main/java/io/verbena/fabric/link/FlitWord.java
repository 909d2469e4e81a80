package io.verbena.fabric.link;

/**
 * A flit on a link, in one long: the flit of a frame, and the fields of its header but the numbers.
 *
 * <pre>
 *   63                            32 31   28 27       24 23    20 19  18    17       16       15    14     0
 *   +-------------------------------+-------+-----------+--------+------+---------+---------+------+--------+
 *   | flit (see Frames)             | lane  | c. lane   | credits| type | damaged | go back | asks | 0      |
 *   +-------------------------------+-------+-----------+--------+------+---------+---------+------+--------+
 * </pre>
 *
 * In a flit of the type LEVEL, the upper half of the first field is the level, and the lower one the number of the flit that its sender expects.
 */
final class FlitWord {

    static final long DAMAGED = 1 << 17;
    static final long GO_BACK = 1 << 16;

    /** Asks for the levels of receive buffers. */
    static final long ASKS = 1 << 15;

    private static final int LANE_SHIFT = 28;
    private static final int CREDIT_LANE_SHIFT = 24;
    private static final int CREDITS_SHIFT = 20;
    private static final int TYPE_SHIFT = 18;

    private FlitWord() {}

    static long data(int flit, int lane) {
        return (long) flit << 32 | (long) lane << LANE_SHIFT | control(FlitType.DATA);
    }

    static long level(int lane, int levelAndExpected) {
        return (long) levelAndExpected << 32 | (long) lane << LANE_SHIFT | control(FlitType.LEVEL);
    }

    static long control(FlitType type) {
        return (long) type.code() << TYPE_SHIFT;
    }

    /** The fields that return credits of a lane. */
    static long credits(int lane, int count) {
        return (long) lane << CREDIT_LANE_SHIFT | (long) count << CREDITS_SHIFT;
    }

    static int flit(long word) {
        return (int) (word >>> 32);
    }

    static int lane(long word) {
        return (int) word >>> LANE_SHIFT;
    }

    static int creditLane(long word) {
        return (int) word >> CREDIT_LANE_SHIFT & 15;
    }

    static int credits(long word) {
        return (int) word >> CREDITS_SHIFT & 15;
    }

    /** The code of the type. */
    static int type(long word) {
        return (int) word >> TYPE_SHIFT & 3;
    }
}
