package io.verbena.storage.host;

/**
 * What the target accepts.
 *
 * @param transferBytes most bytes of a command
 * @param inCapsuleBytes most bytes that a capsule carries after its entry
 * @param maxCommands MAXCMD: most commands in flight per queue
 * @param optionalCommands ONCS
 * @param writeCache whether writes need a flush to be durable
 * @param events OAES
 */
public record ControllerLimits(
        int transferBytes, int inCapsuleBytes, int maxCommands, int optionalCommands, boolean writeCache, int events) {
    static final int COMPARE = 1;
    static final int DATASET_MANAGEMENT = 1 << 2;
    static final int WRITE_ZEROES = 1 << 3;
    static final int VERIFY = 1 << 7;

    static final ControllerLimits NONE = new ControllerLimits(4096, 0, 1, 0, false, 0);
}
