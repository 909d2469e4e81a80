package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.collective.Call;
import io.verbena.messaging.collective.Schedule;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Matching;
import io.verbena.messaging.protocol.Revocation;
import io.verbena.messaging.transfer.Awaited;
import io.verbena.messaging.transfer.Guard;
import io.verbena.messaging.transfer.WaitBounds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Interprets the schedule of one collective operation. It can be started again when it is done. */
final class CollectiveRun implements PersistentRequest, Awaited {

    private static final int ALIGNMENT = 64;

    private final CollectiveEngine engine;
    private final CollectiveHost messenger;
    private final Call call;
    private final Schedule schedule;
    private final MemorySegment[] buffers = new MemorySegment[Schedule.BUFFERS];
    private final @Nullable MessageRequest[] pending;
    private final Status status = new Status();
    private int pendingCount;
    private int at;
    private int tag;
    private final int context;
    private boolean done = true;
    private @Nullable MessagingException failure;

    CollectiveRun(CollectiveEngine engine, Call call, Schedule schedule) {
        this.engine = engine;
        messenger = engine.messenger();
        this.call = call;
        this.schedule = schedule;
        context = Contexts.scheduled(engine.number(), call.signature());
        pending = new @Nullable MessageRequest[schedule.mostPending()];
        buffers[Schedule.SCRATCH] = schedule.scratchBytes() == 0
                ? MemorySegment.NULL
                : Arena.ofAuto().allocate(schedule.scratchBytes(), ALIGNMENT);
    }

    /** Sets the buffers of the program. */
    CollectiveRun over(MemorySegment send, MemorySegment receive) {
        buffers[Schedule.SEND_BUFFER] = send;
        buffers[Schedule.RECEIVE_BUFFER] = receive;
        return this;
    }

    Call call() {
        return call;
    }

    Schedule schedule() {
        return schedule;
    }

    int tag() {
        return tag;
    }

    /** Number of steps that have been executed since the start. */
    int executed() {
        return at;
    }

    boolean failed() {
        return failure != null;
    }

    int context() {
        return context;
    }

    void begin(int newTag) {
        tag = newTag;
        at = 0;
        done = false;
        failure = null;
    }

    // Interpretation.

    /** Executes steps until one has to wait; returns their number. */
    int advance() {
        int executed = 0;
        while (!done) {
            if (failure != null) {
                done = settled();
                return executed;
            }
            if (at == schedule.size()) {
                status.set(engine.rank(), Matching.ANY, call.volume().bytes());
                done = true;
            } else if (!execute(at)) {
                return executed;
            } else {
                at++;
                executed++;
            }
        }
        return executed;
    }

    private boolean execute(int step) {
        MemorySegment first = buffers[schedule.firstBuffer(step)];
        MemorySegment second = buffers[schedule.secondBuffer(step)];
        switch (schedule.code(step)) {
            case Schedule.SEND -> send(step, first);
            case Schedule.RECEIVE -> receive(step, first);
            case Schedule.COPY ->
                MemorySegment.copy(
                        first, schedule.firstOffset(step), second, schedule.secondOffset(step), schedule.bytes(step));
            case Schedule.COMBINE -> combine(step, first, second);
            default -> {
                return settled() && failure == null;
            }
        }
        return true;
    }

    private int peer(int step) {
        return engine.group().world(schedule.peer(step));
    }

    private void send(int step, MemorySegment from) {
        int peer = peer(step);
        long offset = schedule.firstOffset(step);
        long bytes = schedule.bytes(step);
        if (messenger.sendNow(from, offset, bytes, peer, tag, context)) {
            return;
        }
        MessageRequest send = messenger
                .operation()
                .start(true, from, offset, bytes, peer, tag, context)
                .in(engine.group());
        pending[pendingCount++] = send;
        messenger.send(send);
    }

    private void receive(int step, MemorySegment into) {
        MessageRequest receive = messenger
                .operation()
                .start(false, into, schedule.firstOffset(step), schedule.bytes(step), peer(step), tag, context)
                .in(engine.group());
        pending[pendingCount++] = receive;
        messenger.receive(receive);
    }

