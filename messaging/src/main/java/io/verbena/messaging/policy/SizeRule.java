package io.verbena.messaging.policy;

/** What of a vector is compared with the threshold (the seed's Fig. 5 and the variants named beside it). */
public enum SizeRule {
    /** Each element on its own, from the first on; the prefix within the threshold goes out. */
    BY_ELEMENT,
    /** The largest element decides for all. */
    BY_LARGEST,
    /** The sum of all lengths decides for all. */
    BY_SUM
}
