package io.verbena.sim.model;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One posted send request, and its expected result. */
final class Operation {

    /** A check after success. */
    @FunctionalInterface
    interface Check {
        void run();
    }

    private static final Check NONE = () -> {};

    final WorkOpcode opcode;
    WrFlags flags = WrFlags.SIGNALLED;

    /** Its place in the queue, from 0, and its number in completions. */
    long sequence;

    long wrId;
    long postedAtNs;

    /** What is read for it, or written by it, on this side. */
    List<Piece> local = List.of();

    /** Pieces of this side that are given back when it is complete. */
    final List<Piece> heldHere = new ArrayList<>();

    /** What it changes or reads on the other side. */
    Optional<Piece> remote = Optional.empty();

    /** Pieces of the other side that are released when the operation cannot be in progress any more. */
    final List<Piece> heldThere = new ArrayList<>();

    /** The remote address passed to the RNIC, and its parameters. */
    long remoteAddress;

    int rkey;
    int otherKey;
    long operand1;
    long operand2;

    /** The bytes of a Send or Write, or the expected bytes of a Read. */
    byte[] payload = new byte[0];

    /** The message that uses a receive of the other side. */
    Optional<Message> message = Optional.empty();

    /** The deliberate error. */
    Optional<Mistake> mistake = Optional.empty();

    Check onSuccess = NONE;
    Check onFailure = NONE;

    boolean failed;

    /** Posted when its connection had ended. */
    boolean late;

    /** Its local memory is checked elsewhere. */
    boolean forsaken;

    Operation(WorkOpcode opcode) {
        this.opcode = opcode;
    }

    /** Sets the remote piece. */
    void at(Piece there) {
        remote = Optional.of(there);
        remoteAddress = there.address();
        rkey = there.zone().region().rkey();
    }

    /** Uses these local pieces and releases them afterwards. */
    void uses(List<Piece> here) {
        local = here;
        heldHere.addAll(here);
    }

    boolean reads() {
        return switch (opcode) {
            case READ, READ_WITH_INVALIDATE -> true;
            default -> false;
        };
    }

    boolean atomic() {
        return opcode == WorkOpcode.COMPARE_AND_SWAP || opcode == WorkOpcode.FETCH_AND_ADD;
    }

    /** Whether it completes only after a response of the other side. */
    boolean waitsForAnswer() {
        return reads() || atomic();
    }

    boolean writes() {
        return opcode == WorkOpcode.WRITE || opcode == WorkOpcode.WRITE_WITH_IMMEDIATE;
    }

    CompletionOpcode completion() {
        return switch (opcode) {
            case SEND, SEND_WITH_INVALIDATE, SEND_WITH_IMMEDIATE -> CompletionOpcode.SEND;
            case WRITE, WRITE_WITH_IMMEDIATE -> CompletionOpcode.WRITE;
            case READ, READ_WITH_INVALIDATE -> CompletionOpcode.READ;
            case COMPARE_AND_SWAP -> CompletionOpcode.COMPARE_AND_SWAP;
            case FETCH_AND_ADD -> CompletionOpcode.FETCH_AND_ADD;
            case BIND, UNBIND -> CompletionOpcode.BIND;
            case LOCAL_INVALIDATE -> CompletionOpcode.LOCAL_INVALIDATE;
            case DELAY -> CompletionOpcode.DELAY;
            case RECEIVE -> CompletionOpcode.RECEIVE;
        };
    }

    @Override
    public String toString() {
        return opcode + " #" + sequence + (flags.fenced() ? " fenced" : "") + (flags.inline() ? " inline" : "")
                + (flags.signalled() ? "" : " unsignalled") + " of " + payload.length + " bytes"
                + mistake.map(m -> " (" + m + ")").orElse("");
    }
}
