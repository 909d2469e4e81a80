package io.verbena.fabric.traffic;

import io.verbena.fabric.link.FlitHeader;

/**
 * How much every endnode sends.
 *
 * @param rate part of its link's flits that an endnode uses, 0 to 1; a frame begins in each flit time with the same
 *     probability. {@link #BACKLOGGED}: there is always a frame to send
 * @param frameBytes length of a frame with headers and CRC
 * @param mostQueued frames that an endnode holds at most while its link is busy; further ones are refused and counted
 */
public record Load(double rate, int frameBytes, int mostQueued) {

    /** The rate of endnodes that always have a frame to send. */
    public static final double BACKLOGGED = Double.POSITIVE_INFINITY;

    /** Checks the values. */
    public Load {
        if (!(rate > 0 && rate <= 1) && rate != BACKLOGGED) {
            throw new IllegalArgumentException("load " + rate + ": must be above 0 and at most 1");
        }
        if (frameBytes < 1 || mostQueued < 2) {
            throw new IllegalArgumentException("frames of " + frameBytes + " bytes and queues of " + mostQueued
                    + " frames: must be 1 or more, and 2 or more");
        }
    }

    /** A load with queues of up to 10,000 frames. */
    public static Load of(double rate, int frameBytes) {
        return new Load(rate, frameBytes, 10_000);
    }

    /** Flits of a frame. */
    public int flits() {
        return Math.ceilDiv(frameBytes, FlitHeader.PAYLOAD);
    }
}
