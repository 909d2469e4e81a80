package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.WorkOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** Draws work for one side and computes its expected result. */
final class OperationMaker {

    private static final long MOST_DELAY_NS = 3_000_000;

    private final Side side;
    private final SimRandom random;

    OperationMaker(Side side) {
        this.side = side;
        this.random = side.random();
    }

    /** Any work that is possible now. */
    Operation any() {
        for (int i = 0; i < 4; i++) {
            Optional<Operation> drawn = draw();
            if (drawn.isPresent()) {
                return drawn.get();
            }
        }
        return emptyWrite();
    }

    /** Any work that sends a message. */
    Operation message() {
        return (random.oneIn(2) ? write(WorkOpcode.WRITE) : send(WorkOpcode.SEND)).orElseGet(this::emptyWrite);
    }

    private Optional<Operation> draw() {
        boolean mayRead = side.queuePair().query().outboundReads() > 0;
        return switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> send(WorkOpcode.SEND);
            case 5 -> send(WorkOpcode.SEND_WITH_INVALIDATE);
            case 6 -> immediate();
            case 7, 8, 9 -> write(WorkOpcode.WRITE);
            case 10 -> write(WorkOpcode.WRITE_WITH_IMMEDIATE);
            case 11, 12, 13 -> mayRead ? read(WorkOpcode.READ) : Optional.empty();
            case 14 -> mayRead ? read(WorkOpcode.READ_WITH_INVALIDATE) : Optional.empty();
            case 15, 16 -> mayRead ? fetchAndAdd() : Optional.empty();
            case 17 -> mayRead ? compareAndSwap() : Optional.empty();
            case 18 -> invalidate();
            default -> Optional.of(delay());
        };
    }

    private Operation emptyWrite() {
        Operation operation = new Operation(WorkOpcode.WRITE);
        operation.remoteAddress = random.nextLong();
        operation.rkey = random.nextInt();
        return operation;
    }

    private Operation delay() {
        Operation operation = new Operation(WorkOpcode.DELAY);
        operation.operand1 = random.sizeNs(MOST_DELAY_NS);
        return operation;
    }

    // Messages.

    private Optional<Operation> send(WorkOpcode opcode) {
        int capacity = side.peer().receives().nextCapacity();
        if (capacity < 0) {
            return Optional.empty();
        }
        Operation operation = new Operation(opcode);
        if (!payload(
                operation,
                random.oneIn(6)
                        ? capacity
                        : Math.min(capacity, random.size(side.plan().mostBytes())))) {
            return Optional.empty();
        }
        Optional<Zone> key = Optional.empty();
        if (opcode == WorkOpcode.SEND_WITH_INVALIDATE) {
            key = side.peer().domain().takeKey();
            if (key.isEmpty()) {
                giveUp(operation);
                return Optional.empty();
            }
            operation.otherKey = key.get().region().rkey();
        }
        solicit(operation);
        operation.message = Optional.of(new Message(Message.Kind.SEND, operation, operation.flags.solicited(), 0, key));
        return Optional.of(operation);
    }

    private void solicit(Operation operation) {
        if (random.oneIn(4)) {
            operation.flags = operation.flags.withSolicited();
        }
    }

    /** Immediate data has 8 bytes on iWARP and 4 on InfiniBand, where a completion reports them as a signed number. */
    private long immediateData() {
        long data = random.nextLong();
        return side.world().overRoce() ? (int) data : data;
    }

    private Optional<Operation> immediate() {
        if (side.peer().receives().nextCapacity() < 0) {
            return Optional.empty();
        }
        Operation operation = new Operation(WorkOpcode.SEND_WITH_IMMEDIATE);
        operation.operand1 = immediateData();
        solicit(operation);
        operation.message = Optional.of(new Message(
                Message.Kind.IMMEDIATE, operation, operation.flags.solicited(), operation.operand1, Optional.empty()));
        return Optional.of(operation);
    }

    private Optional<Operation> write(WorkOpcode opcode) {
        boolean immediate = opcode == WorkOpcode.WRITE_WITH_IMMEDIATE;
        if (immediate && side.peer().receives().nextCapacity() < 0) {
            return Optional.empty();
        }
        Operation operation = new Operation(opcode);
        if (!payload(operation, random.size(side.plan().mostBytes()))) {
            return Optional.empty();
        }
        Optional<Piece> there = side.peer().domain().remote().take(operation.payload.length);
        if (there.isEmpty()) {
            giveUp(operation);
            return Optional.empty();
        }
        operation.at(there.get());
        operation.heldThere.add(there.get());
        if (immediate) {
            operation.operand1 = immediateData();
            solicit(operation);
            operation.message = Optional.of(new Message(
                    Message.Kind.WRITE_IMMEDIATE,
                    operation,
                    operation.flags.solicited(),
                    operation.operand1,
                    Optional.empty()));
        }
        return Optional.of(operation);
    }

    /** Selects the bytes to send: from the source zone, possibly inline, or the result of an earlier Read. */
    private boolean payload(Operation operation, int length) {
        if (random.oneIn(6) && behindRead(operation, length)) {
            return true;
        }
        Optional<List<Piece>> pieces =
                side.domain().source().takeList(length, side.options().maxGather());
        if (pieces.isEmpty()) {
            return false;
        }
        operation.uses(pieces.get());
        operation.payload = side.domain().memory().content(pieces.get());
        if (length <= side.options().maxInlineBytes() && random.oneIn(2)) {
            operation.flags = operation.flags.withInline();
        }
        return true;
    }

    /** A fence makes it wait for the Read whose bytes it sends. */
    private boolean behindRead(Operation operation, int mostBytes) {
        for (Iterator<Operation> i = side.sends().pending().descendingIterator(); i.hasNext(); ) {
            Operation read = i.next();
            if (read.reads()
                    && !read.heldHere.isEmpty()
                    && read.mistake.isEmpty()
                    && read.payload.length <= mostBytes
                    && read.local.size() <= side.options().maxGather()) {
                operation.local = read.local;
                operation.heldHere.addAll(read.heldHere);
                read.heldHere.clear();
                operation.payload = read.payload;
                operation.flags = operation.flags.withFence();
                return true;
            }
        }
        return false;
    }

    /** Will not be posted after all. */
    private static void giveUp(Operation operation) {
        if (!operation.flags.fenced()) {
            Zone.giveAll(operation.heldHere);
        }
        // Otherwise the pieces of a Read stay in use, which costs only a little memory.
    }

    // Reads and atomics.

    private Optional<Operation> read(WorkOpcode opcode) {
        Operation operation = new Operation(opcode);
        if (!behindWrite(operation) && !anywhere(operation)) {
            return Optional.empty();
        }
        Optional<List<Piece>> sink = side.domain()
                .local()
                .takeList(operation.payload.length, side.options().maxGather());
        if (sink.isEmpty()) {
            // The pieces stay in use, which costs only a little memory.
            return Optional.empty();
        }
        operation.uses(sink.get());
        if (opcode == WorkOpcode.READ_WITH_INVALIDATE && !invalidates(operation)) {
            return Optional.empty();
        }
        return Optional.of(operation);
    }

    private boolean anywhere(Operation operation) {
        Optional<Piece> there =
                side.peer().domain().remote().take(random.size(side.plan().mostBytes()));
        if (there.isEmpty()) {
            return false;
        }
        operation.at(there.get());
        operation.heldThere.add(there.get());
        operation.payload = side.peer().domain().memory().content(there.get());
        return true;
    }

    /** Reads the bytes that an earlier Write on the same queue writes. */
    private boolean behindWrite(Operation operation) {
        if (!random.oneIn(3)) {
            return false;
        }
        for (Operation write : side.sends().writes()) {
            if (write.remote.isPresent() && !write.heldThere.isEmpty() && write.payload.length > 0) {
                int from = random.nextInt(write.payload.length);
                int count = 1 + random.nextInt(write.payload.length - from);
                operation.at(write.remote.get().part(from, count));
                operation.heldThere.addAll(write.heldThere);
                write.heldThere.clear();
                operation.payload = Arrays.copyOfRange(write.payload, from, from + count);
                return true;
            }
        }
        return false;
    }

    private Optional<Operation> fetchAndAdd() {
        Counter counter = random.pick(side.peer().domain().counters());
        Optional<Piece> result = side.domain().local().take(Long.BYTES);
        Optional<Counter.Addition> addition = result.isPresent() ? counter.add() : Optional.empty();
        if (addition.isEmpty()) {
            result.ifPresent(piece -> piece.zone().give(piece));
            return Optional.empty();
        }
        Operation operation = atomic(WorkOpcode.FETCH_AND_ADD, result.get(), counter.word());
        operation.operand1 = addition.get().addend();
        operation.onSuccess = () -> {
            MemorySegment segment = result.get().zone().region().segment();
            addition.get()
                    .done(segment.get(
                            ValueLayout.JAVA_LONG_UNALIGNED, result.get().offset()));
            side.domain().memory().wild(operation.local);
        };
        return Optional.of(operation);
    }

    private Optional<Operation> compareAndSwap() {
        if (side.swapWord().isEmpty()) {
            return Optional.empty();
        }
        SwapWord word = side.swapWord().get();
        Optional<Piece> result = side.domain().local().take(Long.BYTES);
        if (result.isEmpty()) {
            return Optional.empty();
        }
        Operation operation = atomic(WorkOpcode.COMPARE_AND_SWAP, result.get(), word.word());
        operation.operand1 = random.oneIn(3) ? random.nextLong() : word.value();
        operation.operand2 = random.nextLong();
        long original = word.post(operation.operand1, operation.operand2);
        byte[] bytes = new byte[Long.BYTES];
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, original);
        operation.onSuccess = () -> {
            word.done();
            if (side.conversation().hostile()) {
                side.domain().memory().wild(operation.local);
            } else {
                side.domain().memory().landed(operation.local, bytes, side + ": " + operation);
            }
        };
        return Optional.of(operation);
    }

    private static Operation atomic(WorkOpcode opcode, Piece result, Piece word) {
        Operation operation = new Operation(opcode);
        operation.uses(List.of(result));
        operation.at(word);
        return operation;
    }

    // Keys.

    private Optional<Operation> invalidate() {
        Operation operation = new Operation(WorkOpcode.LOCAL_INVALIDATE);
        return invalidates(operation) ? Optional.of(operation) : Optional.empty();
    }

    private boolean invalidates(Operation operation) {
        Optional<Zone> key = side.domain().takeKey();
        if (key.isEmpty()) {
            giveUp(operation);
            return false;
        }
        operation.otherKey = key.get().region().rkey();
        operation.onSuccess = () -> {
            if (key.get().region().valid()) {
                side.fail(operation + " succeeded, and the key is still valid");
            }
            side.domain().giveKey(key.get());
        };
        return true;
    }
}
