package io.verbena.iwarp;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Termination;
import io.verbena.wire.TerminateCode;
import java.util.Optional;

/**
 * Why a stream ends: the first cause wins (RFC 5040 section 7.1 [5]).
 *
 * @param kind who ended it and how
 * @param code reason as in a Terminate message, {@link TerminateCode#UNKNOWN} where none fits
 * @param status with which the work that was under way completes; what is behind it is flushed
 * @param event what the application is told of it beside that; empty when the completions tell enough
 * @param sentence for people
 */
public record Ending(
        Kind kind, TerminateCode code, CompletionStatus status, Optional<AsyncEventType> event, String sentence) {

    /** Who ended a stream. */
    public enum Kind {
        /** In good order. */
        GRACEFUL,
        /** We found a fault, of the peer or of our own, and send a Terminate message. */
        TERMINATED_BY_US,
        /** The peer sent a Terminate message. */
        TERMINATED_BY_PEER,
        /** The peer ended its direction while work was pending. */
        BAD_CLOSE,
        /** The stream broke: it was reset, or the system says so. */
        BROKEN,
        /** The peer fell silent, or did not close in time. */
        LOST,
        /** The application aborted. */
        ABORTED
    }

    /** Whether the stream is given up at once (RST), rather than ended behind what is left to be said (FIN). */
    public boolean abrupt() {
        return kind == Kind.ABORTED || kind == Kind.BROKEN || kind == Kind.LOST;
    }

    /** Whether it is an error. */
    public boolean failed() {
        return kind != Kind.GRACEFUL;
    }

    /** The Terminate message that ended it, if one did. */
    public Optional<Termination> termination() {
        boolean byUs = kind == Kind.TERMINATED_BY_US;
        return byUs || kind == Kind.TERMINATED_BY_PEER
                ? Optional.of(new Termination(byUs, code.layer(), code.etype(), code.code(), code.sentence()))
                : Optional.empty();
    }
}
