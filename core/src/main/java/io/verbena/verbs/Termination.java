package io.verbena.verbs;

/**
 * Reason for the end of a connection as stated by the protocol: a Terminate message (RFC 5040 section 4.8), or a
 * negative acknowledgement of InfiniBand.
 *
 * @param byUs whether this side sent it
 * @param layer layer that detected the error: 0 RDMAP, 1 DDP, 2 the layer below; -1 if the protocol has no layers
 * @param errorType error type within the layer
 * @param errorCode error code within the type
 * @param sentence description for people
 */
public record Termination(boolean byUs, int layer, int errorType, int errorCode, String sentence) {}
