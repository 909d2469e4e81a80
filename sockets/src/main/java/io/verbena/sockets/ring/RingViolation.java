package io.verbena.sockets.ring;

/** The peer has written to the memory what no peer writes that follows the protocol. The stream is lost, with this reason. */
final class RingViolation extends Exception {
    private static final long serialVersionUID = 1;

    RingViolation(String message) {
        super(message);
    }
}
