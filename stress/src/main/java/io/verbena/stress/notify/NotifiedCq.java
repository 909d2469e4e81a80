package io.verbena.stress.notify;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.fixture.StillEnvironment;
import io.verbena.notify.CompletionSource;
import io.verbena.notify.CqDispatch;
import io.verbena.notify.RegisteredHandler;
import io.verbena.rnic.CompletionFeed;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.Notification;
import io.verbena.verbs.RnicOptions;
import java.util.Optional;

/** A CQ with two handlers on one processor, for the actors of a test: the engine, the processor, and the one that modifies the CQ. */
final class NotifiedCq {

    private static final SoftRnic RNIC =
            new SoftRnic(new StillEnvironment(), RnicOptions.defaults(), new IwarpTransport());

    private final CompletionFeed engine = new CompletionFeed(RNIC, CompletionQueueOptions.capacity(4));
    final CompletionSource cq = engine.cq();
    final RegisteredHandler first;
    final RegisteredHandler second;
    private final CompletionCursor cursor = cq.cursor();
    private final SteppedProcessor processor;
    private int handled;

    NotifiedCq() {
        this(new SteppedProcessor());
    }

    /**
     * @param processor runs the handlers in the thread of an actor
     */
    NotifiedCq(SteppedProcessor processor) {
        this.processor = processor;
        first = registered();
        second = registered();
        associate(first);
        cq.requestNotification(Notification.NEXT);
    }

    private RegisteredHandler registered() {
        CqHandler drains = any -> {
            while (cursor.next()) {
                handled++;
            }
            any.requestNotification(Notification.NEXT);
        };
        return new RegisteredHandler(
                new StillNotification(), CqHandlerId.NONE, drains, processor, HandlerOptions.defaults());
    }

    /** The engine publishes an entry and checks whether a notification is requested. */
    void publish() {
        if (engine.publish(1, CompletionOpcode.SEND, 0)) {
            engine.settle();
        }
    }

    void associate(RegisteredHandler handler) {
        cq.notifier().handler(Optional.of(handler));
    }

    void associateNone() {
        cq.notifier().handler(Optional.empty());
    }

    /** What Handlers does to remove one. */
    void remove(RegisteredHandler handler) {
        handler.remove();
        cq.notifier().removed(handler);
    }

    /** The processor serves what is signalled. */
    void serve() {
        processor.run();
    }

    CqDispatch dispatch() {
        return cq.notifier().dispatch();
    }

    /** The queue pair of the entries is closed. */
    void leave() {
        engine.leave();
    }

    void close() {
        cq.close();
    }

    int handledSoFar() {
        return handled;
    }

    /** All threads have stopped: serves what is left; entries that were handled in all. */
    int handled() {
        processor.run();
        return handled;
    }
}
