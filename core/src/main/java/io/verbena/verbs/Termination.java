package io.verbena.verbs;

/**
 * Why a connection was ended, as the protocol says it (a Terminate message of RFC 5040 section 4.8, or a negative
 * acknowledgement of InfiniBand).
 *
 * @param byUs whether this side said it
 * @param layer 0 RDMAP, 1 DDP, 2 the layer below; -1 where the protocol has no layers
 * @param errorType type of the error within the layer
 * @param errorCode code of the error within the type
 * @param sentence for people
 */
public record Termination(boolean byUs, int layer, int errorType, int errorCode, String sentence) {}
