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
        Operation made = new Operation(WorkOpcode.WRITE);
        made.remoteAddress = random.nextLong();
        made.rkey = random.nextInt();
        return made;
    }

    private Operation delay() {
        Operation made = new Operation(WorkOpcode.DELAY);
        made.operand1 = random.sizeNs(MOST_DELAY_NS);
        return made;
    }

    // Messages.

    private Optional<Operation> send(WorkOpcode opcode) {
        int capacity = side.peer().receives().nextCapacity();
        if (capacity < 0) {
            return Optional.empty();
        }
        Operation made = new Operation(opcode);
        if (!payload(
                made,
                random.oneIn(6)
                        ? capacity
                        : Math.min(capacity, random.size(side.plan().mostBytes())))) {
            return Optional.empty();
        }
        Optional<Zone> key = Optional.empty();
        if (opcode == WorkOpcode.SEND_WITH_INVALIDATE) {
            key = side.peer().domain().takeKey();
            if (key.isEmpty()) {
                giveUp(made);
                return Optional.empty();
            }
            made.otherKey = key.get().region().rkey();
        }
        solicit(made);
        made.message = Optional.of(new Message(Message.Kind.SEND, made, made.flags.solicited(), 0, key));
        return Optional.of(made);
    }

    private void solicit(Operation made) {
        if (random.oneIn(4)) {
            made.flags = made.flags.withSolicited();
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
        Operation made = new Operation(WorkOpcode.SEND_WITH_IMMEDIATE);
        made.operand1 = immediateData();
        solicit(made);
        made.message = Optional.of(
                new Message(Message.Kind.IMMEDIATE, made, made.flags.solicited(), made.operand1, Optional.empty()));
        return Optional.of(made);
    }

    private Optional<Operation> write(WorkOpcode opcode) {
        boolean immediate = opcode == WorkOpcode.WRITE_WITH_IMMEDIATE;
        if (immediate && side.peer().receives().nextCapacity() < 0) {
            return Optional.empty();
        }
        Operation made = new Operation(opcode);
        if (!payload(made, random.size(side.plan().mostBytes()))) {
            return Optional.empty();
        }
        Optional<Piece> there = side.peer().domain().remote().take(made.payload.length);
        if (there.isEmpty()) {
            giveUp(made);
            return Optional.empty();
        }
        made.at(there.get());
        made.heldThere.add(there.get());
        if (immediate) {
            made.operand1 = immediateData();
            solicit(made);
            made.message = Optional.of(new Message(
                    Message.Kind.WRITE_IMMEDIATE, made, made.flags.solicited(), made.operand1, Optional.empty()));
        }
        return Optional.of(made);
    }

    /** Selects the bytes to send: from the source zone, possibly inline, or the result of an earlier Read. */
    private boolean payload(Operation made, int length) {
        if (random.oneIn(6) && behindRead(made, length)) {
            return true;
        }
        Optional<List<Piece>> pieces =
                side.domain().source().takeList(length, side.options().maxGather());
        if (pieces.isEmpty()) {
            return false;
        }
        made.uses(pieces.get());
        made.payload = side.domain().memory().content(pieces.get());
        if (length <= side.options().maxInlineBytes() && random.oneIn(2)) {
            made.flags = made.flags.withInline();
        }
        return true;
    }

    /** A fence makes it wait for the Read whose bytes it sends. */
    private boolean behindRead(Operation made, int mostBytes) {
        for (Iterator<Operation> i = side.sends().pending().descendingIterator(); i.hasNext(); ) {
            Operation read = i.next();
            if (read.reads()
                    && !read.heldHere.isEmpty()
                    && read.mistake.isEmpty()
                    && read.payload.length <= mostBytes
                    && read.local.size() <= side.options().maxGather()) {
                made.local = read.local;
                made.heldHere.addAll(read.heldHere);
                read.heldHere.clear();
                made.payload = read.payload;
                made.flags = made.flags.withFence();
                return true;
            }
        }
        return false;
    }

    /** Will not be posted after all. */
    private static void giveUp(Operation made) {
        if (!made.flags.fenced()) {
            Zone.giveAll(made.heldHere);
        }
        // Otherwise the pieces of a Read stay in use, which costs only a little memory.
    }

    // Reads and atomics.

    private Optional<Operation> read(WorkOpcode opcode) {
        Operation made = new Operation(opcode);
        if (!behindWrite(made) && !anywhere(made)) {
            return Optional.empty();
        }
        Optional<List<Piece>> sink = side.domain()
                .local()
                .takeList(made.payload.length, side.options().maxGather());
        if (sink.isEmpty()) {
            // The pieces stay in use, which costs only a little memory.
            return Optional.empty();
        }
        made.uses(sink.get());
        if (opcode == WorkOpcode.READ_WITH_INVALIDATE && !invalidates(made)) {
            return Optional.empty();
        }
        return Optional.of(made);
    }

    private boolean anywhere(Operation made) {
        Optional<Piece> there =
                side.peer().domain().remote().take(random.size(side.plan().mostBytes()));
        if (there.isEmpty()) {
            return false;
        }
        made.at(there.get());
        made.heldThere.add(there.get());
        made.payload = side.peer().domain().memory().content(there.get());
        return true;
    }

    /** Reads the bytes that an earlier Write on the same queue writes. */
    private boolean behindWrite(Operation made) {
        if (!random.oneIn(3)) {
            return false;
        }
        for (Operation write : side.sends().writes()) {
            if (write.remote.isPresent() && !write.heldThere.isEmpty() && write.payload.length > 0) {
                int from = random.nextInt(write.payload.length);
                int count = 1 + random.nextInt(write.payload.length - from);
                made.at(write.remote.get().part(from, count));
                made.heldThere.addAll(write.heldThere);
                write.heldThere.clear();
                made.payload = Arrays.copyOfRange(write.payload, from, from + count);
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
        Operation made = atomic(WorkOpcode.FETCH_AND_ADD, result.get(), counter.word());
        made.operand1 = addition.get().addend();
        made.onSuccess = () -> {
            MemorySegment segment = result.get().zone().region().segment();
            addition.get()
                    .done(segment.get(
                            ValueLayout.JAVA_LONG_UNALIGNED, result.get().offset()));
            side.domain().memory().wild(made.local);
        };
        return Optional.of(made);
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
        Operation made = atomic(WorkOpcode.COMPARE_AND_SWAP, result.get(), word.word());
        made.operand1 = random.oneIn(3) ? random.nextLong() : word.value();
        made.operand2 = random.nextLong();
        long original = word.post(made.operand1, made.operand2);
        byte[] bytes = new byte[Long.BYTES];
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, original);
        made.onSuccess = () -> {
            word.done();
            if (side.conversation().hostile()) {
                side.domain().memory().wild(made.local);
            } else {
                side.domain().memory().landed(made.local, bytes, side + ": " + made);
            }
        };
        return Optional.of(made);
    }

    private static Operation atomic(WorkOpcode opcode, Piece result, Piece word) {
        Operation made = new Operation(opcode);
        made.uses(List.of(result));
        made.at(word);
        return made;
    }

    // Keys.

    private Optional<Operation> invalidate() {
        Operation made = new Operation(WorkOpcode.LOCAL_INVALIDATE);
        return invalidates(made) ? Optional.of(made) : Optional.empty();
    }

    private boolean invalidates(Operation made) {
        Optional<Zone> key = side.domain().takeKey();
        if (key.isEmpty()) {
            giveUp(made);
            return false;
        }
        made.otherKey = key.get().region().rkey();
        made.onSuccess = () -> {
            if (key.get().region().valid()) {
                side.fail(made + " succeeded, and the key is still valid");
            }
            side.domain().giveKey(key.get());
        };
        return true;
    }
}
