package io.verbena.objects;

import io.verbena.base.Log;
import io.verbena.base.WaitPoint;
import io.verbena.notify.SerialRunner;
import io.verbena.text.AddressText;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventListener;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PageFault;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.SharedReceiveQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Asynchronous events for the application: a bounded queue, and a listener if one is registered. */
public final class AsyncEvents {

    /** Maximum number of queued events. When the queue is full, the oldest event is dropped. */
    public static final int MAX_QUEUED = 1024;

    /** Maximum number of past events that are kept for figures. */
    static final int MAX_PAST = 64;

    private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();
    private final ArrayDeque<PastEvent> past = new ArrayDeque<>();
    private final Map<AsyncEventType, Long> counts = new EnumMap<>(AsyncEventType.class);
    private final LongSupplier clockNs;
    private long raised;
    private final BooleanSupplier ended;
    private final WaitPoint arrived;
    private final SerialRunner runner;
    private Optional<AsyncEventListener> listener = Optional.empty();

    /**
     * An event that has been raised. It names its subject instead of referring to it, which would keep a closed object alive.
     *
     * @param number the first event of the RNIC is 1
     */
    private record PastEvent(long number, long atNs, AsyncEventType type, String subject, String sentence) {}

    /**
     * The events of one RNIC.
     *
     * @param arrived where threads wait for an event
     * @param ended whether no event occurs any more
     * @param runner calls the listener
     */
    public AsyncEvents(WaitPoint arrived, BooleanSupplier ended, SerialRunner runner, LongSupplier clockNs) {
        this.arrived = arrived;
        this.ended = ended;
        this.runner = runner;
        this.clockNs = clockNs;
    }

    /** Reports an event. Any thread. */
    public void raise(AsyncEventType type, Object subject, String sentence) {
        raise(new AsyncEvent(type, subject, sentence));
    }

    /** Reports a page fault. Any thread. */
    public void raise(PageFault fault, Object subject, String sentence) {
        raise(new AsyncEvent(AsyncEventType.PAGE_FAULT, subject, OptionalInt.empty(), Optional.of(fault), sentence));
    }

    /** Reports an event. Any thread. */
    public void raise(AsyncEvent event) {
        boolean notify;
        String subject = name(event.subject());
        synchronized (this) {
            raised++;
            counts.merge(event.type(), 1L, Long::sum);
            if (past.size() == MAX_PAST) {
                past.removeFirst();
            }
            past.addLast(new PastEvent(raised, clockNs.getAsLong(), event.type(), subject, event.sentence()));
            if (events.size() == MAX_QUEUED) {
                events.pollFirst();
            }
            events.addLast(event);
            notify = listener.isPresent();
        }
        if (notify) {
            runner.add(this::deliver);
        }
        arrived.signal();
    }

    private static String name(Object subject) {
        return switch (subject) {
            case QueuePair queuePair -> queuePair.toString();
            case CompletionQueue cq -> cq.toString();
            case Listener listener -> "listener at " + AddressText.of(listener.localAddress());
            case Rnic _ -> "RNIC";
            case MemoryRegion _ -> "memory region";
            case SharedReceiveQueue _ -> "shared receive queue";
            default -> "other object";
        };
    }

    /** Wakes the threads that wait for an event, when none occurs any more. */
    public void wake() {
        arrived.signal();
    }

    /** Adds the number of events of each type that has occurred to the figures of the RNIC. Any thread. */
    public synchronized void showCounts(Figures.Builder rnic) {
        counts.forEach((type, count) -> rnic.value(RnicFigures.EVENTS, lower(type), count));
    }

    /** Adds the latest events, oldest first, whether or not the application has taken them. Any thread. */
    public void showPast(Figures.Builder rnic) {
        List<PastEvent> shown;
        synchronized (this) {
            shown = List.copyOf(past);
        }
        long nowNs = clockNs.getAsLong(); // later than each of them
        shown.forEach(each -> rnic.part(figures(each, nowNs)));
    }

    private static Figures figures(PastEvent event, long nowNs) {
        return Figures.of("event")
                .identity("number", event.number())
                .text("type", lower(event.type()))
                .text("object", event.subject())
                .text("sentence", event.sentence())
                .value(RnicFigures.EVENT_AGE, nowNs - event.atNs())
                .build();
    }

    private static String lower(AsyncEventType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Drops the queued events of a destroyed object if no listener is registered, as ibv_destroy_qp does, so that an
     * application that does not read events does not keep destroyed objects alive.
     */
    public synchronized void forget(Object subject) {
        if (listener.isEmpty()) {
            events.removeIf(event -> event.subject() == subject);
        }
    }

    /** Sets the listener. Queued events are delivered to it. */
    public void listener(AsyncEventListener newListener) {
        synchronized (this) {
            listener = Optional.of(newListener);
        }
        runner.add(this::deliver);
    }

    /** Waits for the first event and removes all queued events. */
    public List<AsyncEvent> poll(long timeoutNs) {
        arrived.await(() -> !isEmpty() || ended.getAsBoolean(), timeoutNs);
        synchronized (this) {
            List<AsyncEvent> taken = new ArrayList<>(events);
            events.clear();
            return taken;
        }
    }

    private synchronized boolean isEmpty() {
        return events.isEmpty();
    }

    private void deliver() {
        while (true) {
            AsyncEvent event;
            AsyncEventListener to;
            synchronized (this) {
                if (events.isEmpty() || listener.isEmpty()) {
                    return;
                }
                event = events.removeFirst();
                to = listener.get();
            }
            try {
                to.onEvent(event);
            } catch (Throwable e) {
                Log.callback("The listener for asynchronous events", e);
            }
        }
    }
}
