package io.verbena.ib.cm;

/**
 * How often and after what time a connection repeats a request, as a REQ proposes it.
 *
 * @param retries retry count, 0 to 7
 * @param receiverNotReadyRetries RNR retry count, 0 to 7
 * @param ackTimeoutCode of the path
 */
public record CmRetries(int retries, int receiverNotReadyRetries, int ackTimeoutCode) {}
