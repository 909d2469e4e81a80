package io.verbena.spark;

import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Rnic;

/**
 * What an executor has for serving and for reading.
 *
 * @param rnic its RNIC
 * @param processor runs its handlers
 * @param settings settings of the user
 * @param figures of this executor
 * @param held the shuffles that were not removed
 */
record ShuffleContext(
        Rnic rnic, HandlerProcessor processor, ShuffleSettings settings, ShuffleFigures figures, HeldShuffles held) {

    ShuffleContext(Rnic rnic, HandlerProcessor processor, ShuffleSettings settings, ShuffleFigures figures) {
        this(rnic, processor, settings, figures, new HeldShuffles());
    }
}
