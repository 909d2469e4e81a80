package io.verbena.notify;

import io.verbena.base.Log;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a handler identification names: the handler, its address at a processor, and the ring of its events.
 *
 * <p><b>No event stays in a ring that is not served.</b> A thread that posts one writes the record, makes a full fence, and checks whether this
 * handler is removed, or no longer the CQ's; a thread that removes it, or gives the CQ another one, writes that, makes a full fence,
 * and takes back what is in the ring. One of the two finds the record.
 */
public final class RegisteredHandler implements EventSource {

    private static final int RING_RECORDS = 64;

    /** A handler without an identification is one CQ's. */
    private static final int ONE_CQ_RECORDS = 2;

    /** Every fourth event is taken from those that did not fit in the ring, if there is one. */
    private static final int TAKES_A_SPILLED = 4;

    private static final int SPINS = 100;
    private static final long PAUSE_NS = 50_000;

    private final NotificationHost host;
    private final CqHandlerId id;
    private final EventRing ring;
    private final ConcurrentLinkedQueue<CqDispatch> spilled = new ConcurrentLinkedQueue<>();
    private final HandlerTally tally = new HandlerTally();
    private final EventAddress address;
    private final Set<Integer> cores;
    private final String processor;
    private volatile HandlerOptions options;
    private volatile CqHandler handler;
    private volatile boolean removed;
    private final AtomicBoolean abandonedBefore = new AtomicBoolean();
    private volatile boolean abandoned;
    private int taken;

    public RegisteredHandler(
            NotificationHost host,
            CqHandlerId id,
            CqHandler handler,
            HandlerProcessor processor,
            HandlerOptions options) {
        this.host = host;
        this.id = id;
        ring = new EventRing(id.equals(CqHandlerId.NONE) ? ONE_CQ_RECORDS : RING_RECORDS);
        this.handler = handler;
        this.options = options;
        cores = Set.copyOf(processor.cores());
        this.processor = name(processor);
        // Last: from here on the processor may serve it.
        this.address = processor.attach(id, options, this).orElseGet(() -> new PlainAddress(id, processor, this));
    }

    /** Its identification; {@link CqHandlerId#NONE} for one CQ's callback. */
    public CqHandlerId id() {
        return id;
    }

    /** The name of a processor, or what kind of object the application has passed: a lambda has no name that says anything. */
    private static String name(HandlerProcessor processor) {
        if (processor.getClass().isHidden()) {
            return "processor of the application";
        }
        String text = String.valueOf(processor);
        return text.startsWith(processor.getClass().getName() + '@')
                ? processor.getClass().getSimpleName()
                : text;
    }

    /** What its processor is called. */
    public String processor() {
        return processor;
    }

    /** The cores that its processor is bound to; empty for any. */
    public Set<Integer> cores() {
        return cores;
    }

    public HandlerOptions options() {
        return options;
    }

    public void options(HandlerOptions wanted) {
        options = wanted;
        address.options(wanted);
    }

    public void replace(CqHandler newHandler) {
        handler = newHandler;
    }

    boolean removed() {
        return removed;
    }

    /** Whether an event for it may be served some day. */
    boolean usable() {
        return !removed && !abandoned;
    }

    public HandlerFigures figures() {
        return tally.figures();
    }

    /** The same without percentiles. Takes no lock. */
    public HandlerFigures totals() {
        return tally.totals();
    }

    // Events.

    public EventRing ring() {
        return ring;
    }

    /** A CQ has an event: the record, then the signal. Any thread. */
    void post(CqDispatch event, int cause) {
        if (!ring.offer(event, id.value(), cause, host.nowNs())) {
            event.onTaken(id.value(), cause, host.nowNs());
            spilled.add(event);
        }
        VarHandle.fullFence();
        if (!usable()) {
            takeBack();
            return;
        }
        signalProcessor();
        if (!event.belongsTo(this)) {
            reroute();
        }
    }

