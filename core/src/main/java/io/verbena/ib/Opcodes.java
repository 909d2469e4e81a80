package io.verbena.ib;

import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.IbOpcode;

/** Work as packets of a reliable connection. */
final class Opcodes {

    private Opcodes() {}

    /** Whether work is complete only when the peer has answered with data. */
    static boolean waitsForAnswer(WorkOpcode opcode) {
        return switch (opcode) {
            case READ, READ_WITH_INVALIDATE, COMPARE_AND_SWAP, FETCH_AND_ADD -> true;
            default -> false;
        };
    }

    static boolean atomic(WorkOpcode opcode) {
        return opcode == WorkOpcode.COMPARE_AND_SWAP || opcode == WorkOpcode.FETCH_AND_ADD;
    }

    /** The opcode of a packet of a Send or Write. */
    static IbOpcode packet(WorkOpcode opcode, boolean first, boolean last) {
        return switch (opcode) {
            case SEND ->
                of(
                        first,
                        last,
                        IbOpcode.RC_SEND_FIRST,
                        IbOpcode.RC_SEND_MIDDLE,
                        IbOpcode.RC_SEND_LAST,
                        IbOpcode.RC_SEND_ONLY);
            case SEND_WITH_IMMEDIATE ->
                of(
                        first,
                        last,
                        IbOpcode.RC_SEND_FIRST,
                        IbOpcode.RC_SEND_MIDDLE,
                        IbOpcode.RC_SEND_LAST_IMM,
                        IbOpcode.RC_SEND_ONLY_IMM);
            case SEND_WITH_INVALIDATE ->
                of(
                        first,
                        last,
                        IbOpcode.RC_SEND_FIRST,
                        IbOpcode.RC_SEND_MIDDLE,
                        IbOpcode.RC_SEND_LAST_INVALIDATE,
                        IbOpcode.RC_SEND_ONLY_INVALIDATE);
            case WRITE ->
                of(
                        first,
                        last,
                        IbOpcode.RC_WRITE_FIRST,
                        IbOpcode.RC_WRITE_MIDDLE,
                        IbOpcode.RC_WRITE_LAST,
                        IbOpcode.RC_WRITE_ONLY);
            case WRITE_WITH_IMMEDIATE ->
                of(
                        first,
                        last,
                        IbOpcode.RC_WRITE_FIRST,
                        IbOpcode.RC_WRITE_MIDDLE,
                        IbOpcode.RC_WRITE_LAST_IMM,
                        IbOpcode.RC_WRITE_ONLY_IMM);
            default -> throw new AssertionError(opcode + " is no message");
        };
    }

    private static IbOpcode of(
            boolean first, boolean last, IbOpcode begin, IbOpcode middle, IbOpcode end, IbOpcode only) {
        if (first) {
            return last ? only : begin;
        }
        return last ? end : middle;
    }
}
