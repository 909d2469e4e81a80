package io.verbena.rnic.datagram;

import io.verbena.engine.RnicEngine;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.Rnic;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A reliable datagram domain: counts its queue pairs, and keeps its contexts. One engine serves all of them. */
public abstract class SoftDatagramDomain implements ReliableDatagramDomain {

    private final RnicContext context;
    private final RnicEngine engine;
    private final Set<SoftEndToEndContext> contexts = ConcurrentHashMap.newKeySet();
    private int queuePairs;
    private boolean closed;

    /** A domain without queue pairs and contexts. */
    protected SoftDatagramDomain(RnicContext context, RnicEngine engine) {
        this.context = context;
        this.engine = engine;
    }

    /** The domain as an object of this RNIC. */
    public static SoftDatagramDomain of(ReliableDatagramDomain domain, RnicContext context) {
        if (domain instanceof SoftDatagramDomain soft && soft.context == context) {
            return soft;
        }
        throw new IllegalArgumentException("the reliable datagram domain was not allocated by this RNIC");
    }

    /** The context shared by all objects of the RNIC. */
    public final RnicContext context() {
        return context;
    }

    /** The engine that serves the queue pairs and contexts of the domain. */
    public final RnicEngine engine() {
        return engine;
    }

    @Override
    public final Rnic rnic() {
        return context.rnic();
    }

    @Override
    public final List<EndToEndContext> contexts() {
        return List.copyOf(contexts);
    }

    @Override
    public final synchronized int queuePairs() {
        return queuePairs;
    }

    /** Adds a new context. */
    protected final synchronized void add(SoftEndToEndContext softEndToEndContext) {
        checkOpen();
        contexts.add(softEndToEndContext);
    }

    final void remove(SoftEndToEndContext softEndToEndContext) {
        contexts.remove(softEndToEndContext);
    }

    public synchronized void use() {
        checkOpen();
        queuePairs++;
    }

    public synchronized void leave() {
        queuePairs--;
    }

    /** Fails if the domain is closed. */
    protected final synchronized void checkOpen() {
        context.checkOpen();
        if (closed) {
            throw new IllegalStateException("the reliable datagram domain is closed");
        }
    }

    /** Ends all contexts at once when the RNIC is closed. */
    public final void disconnectAll() {
        contexts.forEach(SoftEndToEndContext::disconnect);
    }

    public final boolean allEnded() {
        return contexts.stream().allMatch(each -> each.state().ended());
    }

    @Override
    public final void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (queuePairs > 0) {
                throw new IllegalStateException(
                        "the reliable datagram domain has " + queuePairs + " queue pairs; close them first");
            }
            closed = true;
        }
        contexts.forEach(SoftEndToEndContext::close);
        context.forget(this);
    }
}
