package io.verbena.messaging.collective;

/** The algorithms of collective operations. */
public enum Algorithm {
    DISSEMINATION,
    BINOMIAL,
    SCATTER_RING,
    RECURSIVE_DOUBLING,
    RABENSEIFNER,
    RING,
    LINEAR,
    BRUCK,
    PAIRWISE,
    REDUCE_AND_SCATTER
}
