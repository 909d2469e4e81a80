package io.verbena.rnic;

import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;

/** What stands behind a handler identification. */
final class RegisteredHandler {

    private final CqHandlerId id;
    private final HandlerProcessor processor;
    private final HandlerOptions options;
    private volatile CqHandler handler;
    private volatile boolean removed;

    RegisteredHandler(CqHandlerId id, CqHandler handler, HandlerProcessor processor, HandlerOptions options) {
        this.options = options;
        this.id = id;
        this.handler = handler;
        this.processor = processor;
    }

    CqHandlerId id() {
        return id;
    }

    HandlerProcessor processor() {
        return processor;
    }

    /** How it is to be served. */
    HandlerOptions options() {
        return options;
    }

    CqHandler handler() {
        return handler;
    }

    void replace(CqHandler newHandler) {
        handler = newHandler;
    }

    boolean removed() {
        return removed;
    }

    /** It is not begun any more; runs that have begun go on. */
    void remove() {
        removed = true;
    }
}
