package io.verbena.tcp.connection;

/**
 * How a connection begins.
 *
 * @param connects whether this side sends the first SYN
 * @param sequence the initial sequence number
 * @param timestampOffset start of the clock of the timestamps
 * @param ecn whether explicit congestion notification is offered
 */
public record OpeningNumbers(boolean connects, int sequence, int timestampOffset, boolean ecn) {}
