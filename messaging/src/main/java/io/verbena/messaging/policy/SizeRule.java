package io.verbena.messaging.policy;

/** Which length of a vector is compared with the threshold. */
public enum SizeRule {
    /** The length of each element; the prefix of elements within the threshold is sent. */
    BY_ELEMENT,
    /** The length of the largest element, for all elements. */
    BY_LARGEST,
    /** The sum of all lengths, for all elements. */
    BY_SUM
}
