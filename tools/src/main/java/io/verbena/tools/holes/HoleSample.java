package io.verbena.tools.holes;

/**
 * The state of the receiver at an instant.
 *
 * @param atNs the instant
 * @param holes open holes
 * @param waitingBytes bytes that a receiver that waits for order would have buffered
 * @param scrapBytes bytes that this receiver has buffered
 */
public record HoleSample(long atNs, int holes, long waitingBytes, long scrapBytes) {}
