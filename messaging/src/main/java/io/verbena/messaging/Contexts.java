package io.verbena.messaging;

/**
 * Contexts of messages. Messages of different contexts never match each other. A context consists of a kind, the number of the communicator,
 * and, for collective operations with a schedule, the signature of the operation ({@link io.verbena.messaging.collective.Call#signature}).
 * Messages with the signature 1 are those of agreements:
 *
 * <pre>
 *   | 0 (1) | signature (17) | communicator (12) | kind (2) |
 * </pre>
 */
final class Contexts {

    /** Messages of the program. */
    static final int MESSAGES = 0;

    /** Messages of broadcasts among all ranks, in which a rank depends on its path to the root. */
    static final int COLLECTIVES = 1;

    /** Messages of barriers among all ranks, in which a rank depends on all ranks. */
    static final int BARRIERS = 2;

    /** Messages of collective operations with a schedule, in which a rank depends on all ranks of the communicator. */
    static final int SCHEDULES = 3;

    /** Number of communicators that can be in use at once. */
    static final int MAX_COMMUNICATORS = 1 << 12;

    private static final int KIND_BITS = 2;
    private static final int SIGNATURE_SHIFT = KIND_BITS + 12;

    private Contexts() {}

    /** The context of messages of a program in a communicator. */
    static int messages(int communicator) {
        return communicator << KIND_BITS | MESSAGES;
    }

    /** The context of a collective operation with this signature. */
    static int scheduled(int communicator, int signature) {
        return signature << SIGNATURE_SHIFT | communicator << KIND_BITS | SCHEDULES;
    }

    /** The context of the agreements of a communicator. */
    static int agreement(int communicator) {
        return 1 << SIGNATURE_SHIFT | messages(communicator);
    }

    static boolean isAgreement(int context) {
        return kind(context) == MESSAGES && signature(context) != 0;
    }

    /** Returns whether a revocation of the communicator ends a message, other than by its collective operation. */
    static boolean isRevocable(int context, int communicator) {
        return communicator(context) == communicator && kind(context) != SCHEDULES && !isAgreement(context);
    }

    static int kind(int context) {
        return context & (1 << KIND_BITS) - 1;
    }

    static int communicator(int context) {
        return context >>> KIND_BITS & MAX_COMMUNICATORS - 1;
    }

    static int signature(int context) {
        return context >>> SIGNATURE_SHIFT;
    }

    /** The flow of a channel for messages of a context; notices about a kind of messages follow these messages. */
    static int flow(int context, int flows) {
        return kind(context) % flows;
    }

    /** Returns whether an operation in this context depends on all ranks of its communicator. */
    static boolean needsAll(int context) {
        int kind = kind(context);
        return kind == BARRIERS || kind == SCHEDULES;
    }
}
