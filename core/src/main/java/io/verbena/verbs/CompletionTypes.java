package io.verbena.verbs;

/**
 * The completions for which a notification is requested, by opcode. Create a value once and reuse it.
 *
 * <pre>{@code
 * static final CompletionTypes ARRIVALS = CompletionTypes.of(RECEIVE, RECEIVE_IMMEDIATE);
 * cq.requestNotification(ARRIVALS); // completions of sends do not run the handler
 * }</pre>
 *
 * @param opcodes a bit for each {@link CompletionOpcode}: 1 &lt;&lt; its ordinal
 * @param solicited whether a solicited entry qualifies too, whatever its opcode
 */
public record CompletionTypes(int opcodes, boolean solicited) {

    private static final int ALL = (1 << CompletionOpcode.values().length) - 1;

    /** Checks that the bits are known and at least one type qualifies. */
    public CompletionTypes {
        if ((opcodes & ~ALL) != 0 || opcodes == 0 && !solicited) {
            throw new IllegalArgumentException(
                    "a notification needs at least one known opcode, not 0x" + Integer.toHexString(opcodes));
        }
    }

    /** Completions with one of these opcodes. */
    public static CompletionTypes of(CompletionOpcode first, CompletionOpcode... more) {
        int opcodes = 1 << first.ordinal();
        for (CompletionOpcode each : more) {
            opcodes |= 1 << each.ordinal();
        }
        return new CompletionTypes(opcodes, false);
    }

    /** The same types and all solicited entries. */
    public CompletionTypes orSolicited() {
        return new CompletionTypes(opcodes, true);
    }

    /** Whether a completion with this opcode qualifies. */
    public boolean includes(CompletionOpcode opcode) {
        return (opcodes >>> opcode.ordinal() & 1) != 0;
    }
}
