package io.verbena.verbs;

/**
 * An address space that is to be made.
 *
 * @param name for people
 * @param kernel whether its process may name memory by virtual addresses too
 * @param mostMappedBytes most that it maps
 * @param mostFrames most page frames that it has at a time, 8 or more
 */
public record AddressSpaceOptions(String name, boolean kernel, long mostMappedBytes, int mostFrames) {

    /** A user process without limits. */
    public static AddressSpaceOptions user(String name) {
        return new AddressSpaceOptions(name, false, Long.MAX_VALUE / 4, Integer.MAX_VALUE);
    }

    /** A kernel process without limits. */
    public static AddressSpaceOptions kernel(String name) {
        return new AddressSpaceOptions(name, true, Long.MAX_VALUE / 4, Integer.MAX_VALUE);
    }

    public AddressSpaceOptions withMostMappedBytes(long value) {
        return new AddressSpaceOptions(name, kernel, value, mostFrames);
    }

    public AddressSpaceOptions withMostFrames(int value) {
        return new AddressSpaceOptions(name, kernel, mostMappedBytes, value);
    }
}
