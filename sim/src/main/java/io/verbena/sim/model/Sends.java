package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * The send queue of one side: the posted requests, their expected results, and whether these occur exactly once and in
 * order.
 */
final class Sends {

    private final Side side;
    private final SimRandom random;
    private final WorkRequest template;

    /** Requests not known to be complete, oldest first. */
    private final Deque<Operation> pending = new ArrayDeque<>();

    /** Writes not known to have arrived, oldest first. */
    private final Deque<Operation> writes = new ArrayDeque<>();

    /** Messages that the other side has not received yet, oldest first. */
    private final Deque<Message> messages = new ArrayDeque<>();

    /** Failed work that may have touched the other side. */
    private final List<Operation> limbo = new ArrayList<>();

    private long posted;
    private long firstBehindClosing = Long.MAX_VALUE;
    private boolean peerClosing;
    private boolean readsAtRisk;
    private boolean broken;
    private int errors;

    Sends(Side side) {
        this.side = side;
        this.random = side.random();
        this.template = side.queuePair().newWorkRequest();
    }

    long posted() {
        return posted;
    }

    /** Whether a request has failed, so that all later ones fail too. */
    boolean broken() {
        return broken;
    }

    /** Whether no request that will be reported is pending. */
    boolean drained() {
        if (broken || side.over()) {
            return allReported() && side.queuePair().query().sendOutstanding() == 0;
        }
        return pending.isEmpty();
    }

    /** Whether all expected completions have been reported. */
    boolean allReported() {
        for (Operation operation : pending) {
            if (broken || visible(operation)) {
                return false;
            }
        }
        return true;
    }

    boolean idle() {
        return pending.isEmpty() && messages.isEmpty();
    }

    int messagesUnderWay() {
        return messages.size();
    }

    Deque<Operation> pending() {
        return pending;
    }

    Deque<Operation> writes() {
        return writes;
    }

    /** Reads and atomics that are not answered. */
    private boolean readsPending() {
        return pending.stream().anyMatch(Operation::waitsForAnswer);
    }

    // Closing.

    /** One side closes gracefully: work posted from now on may be too late. */
    void closingBegins() {
        firstBehindClosing = posted;
    }

    /** The other side closes: Reads that it has not answered before may fail, and all later requests too. */
    void peerCloses() {
        peerClosing = true;
        readsAtRisk |= readsPending();
    }

    boolean readsAtRisk() {
        return readsAtRisk;
    }

    // Posting.

    /** Slots that are free, not counting what is in a batch. */
    int free() {
        return side.options().sendDepth() - side.queuePair().query().sendOutstanding();
    }

    /** Posts a request; there is a free slot, and space in the CQ. */
    void post(Operation operation) {
        side.program().busy();
        operation.sequence = posted++;
        operation.wrId = side.sendId(operation.sequence);
        operation.postedAtNs = side.world().nowNs();
        pending.add(operation);
        side.sendRoom().reserve();
        if (operation.writes()) {
            writes.add(operation);
        }
        operation.message.ifPresent(messages::add);
        if (peerClosing && operation.waitsForAnswer()) {
            readsAtRisk = true;
        }
        side.world().log(() -> side + " posts " + operation);
        if (!submit(operation)) {
            side.fail(operation + " was refused, though the queue has a free slot");
        }
        if (operation.flags.inline()) {
            // What is inline was copied: the program may use its memory at once.
            giveHere(operation, true);
        }
    }

    /** Posts to a full queue: it must be refused, without effect. */
    void postBeyond() {
        if (side.queuePair().post(template.write(0, 0).id(-1))) {
            side.fail("work was taken although all " + side.options().sendDepth() + " slots are in use");
        }
    }

