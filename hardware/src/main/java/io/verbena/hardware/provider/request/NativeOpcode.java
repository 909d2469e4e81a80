package io.verbena.hardware.provider.request;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.WorkOpcode;

/** Operations by their ibv_wr_opcode. */
public final class NativeOpcode {

    private static final int UNKNOWN = -1;

    public static final int LOCAL_INV = 7;
    public static final int BIND_MW = 8;

    private static final int[] VALUES = new int[WorkOpcode.values().length];
    private static final CompletionOpcode[] COMPLETIONS = new CompletionOpcode[VALUES.length];

    static {
        for (WorkOpcode opcode : WorkOpcode.values()) {
            VALUES[opcode.ordinal()] = switch (opcode) {
                case WRITE -> 0;
                case WRITE_WITH_IMMEDIATE -> 1;
                case SEND -> 2;
                case SEND_WITH_IMMEDIATE -> 3;
                case READ -> 4;
                case COMPARE_AND_SWAP -> 5;
                case FETCH_AND_ADD -> 6;
                case LOCAL_INVALIDATE -> LOCAL_INV;
                case BIND -> BIND_MW;
                case SEND_WITH_INVALIDATE -> 9;
                case UNBIND -> LOCAL_INV;
                case READ_WITH_INVALIDATE -> 4; // and a local invalidate after it
                case DELAY -> 0; // a Write without data
                default -> UNKNOWN;
            };
            COMPLETIONS[opcode.ordinal()] = switch (opcode) {
                case WRITE, WRITE_WITH_IMMEDIATE -> CompletionOpcode.WRITE;
                case READ, READ_WITH_INVALIDATE -> CompletionOpcode.READ;
                case COMPARE_AND_SWAP -> CompletionOpcode.COMPARE_AND_SWAP;
                case FETCH_AND_ADD -> CompletionOpcode.FETCH_AND_ADD;
                case RECEIVE -> CompletionOpcode.RECEIVE;
                case BIND, UNBIND -> CompletionOpcode.BIND;
                case LOCAL_INVALIDATE -> CompletionOpcode.LOCAL_INVALIDATE;
                case DELAY -> CompletionOpcode.DELAY;
                default -> CompletionOpcode.SEND;
            };
        }
    }

    private NativeOpcode() {}

    /** Whether the provider posts such requests. */
    public static boolean known(WorkOpcode opcode) {
        return VALUES[opcode.ordinal()] != UNKNOWN;
    }

    public static int of(WorkOpcode opcode) {
        return VALUES[opcode.ordinal()];
    }

    /** What its entry reports. */
    public static CompletionOpcode completion(WorkOpcode opcode) {
        return COMPLETIONS[opcode.ordinal()];
    }
}
