package io.verbena.objects;

import io.verbena.verbs.TransportService;
import io.verbena.verbs.WorkOpcode;

/** Rules for posted requests. Each check fails with a sentence that describes the misuse. */
public final class PostingRules {

    /** Atomic operations return one 64-bit word. */
    public static final int ATOMIC_BYTES = 8;

    private PostingRules() {}

    /** The bytes must lie within the region. */
    public static void range(long regionBytes, long offset, long length) {
        if (length < 0 || offset < 0 || offset > regionBytes - length) {
            throw new IllegalArgumentException(
                    length + " bytes from " + offset + " are not within a region of " + regionBytes + " bytes");
        }
    }

    /** The range that a key is bound to must lie within the region. */
    static void bindable(long regionBytes, long offset, long length) {
        if (length < 1 || offset < 0 || offset > regionBytes - length) {
            throw new IllegalArgumentException("a key cannot be bound to " + length + " bytes from " + offset
                    + " of a region of " + regionBytes + " bytes");
        }
    }

    /** Only the payload of a message or a Write can be inline. */
    public static void inlineFits(WorkOpcode opcode, int length, int maxBytes) {
        switch (opcode) {
            case SEND, SEND_WITH_INVALIDATE, SEND_WITH_IMMEDIATE, WRITE, WRITE_WITH_IMMEDIATE -> {}
            default ->
                throw new IllegalArgumentException(
                        "a " + opcode + " has no payload that could be inline; post it without that flag");
        }
        if (length > maxBytes) {
            throw new IllegalArgumentException(
                    length + " bytes are more than the " + maxBytes + " inline bytes of this queue pair");
        }
    }

    /** An atomic operation has one element for the original value. */
    public static void atomicElement(WorkOpcode opcode, long lengthBytes, int elements) {
        if ((opcode == WorkOpcode.COMPARE_AND_SWAP || opcode == WorkOpcode.FETCH_AND_ADD)
                && (elements != 1 || lengthBytes != ATOMIC_BYTES)) {
            throw new IllegalArgumentException(
                    "an atomic operation requires one element of 8 bytes for the original value");
        }
    }

    /** Whether each request of a queue pair with this service names its destination. */
    public static boolean datagram(TransportService service) {
        return switch (service) {
            case UNRELIABLE_DATAGRAM, RELIABLE_DATAGRAM, RAW_DATAGRAM -> true;
            default -> false;
        };
    }

    /** The misuse of a request without a destination. */
    public static IllegalArgumentException noDestination(TransportService service) {
        return new IllegalArgumentException("a request of a queue pair with service " + service
                + " must name its destination; post a template with to(…)");
    }

    /** The misuse of a request that needs a connection. */
    public static IllegalStateException notConnected() {
        return new IllegalStateException(
                "the queue pair is not connected; before a connection only receives can be posted");
    }

    /** The misuse of a receive that is posted beside an SRQ. */
    public static IllegalStateException usesSharedQueue() {
        return new IllegalStateException("this queue pair uses an SRQ; post receives to the SRQ");
    }
}