    @SuppressWarnings("CatchingUnchecked") // a reduction of the program can throw anything
    private void combine(int step, MemorySegment in, MemorySegment inout) {
        try {
            call.combining()
                    .reduction()
                    .apply(
                            in,
                            schedule.firstOffset(step),
                            inout,
                            schedule.secondOffset(step),
                            schedule.bytes(step),
                            call.combining().type());
        } catch (RuntimeException e) {
            String sentence = "The reduction of " + call + " failed: " + e.getMessage();
            fail(new MessagingException(sentence, e));
            engine.end(sentence, Revocation.FAILED);
        }
    }

    /** Returns whether everything that was started is done. */
    private boolean settled() {
        for (int i = pendingCount - 1; i >= 0; i--) {
            MessageRequest operation = pending[i];
            if (operation == null || !operation.isDone() && !operation.detached()) {
                continue;
            }
            if (!operation.isDone()) {
                pending[i] = pending[--pendingCount];
                pending[pendingCount] = null;
                continue; // it is dropped when the peer has answered
            }
            if (failure == null && operation.declined()) {
                continue; // the peer, or the death of another rank, ends this operation with the reason
            }
            pending[i] = pending[--pendingCount];
            pending[pendingCount] = null;
            if (failure == null) {
                check(operation);
            }
            messenger.recycle(operation);
        }
        return pendingCount == 0;
    }

    private void check(MessageRequest operation) {
        if (!operation.failure().isEmpty()) {
            engine.failed(this, operation);
        } else if (!operation.sends && operation.status().count() != operation.length) {
            engine.end(
                    "Rank " + operation.status().source() + " sent "
                            + operation.status().count() + " bytes where this rank expects " + operation.length
                            + " bytes in " + call + ".",
                    Revocation.MISMATCH);
        }
    }

    // Failures.

    /** The operation fails. It is done when no peer uses its memory any more. */
    void fail(MessagingException reason) {
        if (done || failure != null) {
            return;
        }
        failure = reason;
        for (int i = 0; i < pendingCount; i++) {
            MessageRequest operation = pending[i];
            if (operation != null && !operation.isDone() && operation.id < 0) {
                messenger.giveUp(operation, "The collective operation has failed.", List.of());
            } else if (operation != null && !operation.isDone()) {
                messenger.abandon(operation);
            }
        }
    }

    /** The operation is given up: connections whose peers use its memory end. */
    void giveUp(String sentence) {
        engine.end(sentence, Revocation.GIVEN_UP);
        for (int i = pendingCount - 1; i >= 0; i--) {
            MessageRequest operation = i < pendingCount ? pending[i] : null;
            if (operation != null) {
                messenger.waiter().withdraw(operation, sentence);
            }
        }
        advance();
    }

    @Override
    public void checkBounds(long startNs) {
        WaitBounds waiter = messenger.waiter();
        if (waiter.longSince(startNs)) {
            engine.connectAll();
        }
        if (waiter.timedOut(startNs)) {
            giveUp("The collective operation " + call + " was given up: it was not completed in time.");
        }
    }

    // As a request.

    @Override
    public void start() {
        Guard guard = messenger.guard();
        guard.enter();
        try {
            if (!done) {
                throw new IllegalStateException("the persistent operation " + call + " is in progress");
            }
            engine.start(this);
        } finally {
            guard.leave();
        }
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public boolean done() {
        Guard guard = messenger.guard();
        guard.enter();
        try {
            return done;
        } finally {
            guard.leave();
        }
    }

    @Override
    public boolean test() {
        Guard guard = messenger.guard();
        guard.enter();
        try {
            if (!done) {
                messenger.progress();
            }
            if (done) {
                check();
            }
            return done;
        } finally {
            guard.leave();
        }
    }

    @Override
    public Status await() {
        Guard guard = messenger.guard();
        guard.enter();
        try {
            messenger.await(this);
            check();
            return status;
        } finally {
            guard.leave();
        }
    }

    /** Waits as a blocking call: an operation whose wait is interrupted is given up, since no program holds it. */
    void complete() {
        boolean waited = false;
        try {
            messenger.await(this);
            waited = true;
        } finally {
            if (!waited) {
                giveUp("The wait for " + call + " was interrupted.");
            }
        }
        check();
    }

    private void check() {
        MessagingException reason = failure;
        if (reason != null) {
            throw reason;
        }
    }
}
