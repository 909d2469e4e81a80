package io.verbena.survival;

/**
 * The result of an atomic operation that the responder remembers.
 *
 * @param number of the request, from 1 on, in the order of posting
 * @param original the value before the operation
 */
public record RecordedResult(long number, long original) {}
