package io.verbena.notify;

import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** CQ handlers of an RNIC by their identifications: 1, 2, 3, … and never one twice. */
public final class Handlers {

    private final Map<CqHandlerId, RegisteredHandler> byId = new ConcurrentHashMap<>();
    private final NotificationHost host;
    private final int most;
    private final Collection<? extends CompletionSource> completionQueues;
    private final RunEnds ends;
    private int last;
    private int reserved;
    private boolean closed;

    /**
     * No handlers yet.
     *
     * @param most handlers at a time
     * @param completionQueues the CQs of the RNIC, kept up to date by it
     */
    public Handlers(NotificationHost host, int most, Collection<? extends CompletionSource> completionQueues) {
        this.host = host;
        this.most = most;
        this.completionQueues = completionQueues;
        this.ends = new RunEnds(host);
    }

    /** Registers all of these, or none. */
    public List<CqHandlerId> add(List<CqHandler> wanted, HandlerProcessor processor, HandlerOptions options) {
        Objects.requireNonNull(processor, "a handler processor must not be null");
        Objects.requireNonNull(options, "the options of a CQ handler must not be null");
        wanted.forEach(Handlers::check);
        List<CqHandlerId> ids = reserve(wanted.size());
        List<RegisteredHandler> created = new ArrayList<>();
        boolean registered = false;
        try {
            for (int i = 0; i < wanted.size(); i++) {
                created.add(new RegisteredHandler(host, ids.get(i), wanted.get(i), processor, options));
            }
            registered = register(created);
        } finally {
            if (!registered) {
                giveBack(wanted.size());
                created.forEach(RegisteredHandler::remove);
            }
        }
        return ids;
    }

    /** Whether it is a handler at all. */
    public static CqHandler check(CqHandler handler) {
        return Objects.requireNonNull(handler, "a CQ handler must not be null");
    }

    private synchronized List<CqHandlerId> reserve(int count) {
        checkOpen();
        int room = most - byId.size() - reserved;
        if (count > room) {
            throw new IllegalStateException(
                    most == 1 && count == 1
                            ? "this RNIC has one CQ handler and it is set; replace it, or remove it first"
                            : "this RNIC has room for " + room + " more CQ handlers of " + most + ", not for " + count
                                    + "; several CQs can share one");
        }
        reserved += count;
        List<CqHandlerId> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(new CqHandlerId(++last));
        }
        return List.copyOf(ids);
    }

    private synchronized boolean register(List<RegisteredHandler> created) {
        checkOpen();
        created.forEach(each -> byId.put(each.id(), each));
        reserved -= created.size();
        return true;
    }

    private synchronized void giveBack(int count) {
        reserved -= count;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the RNIC is closed");
        }
    }

    /** What is registered under an identification. */
    public RegisteredHandler get(CqHandlerId id) {
        return known(id, byId.get(id));
    }

    public boolean knows(CqHandlerId id) {
        return byId.containsKey(id);
    }

    /** The limit. */
    public int most() {
        return most;
    }

    /** After this returns the handler does not run, except in the calling thread, and no CQ has it. Called by the handler itself, it does not wait. */
    public void remove(CqHandlerId id) {
        RegisteredHandler removed = known(id, byId.remove(id));
        end(removed);
        awaitEnd("CQ handler " + id.value() + " is removed, but it", () -> !runsElsewhere(removed));
    }

    private void end(RegisteredHandler handler) {
        handler.remove();
        for (CompletionSource cq : completionQueues) {
            cq.notifier().removed(handler);
        }
    }

    private boolean runsElsewhere(RegisteredHandler handler) {
        for (CompletionSource cq : completionQueues) {
            if (cq.notifier().dispatch().runsElsewhere(handler)) {
                return true;
            }
        }
        return false;
    }

    /** The RNIC is closed: after this returns no handler runs, except in the calling thread. */
    public void close() {
        for (RegisteredHandler handler : refuseMore()) {
            end(handler);
        }
        for (CompletionSource cq : completionQueues) {
            cq.notifier().ready(Optional.empty()).ifPresent(RegisteredHandler::remove);
        }
        awaitEnd("The RNIC is closed, but a handler", () -> !anyRunsElsewhere());
    }

    private synchronized RegisteredHandler[] refuseMore() {
        closed = true;
        return byId.values().toArray(RegisteredHandler[]::new);
    }

    private boolean anyRunsElsewhere() {
        for (CompletionSource cq : completionQueues) {
            if (cq.notifier().dispatch().runsElsewhere()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the calling thread runs a handler, which {@link #close} in another thread waits for. */
    public boolean anyRunsHere() {
        for (CompletionSource cq : completionQueues) {
            if (cq.notifier().dispatch().runsHere()) {
                return true;
            }
        }
        return false;
    }

    /** A handler without an identification, on the default processor, for one CQ. */
    public RegisteredHandler unregistered(Runnable callback) {
        return new RegisteredHandler(
                host, CqHandlerId.NONE, any -> callback.run(), host.defaultProcessor(), HandlerOptions.defaults());
    }

    // Waiting for handlers that run.

    /**
     * Waits until handlers have ended, whatever interrupts.
     *
     * @param done what has been done and what may still run: the beginning of a sentence
     * @throws VerbsException when they do not end, or this thread is one that cannot wait
     */
    public void awaitEnd(String done, BooleanSupplier over) {
        ends.await(done, over);
    }

    /** A run is over. */
    public void ended() {
        ends.signal();
    }

    /** Those that are registered now, by their identifications. */
    public List<RegisteredHandler> all() {
        return byId.values().stream()
                .sorted(Comparator.comparingInt(each -> each.id().value()))
                .toList();
    }

    /** Handlers that are registered. */
    public int size() {
        return byId.size();
    }

    private static RegisteredHandler known(CqHandlerId id, @Nullable RegisteredHandler found) {
        if (found == null) {
            throw new IllegalArgumentException("no CQ handler has the identification " + id.value());
        }
        return found;
    }
}