    private boolean submit(Operation o) {
        QueuePair to = side.queuePair();
        if (o.local.size() == 1 && random.oneIn(2)) {
            Piece p = o.local.getFirst();
            switch (o.opcode) {
                case SEND -> {
                    return to.postSend(o.wrId, p.zone().region(), p.offset(), p.length(), o.flags);
                }
                case WRITE -> {
                    return to.postWrite(
                            o.wrId, p.zone().region(), p.offset(), p.length(), o.remoteAddress, o.rkey, o.flags);
                }
                case READ -> {
                    return to.postRead(
                            o.wrId, p.zone().region(), p.offset(), p.length(), o.remoteAddress, o.rkey, o.flags);
                }
                case COMPARE_AND_SWAP -> {
                    return to.postCompareAndSwap(
                            o.wrId,
                            p.zone().region(),
                            p.offset(),
                            o.remoteAddress,
                            o.rkey,
                            o.operand1,
                            o.operand2,
                            o.flags);
                }
                case FETCH_AND_ADD -> {
                    return to.postFetchAndAdd(
                            o.wrId, p.zone().region(), p.offset(), o.remoteAddress, o.rkey, o.operand1, o.flags);
                }
                default -> {}
            }
        }
        fillTemplate(o);
        for (Piece piece : o.local) {
            template.element(piece.zone().region(), piece.offset(), piece.length());
        }
        return to.post(template.id(o.wrId).flags(o.flags));
    }

    private void fillTemplate(Operation o) {
        switch (o.opcode) {
            case SEND -> template.send();
            case SEND_WITH_INVALIDATE -> template.sendWithInvalidate(o.otherKey);
            case SEND_WITH_IMMEDIATE -> template.sendWithImmediate(o.operand1);
            case WRITE -> template.write(o.remoteAddress, o.rkey);
            case WRITE_WITH_IMMEDIATE -> template.writeWithImmediate(o.remoteAddress, o.rkey, o.operand1);
            case READ -> template.read(o.remoteAddress, o.rkey);
            case READ_WITH_INVALIDATE -> template.readWithInvalidate(o.remoteAddress, o.rkey, o.otherKey);
            case COMPARE_AND_SWAP -> template.compareAndSwap(o.remoteAddress, o.rkey, o.operand1, o.operand2);
            case FETCH_AND_ADD -> template.fetchAndAdd(o.remoteAddress, o.rkey, o.operand1);
            case LOCAL_INVALIDATE -> template.localInvalidate(o.otherKey);
            case DELAY -> template.delay(o.operand1);
            case BIND, UNBIND, RECEIVE -> throw new AssertionError("not in the workload: " + o.opcode);
        }
    }

    // Completions.

    private boolean visible(Operation operation) {
        return operation.flags.signalled() || side.options().signalAll();
    }

    void onCompletion(CompletionCursor cursor) {
        Operation operation = pending.poll();
        while (operation != null && operation.wrId != cursor.wrId() && !visible(operation) && !broken) {
            // An unsignalled request is reported only if it fails; a later completion shows that it has succeeded.
            succeed(operation);
            operation = pending.poll();
        }
        if (operation == null || operation.wrId != cursor.wrId()) {
            side.fail("send work " + Long.toHexString(cursor.wrId()) + " completed " + cursor.status()
                    + ", and it was the turn of " + operation);
            return;
        }
        if (cursor.opcode() != operation.completion()) {
            side.fail(operation + " completed as " + cursor.opcode());
        }
        if (!cursor.ok()) {
            fail(operation, cursor.status(), cursor.reason());
            return;
        }
        if (broken || operation.late) {
            side.fail(operation + " succeeded after work that failed, or after the end");
        }
        if (operation.mistake.filter(Mistake::pendsUntilBlamed).isPresent()) {
            side.fail(operation + " succeeded");
        }
        if (!visible(operation)) {
            side.fail(operation + " was reported although it is unsignalled");
        }
        if (operation.reads() && cursor.byteCount() != operation.payload.length) {
            side.fail(operation + " returned " + cursor.byteCount() + " bytes");
        }
        succeed(operation);
    }

    private void succeed(Operation operation) {
        side.sendRoom().release();
        if (operation.reads()) {
            if (side.conversation().hostile()) {
                side.domain().memory().wild(operation.local);
            } else if (!operation.forsaken) {
                side.domain().memory().landed(operation.local, operation.payload, side + ": " + operation);
                // RFC 5040 section 5.5: a Read Response is generated after the preceding Writes are placed.
                confirm(operation.sequence - 1);
            }
        }
        if (operation.opcode == WorkOpcode.DELAY
                && side.world().nowNs() - operation.postedAtNs - operation.operand1 < 0) {
            side.fail(operation + " is over too early");
        }
        operation.onSuccess.run();
        giveHere(operation, false);
        if (!operation.writes()) {
            Zone.giveAll(operation.heldThere);
        }
    }

