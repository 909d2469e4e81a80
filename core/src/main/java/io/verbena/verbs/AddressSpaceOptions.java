package io.verbena.verbs;

/**
 * Attributes of a new address space.
 *
 * @param name name for messages and figures
 * @param kernel whether the process may also use virtual addresses
 * @param maxMappedBytes maximum number of mapped bytes
 * @param maxFrames maximum number of page frames used at a time, 8 or more
 */
public record AddressSpaceOptions(String name, boolean kernel, long maxMappedBytes, int maxFrames) {

    /** A user process without limits. */
    public static AddressSpaceOptions user(String name) {
        return new AddressSpaceOptions(name, false, Long.MAX_VALUE / 4, Integer.MAX_VALUE);
    }

    /** A kernel process without limits. */
    public static AddressSpaceOptions kernel(String name) {
        return new AddressSpaceOptions(name, true, Long.MAX_VALUE / 4, Integer.MAX_VALUE);
    }

    public AddressSpaceOptions withMaxMappedBytes(long value) {
        return new AddressSpaceOptions(name, kernel, value, maxFrames);
    }

    public AddressSpaceOptions withMaxFrames(int value) {
        return new AddressSpaceOptions(name, kernel, maxMappedBytes, value);
    }
}
