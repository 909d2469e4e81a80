package io.verbena.fabric.endnode;

import io.verbena.verbs.ConnectionOptions;

/**
 * What each connection of a {@link VerbsTraffic} transfers.
 *
 * @param messageBytes length of a message, 8 or more
 * @param messages number of messages
 * @param depth most messages that have not completed
 * @param serviceLevels connections use this many service levels in turn
 */
public record VerbsLoad(int messageBytes, int messages, int depth, int serviceLevels) {

    private static final int LEVELS = 16;
    private static final int LEVEL_SHIFT = 4;

    /** Checks the values. */
    public VerbsLoad {
        if (messageBytes < Long.BYTES || messages < 1 || depth < 1 || depth > 1024) {
            throw new IllegalArgumentException(messages + " messages of " + messageBytes + " bytes, " + depth
                    + " at a time: a message has 8 bytes or more, and 1 to 1024 can be outstanding");
        }
        if (serviceLevels < 1 || serviceLevels > LEVELS) {
            throw new IllegalArgumentException("there are 1 to 16 service levels, not " + serviceLevels);
        }
    }

    /** The options of a connection. */
    ConnectionOptions options(int flow) {
        return ConnectionOptions.defaults().withTrafficClass(flow % serviceLevels << LEVEL_SHIFT);
    }
}