    private void fail(Operation operation, CompletionStatus status, String reason) {
        broken = true;
        operation.failed = true;
        side.sendRoom().release();
        side.world().log(() -> side + ": " + operation + " completed " + status + ": " + reason);
        if (!mayFail(operation)) {
            side.fail(operation + " completed " + status + ": " + reason);
        }
        if (reason.isBlank()) {
            side.fail(operation + " completed " + status + " without a reason");
        }
        if (status != CompletionStatus.FLUSHED) {
            if (operation.late) {
                side.fail(operation + " was posted too late and completed " + status);
            }
            if (++errors > 1) {
                side.fail(operation + " completed " + status + ", the second piece of work that is not just flushed");
            }
            side.conversation().onError(side, operation, status);
        }
        if (operation.forsaken) {
            side.world().log(() -> side + " has given up " + operation);
        } else if (operation.reads() && !side.conversation().hostile()) {
            side.domain().memory().mayHaveLanded(operation.local, operation.payload, side + ": failed " + operation);
        } else if (operation.waitsForAnswer()) {
            side.domain().memory().wild(operation.local);
        }
        operation.onFailure.run();
        giveHere(operation, false);
        if (!operation.writes()) {
            limbo.add(operation);
        }
    }

    private boolean mayFail(Operation operation) {
        return !side.conversation().strict() || operation.sequence >= firstBehindClosing || readsAtRisk;
    }

    private void giveHere(Operation operation, boolean mustScribble) {
        for (Piece piece : operation.heldHere) {
            if (mustScribble || random.oneIn(2)) {
                piece.zone().memory().scribble(piece);
            }
            piece.zone().give(piece);
        }
        operation.heldHere.clear();
    }

    // Arrivals at the other side.

    /** The other side received a message: returns the expected one. */
    Message delivered() {
        Message message = messages.poll();
        if (message == null) {
            side.peer().fail("a message arrived that was not sent");
            throw new AssertionError();
        }
        return message;
    }

    /** The payload of the message that may have arrived in part. */
    List<byte[]> nextPayload() {
        return payloads().limit(1).toList();
    }

    /** The payloads of all messages that were not delivered; over segments, all of them may have arrived. */
    List<byte[]> undeliveredPayloads() {
        return payloads().toList();
    }

    private Stream<byte[]> payloads() {
        return messages.stream().map(next -> next.kind == Message.Kind.SEND ? next.operation.payload : new byte[0]);
    }

    /** Writes up to this one have arrived, because a later message has. */
    void confirm(long sequence) {
        while (!writes.isEmpty() && writes.peek().sequence <= sequence) {
            Operation write = writes.poll();
            landed(write);
            Zone.giveAll(write.heldThere);
        }
    }

    private void landed(Operation write) {
        if (write.remote.isPresent()) {
            side.peer().domain().memory().landed(List.of(write.remote.get()), write.payload, side + ": " + write);
        }
    }

    /** Both sides are over, and no engine will touch anything. */
    void settle() {
        while (!pending.isEmpty() && !side.program().dead()) {
            Operation operation = pending.poll();
            if (broken || visible(operation)) {
                side.fail(operation + " never completed");
            }
            succeed(operation);
        }
        boolean strict = side.conversation().strict();
        for (Message message : messages) {
            if (strict && !message.operation.failed) {
                side.fail(message + " succeeded and never arrived");
            }
        }
        messages.clear();
        for (Operation write : writes) {
            if (strict && !write.failed) {
                landed(write);
            } else if (write.remote.isPresent() && !side.conversation().hostile()) {
                side.peer()
                        .domain()
                        .memory()
                        .mayHaveLanded(List.of(write.remote.get()), write.payload, side + ": failed " + write);
            }
            Zone.giveAll(write.heldThere);
        }
        writes.clear();
        for (Operation operation : limbo) {
            Zone.giveAll(operation.heldThere);
        }
        limbo.clear();
    }
}
