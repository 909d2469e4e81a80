package io.verbena.survival;

/**
 * One message of the resume exchange.
 *
 * @param side of the sender: 0 opened the first connection of the association, 1 accepted it
 * @param epoch of the connection that carries it, from 1 on; of STALE the epoch that the sender knows
 * @param progress of the sender; none in STALE and UNKNOWN
 */
public record ResumeMessage(ResumeType type, int side, long epoch, ResumePoint progress) {}
