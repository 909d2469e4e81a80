package io.verbena.fabric.link;

/**
 * A flit as it was transmitted.
 *
 * @param type what it is for
 * @param data the part of a frame that it carries; without meaning unless the type is DATA
 * @param numbers its number and the acknowledgement
 * @param creditLane lane of the credits
 * @param credits number of credits
 * @param damaged whether it will arrive damaged
 */
public record FlitSent(FlitType type, Data data, Numbers numbers, int creditLane, int credits, boolean damaged) {

    /** The flit with these fields, see {@link FlitWord}; {@code numbers} are its number and the acknowledgement. */
    static FlitSent of(long word, long numbers) {
        return new FlitSent(
                FlitType.of(FlitWord.type(word)),
                new Data(FlitWord.flit(word), FlitWord.lane(word)),
                new Numbers((int) (numbers >>> 32), (int) numbers, (word & FlitWord.GO_BACK) != 0),
                FlitWord.creditLane(word),
                FlitWord.credits(word),
                (word & FlitWord.DAMAGED) != 0);
    }

    /** A flit of a frame, see {@link Frames}, and its lane. */
    public record Data(int flit, int lane) {}

    /** The number of the flit, the number that its sender expects next, and whether it asks to send again from there. */
    public record Numbers(int sequence, int acknowledgement, boolean again) {}
}
