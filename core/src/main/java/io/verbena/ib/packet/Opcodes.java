package io.verbena.ib.packet;

import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;

/** Maps work to packets of the connected services. The low five bits of an opcode are the same in each service. */
public final class Opcodes {

    private static final int SERVICE_SHIFT = 5;

    private Opcodes() {}

    /** Whether work completes only when the peer has answered with data. */
    public static boolean waitsForAnswer(WorkOpcode opcode) {
        return switch (opcode) {
            case READ, READ_WITH_INVALIDATE, COMPARE_AND_SWAP, FETCH_AND_ADD -> true;
            default -> false;
        };
    }

    public static boolean atomic(WorkOpcode opcode) {
        return opcode == WorkOpcode.COMPARE_AND_SWAP || opcode == WorkOpcode.FETCH_AND_ADD;
    }

    public static boolean read(WorkOpcode opcode) {
        return opcode == WorkOpcode.READ || opcode == WorkOpcode.READ_WITH_INVALIDATE;
    }

    /** Whether work consumes a receive at the peer. */
    public static boolean usesReceive(WorkOpcode opcode) {
        return switch (opcode) {
            case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE, WRITE_WITH_IMMEDIATE -> true;
            default -> false;
        };
    }

    /** Whether work sends no packet. */
    public static boolean local(WorkOpcode opcode) {
        return switch (opcode) {
            case BIND, UNBIND, LOCAL_INVALIDATE, DELAY -> true;
            default -> false;
        };
    }

    /** The opcode of another service that corresponds to an opcode of reliable connections. */
    public static IbOpcode of(Service service, IbOpcode reliable) {
        return IbOpcode.of(service.ordinal() << SERVICE_SHIFT | reliable.value());
    }

    /**
     * The opcode of a packet of the response to a Read; the response to a repeated request begins with FIRST or ONLY,
     * too.
     */
    public static IbOpcode readResponse(Service service, boolean first, boolean last) {
        return of(
                service,
                of(
                        first,
                        last,
                        IbOpcode.RC_READ_RESPONSE_FIRST,
                        IbOpcode.RC_READ_RESPONSE_MIDDLE,
                        IbOpcode.RC_READ_RESPONSE_LAST,
                        IbOpcode.RC_READ_RESPONSE_ONLY));
    }

    /** The opcode of a packet of a Send or Write of reliable connections. */
    public static IbOpcode packet(WorkOpcode opcode, boolean first, boolean last) {
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
