package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.WorkOpcode;
import java.util.List;
import java.util.Optional;

/** Creates deliberately wrong work. */
final class Mistakes {

    private Mistakes() {}

    /** Work with an error; empty if it cannot be created now. */
    static Optional<Operation> make(Side side, Mistake mistake) {
        Optional<Operation> created = switch (mistake) {
            case WRITE_WRONG_KEY, WRITE_OUT_OF_BOUNDS, WRITE_BEFORE_START, WRITE_WITHOUT_RIGHT, WRITE_OTHER_DOMAIN ->
                write(side, mistake);
            case READ_WRONG_KEY, READ_OUT_OF_BOUNDS, READ_WITHOUT_RIGHT, READ_OTHER_DOMAIN ->
                answered(side, WorkOpcode.READ, mistake);
            case ATOMIC_WRONG_KEY, ATOMIC_WITHOUT_RIGHT, ATOMIC_UNALIGNED ->
                answered(
                        side, side.random().oneIn(2) ? WorkOpcode.FETCH_AND_ADD : WorkOpcode.COMPARE_AND_SWAP, mistake);
            case READ_INTO_READ_ONLY -> readIntoReadOnly(side);
            case SEND_TOO_LONG -> sendTooLong(side);
            case SEND_WITHOUT_RECEIVE -> sendWithoutReceive(side);
            case INVALIDATE_WRONG_KEY -> invalidateAtPeer(side);
            case LOCAL_INVALIDATE_WRONG_KEY -> {
                Operation invalidate = new Operation(WorkOpcode.LOCAL_INVALIDATE);
                invalidate.otherKey = side.random().nextInt();
                yield Optional.of(invalidate);
            }
        };
        created.ifPresent(operation -> operation.mistake = Optional.of(mistake));
        return created;
    }

    private static Optional<Operation> write(Side side, Mistake mistake) {
        Operation operation = new Operation(WorkOpcode.WRITE);
        Optional<List<Piece>> source = source(side, side.random().between(1, 64));
        if (source.isEmpty()) {
            return Optional.empty();
        }
        operation.uses(source.get());
        operation.payload = side.domain().memory().content(source.get());
        aim(operation, side, mistake, operation.payload.length);
        return Optional.of(operation);
    }

    private static Optional<List<Piece>> source(Side side, int bytes) {
        return side.options().maxGather() == 0
                ? Optional.empty()
                : side.domain().source().takeList(bytes, side.options().maxGather());
    }

    /** Reads and atomics. */
    private static Optional<Operation> answered(Side side, WorkOpcode opcode, Mistake mistake) {
        int bytes = opcode == WorkOpcode.READ ? side.random().between(1, 64) : Long.BYTES;
        Optional<Piece> sink = side.domain().local().take(bytes);
        if (side.queuePair().query().outboundReads() == 0 || sink.isEmpty()) {
            return Optional.empty();
        }
        Operation operation = new Operation(opcode);
        operation.uses(List.of(sink.get()));
        operation.operand1 = side.random().nextLong();
        operation.operand2 = side.random().nextLong();
        aim(operation, side, mistake, bytes);
        return Optional.of(operation);
    }

    /** Sets the destination of the work, which must not be reached. */
    private static void aim(Operation operation, Side side, Mistake mistake, int bytes) {
        SimRandom random = side.random();
        Domain there = side.peer().domain();
        Zone zone = switch (mistake) {
            case WRITE_WITHOUT_RIGHT, READ_WITHOUT_RIGHT -> there.source();
            case WRITE_OTHER_DOMAIN, READ_OTHER_DOMAIN -> side.peer().program().foreign();
            case ATOMIC_WRONG_KEY, ATOMIC_UNALIGNED -> there.words();
            default -> there.remote();
        };
        operation.rkey = zone.region().rkey();
        operation.remoteAddress = zone.region().address();
        switch (mistake) {
            case WRITE_WRONG_KEY, READ_WRONG_KEY, ATOMIC_WRONG_KEY ->
                operation.rkey ^= 1 << random.nextInt(Integer.SIZE);
            case WRITE_OUT_OF_BOUNDS, READ_OUT_OF_BOUNDS ->
                operation.remoteAddress += zone.length() - bytes + 1 + random.size(1 << 20);
            case WRITE_BEFORE_START -> operation.remoteAddress -= 1 + random.size(1 << 20);
            case ATOMIC_UNALIGNED -> operation.remoteAddress += random.between(1, 7);
            case ATOMIC_WITHOUT_RIGHT -> operation.remoteAddress = operation.remoteAddress + 7 & -8;
            default -> {}
        }
    }

    private static Optional<Operation> readIntoReadOnly(Side side) {
        Optional<Piece> sink = side.domain().source().take(side.random().between(1, 64));
        if (side.queuePair().query().outboundReads() == 0 || sink.isEmpty()) {
            return Optional.empty();
        }
        Operation operation = new Operation(WorkOpcode.READ);
        operation.uses(List.of(sink.get()));
        operation.remoteAddress = side.peer().domain().remote().region().address();
        operation.rkey = side.peer().domain().remote().region().rkey();
        return Optional.of(operation);
    }

    private static Optional<Operation> sendTooLong(Side side) {
        int capacity = side.peer().receives().nextCapacity();
        return capacity < 0
                ? Optional.empty()
                : send(side, capacity + side.random().between(1, 64), WorkOpcode.SEND);
    }

    private static Optional<Operation> sendWithoutReceive(Side side) {
        return side.peer().receives().nextCapacity() < 0
                        && side.peer().options().sharedReceiveQueue().isEmpty()
                ? send(side, side.random().size(64), WorkOpcode.SEND)
                : Optional.empty();
    }

    private static Optional<Operation> invalidateAtPeer(Side side) {
        int capacity = side.peer().receives().nextCapacity();
        if (capacity < 0) {
            return Optional.empty();
        }
        Optional<Operation> created =
                send(side, Math.min(capacity, side.random().size(64)), WorkOpcode.SEND_WITH_INVALIDATE);
        created.ifPresent(operation -> operation.otherKey = side.random().nextInt());
        return created;
    }

    private static Optional<Operation> send(Side side, int bytes, WorkOpcode opcode) {
        Optional<List<Piece>> source = bytes == 0 ? Optional.of(List.of()) : source(side, bytes);
        if (source.isEmpty()) {
            return Optional.empty();
        }
        Operation operation = new Operation(opcode);
        operation.uses(source.get());
        operation.payload = side.domain().memory().content(source.get());
        operation.message = Optional.of(new Message(Message.Kind.SEND, operation, false, 0, Optional.empty()));
        return Optional.of(operation);
    }
}
