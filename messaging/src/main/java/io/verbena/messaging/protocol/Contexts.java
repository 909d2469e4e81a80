package io.verbena.messaging.protocol;

/**
 * Contexts of messages. Messages of different contexts never match each other. A context consists of a kind, the number of the communicator,
 * and, for collective operations with a schedule, the signature of the operation ({@link io.verbena.messaging.collective.Call#signature}).
 * Messages with the signature 1 are those of agreements:
 *
 * <pre>
 *   | 0 (1) | signature (17) | communicator (12) | kind (2) |
 * </pre>
 */
public final class Contexts {

    /** Messages of the program. */
    public static final int MESSAGES = 0;

    /** Messages of broadcasts among all ranks, in which a rank depends on its path to the root. */
    public static final int COLLECTIVES = 1;

    /** Messages of barriers among all ranks, in which a rank depends on all ranks. */
    public static final int BARRIERS = 2;

    /** Messages of collective operations with a schedule, in which a rank depends on all ranks of the communicator. */
    public static final int SCHEDULES = 3;

    /** Number of communicators that can be in use at once. */
    public static final int MAX_COMMUNICATORS = 1 << 12;

    private static final int KIND_BITS = 2;
    private static final int SIGNATURE_SHIFT = KIND_BITS + 12;

    private Contexts() {}

    /** The context of messages of a program in a communicator. */
    public static int messages(int communicator) {
        return communicator << KIND_BITS | MESSAGES;
    }

    /** The context of a collective operation with this signature. */
    public static int scheduled(int communicator, int signature) {
        return signature << SIGNATURE_SHIFT | communicator << KIND_BITS | SCHEDULES;
    }

    /** The context of the agreements of a communicator. */
    public static int agreement(int communicator) {
        return 1 << SIGNATURE_SHIFT | messages(communicator);
    }

    public static boolean isAgreement(int context) {
        return kind(context) == MESSAGES && signature(context) != 0;
    }

    /** Returns whether a revocation of the communicator ends a message, other than by its collective operation. */
    public static boolean isRevocable(int context, int communicator) {
        return communicator(context) == communicator && kind(context) != SCHEDULES && !isAgreement(context);
    }

    public static int kind(int context) {
        return context & (1 << KIND_BITS) - 1;
    }

    public static int communicator(int context) {
        return context >>> KIND_BITS & MAX_COMMUNICATORS - 1;
    }

    public static int signature(int context) {
        return context >>> SIGNATURE_SHIFT;
    }

    /** The flow of a channel for messages of a context; notices about a kind of messages follow these messages. */
    public static int flow(int context, int flows) {
        return kind(context) % flows;
    }

    /** Returns whether an operation in this context depends on all ranks of its communicator. */
    public static boolean needsAll(int context) {
        int kind = kind(context);
        return kind == BARRIERS || kind == SCHEDULES;
    }
}