    /** Whatever a processor of the application throws: it is taken for ended. */
    private void signalProcessor() {
        try {
            address.signal();
        } catch (Throwable e) {
            abandon();
        }
    }

    @Override
    public boolean serve() {
        CqDispatch event = take();
        if (event == null) {
            return false;
        }
        assert event.datum() == id.value() : "a record for handler " + event.datum() + " in the ring of " + id.value();
        event.serve(this);
        return ring.ready() || !spilled.isEmpty();
    }

    private @Nullable CqDispatch take() {
        // Also while the ring is never empty: events that did not fit in it must not starve. A race here only changes
        // the
        // order.
        boolean spilledFirst = ++taken % TAKES_A_SPILLED == 0;
        CqDispatch event = spilledFirst ? spilled.poll() : (CqDispatch) ring.poll();
        if (event != null) {
            return event;
        }
        return spilledFirst ? (CqDispatch) ring.poll() : spilled.poll();
    }

    /** Runs the handler for an event of a CQ, and contains what it throws. */
    void run(CqDispatch event, long signalledNs) {
        CompletionSource cq = event.cq();
        long beganNs = host.nowNs();
        long polledBefore = cq.polled();
        boolean threw = false;
        try {
            handler.onCompletion(cq);
        } catch (Throwable e) {
            threw = true;
            Log.callback("CQ handler " + id.value(), e);
        }
        long endedNs = host.nowNs();
        long completions = cq.polled() - polledBefore;
        tally.add(beganNs - signalledNs, endedNs - beganNs, completions, threw);
        cq.notifier().tally().add(beganNs - signalledNs, endedNs - beganNs, completions, threw);
        host.onHandlerRun(id.value(), cq.number(), beganNs - signalledNs, endedNs - beganNs, completions);
    }

    @Override
    public void abandon() {
        if (!removed && abandonedBefore.compareAndSet(false, true)) {
            abandoned = true;
            host.onProcessorFailed(
                    id,
                    "The processor of CQ handler " + id.value()
                            + " has ended; move its CQs to a handler on another one.");
        }
        VarHandle.fullFence();
        takeBack();
    }

    /** The handler begins no further run; a run that has begun continues. */
    public void remove() {
        removed = true;
        VarHandle.fullFence();
        try {
            address.detach();
        } catch (Throwable e) {
            Log.callback("A handler processor", e);
        }
        takeBack();
    }

    private void takeBack() {
        for (CqDispatch event = take(); event != null; event = take()) {
            event.takenBack();
        }
    }

    /**
     * A CQ has another handler now, or is closed: its record, if there is one here, goes there. The others stay, beside the
     * ring. A record that is still being written is waited for: the records that follow it may be the CQ's.
     */
    void reroute() {
        boolean kept = false;
        for (int left = spilled.size(); left > 0; left--) {
            CqDispatch event = spilled.poll();
            kept |= event != null && sort(event);
        }
        // The ring alone: what sort keeps is beside it, and must not count as one of its records.
        int looks = 0;
        for (int left = ring.size(); left > 0; ) {
            CqDispatch event = (CqDispatch) ring.poll();
            if (event != null) {
                left--;
                kept |= sort(event);
            } else if (ring.size() == 0) {
                break;
            } else {
                pause(++looks);
            }
        }
        if (kept) {
            VarHandle.fullFence();
            if (usable()) {
                signalProcessor();
            } else {
                takeBack();
            }
        }
    }

    /** Keeps an event that belongs here; whether it is one. */
    private boolean sort(CqDispatch event) {
        if (!event.belongsTo(this)) {
            event.takenBack();
            return false;
        }
        spilled.add(event);
        VarHandle.fullFence();
        // A thread that gave the CQ another handler meanwhile could not see the event.
        if (event.belongsTo(this) || !spilled.remove(event)) {
            return true;
        }
        event.takenBack();
        return false;
    }

    /** The writer of a record may have lost its core to this very thread, whatever the priorities: so it is not only spun. */
    private static void pause(int looks) {
        if (looks < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
