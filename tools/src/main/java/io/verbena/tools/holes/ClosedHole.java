package io.verbena.tools.holes;

/**
 * A hole when it closed.
 *
 * @param atNs when it closed
 * @param waitNs how long the data after it had waited
 * @param gap the bytes that were missing
 * @param placedBytes payload after it that was in place already
 * @param sends completions published
 * @param requests Read Requests served
 */
public record ClosedHole(long atNs, long waitNs, Gap gap, long placedBytes, int sends, int requests) {

    /**
     * The bytes that were missing.
     *
     * @param from stream offset of the first byte that was missing
     * @param missingBytes its length just before it closed
     */
    public record Gap(long from, long missingBytes) {}
}
