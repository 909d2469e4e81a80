package io.verbena.iwarp;

import io.verbena.verbs.WorkOpcode;

/** What the send queue needs to know of an operation. */
final class Opcodes {

    private Opcodes() {}

    /** Whether it is complete only when the peer has answered: it counts against ORD. */
    static boolean waitsForAnswer(WorkOpcode opcode) {
        return switch (opcode) {
            case READ, READ_WITH_INVALIDATE, COMPARE_AND_SWAP, FETCH_AND_ADD -> true;
            default -> false;
        };
    }

    static boolean atomic(WorkOpcode opcode) {
        return opcode == WorkOpcode.COMPARE_AND_SWAP || opcode == WorkOpcode.FETCH_AND_ADD;
    }
}
