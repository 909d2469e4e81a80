package io.verbena.tools.holes;

/** How a receiver finds the start of a frame (FPDU) after a hole. */
public enum FrameStarts {
    /** From markers, which the sender adds. */
    MARKERS,
    /** From the lengths of the frames before it only: the chain must not be broken. */
    LENGTHS,
    /** As {@link #LENGTHS}; a Write at the start of a segment is a guess. */
    GUESSES
}
