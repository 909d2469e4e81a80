package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Termination;
import io.verbena.wire.TerminateCode;
import java.util.Optional;

/**
 * Why a stream ends. The first cause wins (RFC 5040 section 7.1 [5]).
 *
 * @param kind who ended it and how
 * @param code the reason as in a Terminate message; empty after an end without a fault
 * @param status completion status of the work in progress; the work after it is flushed
 * @param event the asynchronous event that reports it; empty when the completions report enough
 * @param sentence the reason for people
 */
public record Ending(
        Kind kind,
        Optional<TerminateCode> code,
        CompletionStatus status,
        Optional<AsyncEventType> event,
        String sentence) {

    /** The side that ended a stream, and the manner of the end. */
    public enum Kind {
        /** Gracefully: all work of both sides is complete. */
        GRACEFUL,
        /** This side found a fault, of the peer or of its own, and sends a Terminate message. */
        TERMINATED_BY_US,
        /** The peer sent a Terminate message. */
        TERMINATED_BY_PEER,
        /** The peer ended its direction while work was pending. */
        BAD_CLOSE,
        /** The TCP connection was reset or failed. */
        BROKEN,
        /** The peer stopped responding, or did not close in time. */
        LOST,
        /** The application aborted the connection. */
        ABORTED
    }

    /** Whether the connection is reset at once (RST). Otherwise a FIN follows what is left to be sent. */
    public boolean abrupt() {
        return kind == Kind.ABORTED || kind == Kind.BROKEN || kind == Kind.LOST;
    }

    /** Whether the transport has ended, and neither side meant the connection to end, as far as this side knows. */
    boolean ofTransport() {
        return kind == Kind.BAD_CLOSE || kind == Kind.BROKEN || kind == Kind.LOST;
    }

    /** Whether it is an error. */
    public boolean failed() {
        return kind != Kind.GRACEFUL;
    }

    /** A hash of what the work and the peer learn of it. */
    long stateDigest() {
        return Digest.mix(
                Digest.mix(1L + kind.ordinal(), status.ordinal()),
                code.map(c -> 1L + c.ordinal()).orElse(0L));
    }

    /** The Terminate message that ended the stream, if one did. */
    public Optional<Termination> termination() {
        boolean byUs = kind == Kind.TERMINATED_BY_US;
        return byUs || kind == Kind.TERMINATED_BY_PEER
                ? code.map(c -> new Termination(byUs, c.layer(), c.etype(), c.code(), c.sentence()))
                : Optional.empty();
    }
}
