package io.verbena.tools.perftest;

/** -A of perftest: what an atomic test measures. */
public enum PerftestAtomic {
    FETCH_AND_ADD,
    CMP_AND_SWAP
}
