package io.verbena.fabric.node;

import java.util.Locale;

/** Where a switch keeps frames that wait. On every lane, an input and an output carry one frame at a time, from its first to its last flit. */
public enum Organisation {
    /** One queue per input lane: the first frame blocks those after it. */
    INPUT_QUEUES,
    /** One queue per input lane and output, matched by iSLIP. */
    VIRTUAL_OUTPUT_QUEUES,
    /** A crossbar without limit at its inputs, so that frames wait for their output only. An ideal to compare with. */
    OUTPUT_QUEUES;

    /** The name as it is written on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
