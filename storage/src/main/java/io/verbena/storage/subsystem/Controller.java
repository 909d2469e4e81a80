package io.verbena.storage.subsystem;

import io.verbena.base.StateMachine;
import io.verbena.base.TransitionTable;
import io.verbena.storage.subsystem.ControllerState.Event;
import io.verbena.storage.wire.Registers;
import io.verbena.storage.wire.Status;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** An association of a host with a subsystem: registers, features, events, and the queues. */
final class Controller {
    /** AERL + 1. */
    static final int EVENT_REQUESTS = 4;

    static final int NAMESPACE_EVENTS = 0x100;
    static final int DISCOVERY_EVENTS = 0x8000_0000;
    /** A host enables a new controller within this time. */
    private static final long ENABLE_WITHIN_NS = 10_000_000_000L;

    /** A host without keep-alive that has sent no command for this time gives way if all controllers are taken. */
    private static final long UNUSED_NS = 10_000_000_000L;

    /** For discovery without keep-alive. Any command is a sign of life there. */
    private static final long DISCOVERY_KEEP_ALIVE_MS = 120_000;

    private static final long NAMESPACE_NOTICE = 0x04_0002;
    private static final long DISCOVERY_NOTICE = 0x70_f002;

    static final TransitionTable<ControllerState, Event> TABLE = TransitionTable.of(ControllerState.class, Event.class)
            .go(ControllerState.DISABLED, Event.ENABLE, ControllerState.READY)
            .go(ControllerState.DISABLED, Event.ENABLE_UNSUPPORTED, ControllerState.FATAL)
            .ignore(ControllerState.DISABLED, Event.DISABLE)
            .go(ControllerState.DISABLED, Event.SHUT_DOWN, ControllerState.SHUTTING_DOWN)
            .ignore(ControllerState.DISABLED, Event.FLUSHED, Event.FLUSH_FAILED)
            .ignore(ControllerState.READY, Event.ENABLE, Event.ENABLE_UNSUPPORTED)
            .go(ControllerState.READY, Event.DISABLE, ControllerState.DISABLED)
            .go(ControllerState.READY, Event.SHUT_DOWN, ControllerState.SHUTTING_DOWN)
            .ignore(ControllerState.READY, Event.FLUSHED, Event.FLUSH_FAILED)
            .ignore(ControllerState.FATAL, Event.ENABLE, Event.ENABLE_UNSUPPORTED)
            .go(ControllerState.FATAL, Event.DISABLE, ControllerState.DISABLED)
            .go(ControllerState.FATAL, Event.SHUT_DOWN, ControllerState.SHUTTING_DOWN)
            .ignore(ControllerState.FATAL, Event.FLUSHED, Event.FLUSH_FAILED)
            .ignore(ControllerState.SHUTTING_DOWN, Event.ENABLE, Event.ENABLE_UNSUPPORTED, Event.SHUT_DOWN)
            .go(ControllerState.SHUTTING_DOWN, Event.DISABLE, ControllerState.DISABLED)
            .go(ControllerState.SHUTTING_DOWN, Event.FLUSHED, ControllerState.SHUT_DOWN)
            .go(ControllerState.SHUTTING_DOWN, Event.FLUSH_FAILED, ControllerState.FATAL)
            .ignore(ControllerState.SHUT_DOWN, Event.ENABLE, Event.ENABLE_UNSUPPORTED, Event.SHUT_DOWN)
            .ignore(ControllerState.SHUT_DOWN, Event.FLUSHED, Event.FLUSH_FAILED)
            .go(ControllerState.SHUT_DOWN, Event.DISABLE, ControllerState.DISABLED)
            .ignore(
                    ControllerState.ENDED,
                    Event.ENABLE,
                    Event.ENABLE_UNSUPPORTED,
                    Event.DISABLE,
                    Event.SHUT_DOWN,
                    Event.FLUSHED,
                    Event.FLUSH_FAILED,
                    Event.END)
            .fromElsewhere(Event.END, ControllerState.ENDED)
            .build();

    private final int id;
    private final Subsystem subsystem;
    private final HostIdentity host;
    private final HostPath path;
    private final boolean discovery;
    private final NamespaceView view;
    private final StateMachine<ControllerState, Event> state = new StateMachine<>(TABLE, ControllerState.DISABLED);
    private final List<AssociationQueue> queues = new ArrayList<>();
    private final List<Command> eventRequests = new ArrayList<>();
    private final BitSet changedNamespaces = new BitSet();
    private final ErrorLog errors = new ErrorLog();

    private int configuration;
    private int events;
    private boolean noticeDue;
    private boolean writeCache;
    private boolean noticeSent;
    private long keepAliveMs;
    private long lastSignNs;
    private long lastUseNs;
    private long connectedNs;
    private boolean wasEnabled;

    Controller(int id, Subsystem subsystem, HostIdentity host, HostPath path, boolean discovery) {
        this.id = id;
        this.subsystem = subsystem;
        this.host = host;
        this.path = path;
        this.discovery = discovery;
        this.view = new NamespaceView(subsystem, host.name());
        this.writeCache = subsystem.writeCache();
    }

    int id() {
        return id;
    }

    Subsystem subsystem() {
        return subsystem;
    }

    /** The namespaces that the host sees. */
    NamespaceView view() {
        return view;
    }

    HostIdentity host() {
        return host;
    }

    /** Whether a command that changes blocks arrived by this time and has not ended. */
    boolean changesBlocksSince(long sinceNs) {
        for (AssociationQueue queue : queues) {
            if (queue.changesBlocksSince(sinceNs)) {
                return true;
            }
        }
        return false;
    }

    HostPath path() {
        return path;
    }

    String network() {
        return path.from();
    }

    boolean discovery() {
        return discovery;
    }

    ErrorLog errors() {
        return errors;
    }

    ControllerState state() {
        return state.state();
    }

    boolean ready() {
        return state.state() == ControllerState.READY;
    }

    // ---- Properties

    int configuration() {
        return configuration;
    }

    void configure(int value) {
        int changed = configuration ^ value;
        configuration = value;
        if (Registers.shutdown(value)) {
            state.on(Event.SHUT_DOWN);
        } else if ((changed & Registers.ENABLE) != 0) {
            if (!Registers.enable(value)) {
                disable();
            } else {
                wasEnabled = true;
                state.on(Registers.supported(value) ? Event.ENABLE : Event.ENABLE_UNSUPPORTED);
            }
        }
    }

    /** The flushes of a shutdown have ended. */
    void flushed(boolean succeeded) {
        state.on(succeeded ? Event.FLUSHED : Event.FLUSH_FAILED);
    }

    private void disable() {
        state.on(Event.DISABLE);
        while (!eventRequests.isEmpty()) {
            queues.getFirst().respond(eventRequests.removeLast(), Status.ABORTED, 0);
        }
        events = 0;
        writeCache = subsystem.writeCache();
        noticeDue = false;
        noticeSent = false;
        changedNamespaces.clear();
    }

    int status() {
        return switch (state.state()) {
            case DISABLED, ENDED -> 0;
            case READY -> Registers.READY;
            case FATAL -> Registers.FATAL;
            case SHUTTING_DOWN -> Registers.SHUTTING_DOWN | (Registers.enable(configuration) ? Registers.READY : 0);
            case SHUT_DOWN -> Registers.SHUTDOWN_COMPLETE | (Registers.enable(configuration) ? Registers.READY : 0);
        };
    }

    // ---- Write cache

    /** Whether a Write may be answered before its data are durable. */
    boolean writeCache() {
        return writeCache;
    }

    void writeCache(boolean enabled) {
        writeCache = enabled;
    }

    // ---- Keep alive

    void keepAlive(long timeMs, long nowNs) {
        keepAliveMs = timeMs;
        lastSignNs = nowNs;
    }

    /** The host has connected, and must enable the controller now. */
    void connected(long timeMs, long nowNs) {
        // Otherwise a host without keep-alive that vanishes would hold the controller indefinitely.
        keepAlive(discovery && timeMs == 0 ? DISCOVERY_KEEP_ALIVE_MS : timeMs, nowNs);
        connectedNs = nowNs;
        lastUseNs = nowNs;
    }

    /** A command arrived that is not a Keep Alive. */
    void used(long nowNs) {
        lastUseNs = nowNs;
    }

    long unusedNs(long nowNs) {
        return nowNs - lastUseNs;
    }

    /** Whether the host does nothing, and has not asked for the end of its association by a keep-alive time if it vanishes. */
    boolean abandoned(long nowNs) {
        return (keepAliveMs == 0 || discovery) && unusedNs(nowNs) >= UNUSED_NS;
    }

    void signOfLife(long nowNs) {
        lastSignNs = nowNs;
    }

    long keepAliveMs() {
        return keepAliveMs;
    }

    /** Whether the host has been silent for longer than it promised, or has not enabled the controller in time. */
    boolean expired(long nowNs) {
        return remainingNs(nowNs) <= 0;
    }

    /** Time until the association expires; {@link Long#MAX_VALUE} if it does not. One second is added for the timer of the host. */
    long remainingNs(long nowNs) {
        long remainingNs = Long.MAX_VALUE;
        if (state.state() != ControllerState.ENDED && keepAliveMs != 0) {
            remainingNs = (keepAliveMs + 1000) * 1_000_000 - (nowNs - lastSignNs);
        }
        if (state.state() == ControllerState.DISABLED && !wasEnabled) {
            remainingNs = Math.min(remainingNs, ENABLE_WITHIN_NS - (nowNs - connectedNs));
        }
        return remainingNs;
    }

    // ---- Events

    int events() {
        return events;
    }

    void events(int enabled) {
        events = enabled & (discovery ? DISCOVERY_EVENTS : NAMESPACE_EVENTS);
        notice();
    }

    /** Keeps an Asynchronous Event Request until there is an event. */
    Status requestEvent(Command command) {
        if (eventRequests.size() == EVENT_REQUESTS) {
            return Status.EVENT_LIMIT;
        }
        queues.getFirst().waits(command);
        eventRequests.add(command);
        notice();
        return Status.SUCCESS;
    }

    void namespaceChanged(int namespaceId) {
        if (view.changed(namespaceId)) {
            changedNamespaces.set(namespaceId);
            noticeDue = true;
            notice();
        }
    }

    void discoveryChanged() {
        noticeDue = true;
        notice();
    }

    BitSet changedNamespaces() {
        return changedNamespaces;
    }

    /** Reading the log page permits the next notice. */
    BitSet takeChangedNamespaces() {
        BitSet changed = (BitSet) changedNamespaces.clone();
        changedNamespaces.clear();
        noticeRead();
        return changed;
    }

    void noticeRead() {
        noticeDue = false;
        noticeSent = false;
        notice();
    }

    /** One notice is enough until the host has read the log page. */
    private void notice() {
        if (noticeDue && !noticeSent && events != 0 && !eventRequests.isEmpty()) {
            noticeDue = false;
            noticeSent = true;
            Command command = eventRequests.removeFirst();
            queues.getFirst().respond(command, Status.SUCCESS, discovery ? DISCOVERY_NOTICE : NAMESPACE_NOTICE);
        }
    }

    /** Ends a waiting Asynchronous Event Request. */
    boolean abortEventRequest(int commandId) {
        for (int i = 0; i < eventRequests.size(); i++) {
            if (eventRequests.get(i).commandId() == commandId) {
                queues.getFirst().respond(eventRequests.remove(i), Status.ABORTED, 0);
                return true;
            }
        }
        return false;
    }

    // ---- Queues

    /** The queues, the admin queue first. */
    List<AssociationQueue> queues() {
        return queues;
    }

    boolean hasQueue(int queueId) {
        for (AssociationQueue queue : queues) {
            if (queue.id() == queueId) {
                return true;
            }
        }
        return false;
    }

    /** An I/O queue that was lost alone can be connected again. */
    void forgetLostQueues() {
        queues.removeIf(queue -> queue.id() != 0 && queue.drained());
    }

    void end() {
        if (state.state() != ControllerState.ENDED) {
            state.on(Event.END);
            eventRequests.clear();
            List.copyOf(queues).forEach(AssociationQueue::close);
        }
    }

    /** Whether no work of the association is under way. */
    boolean drained() {
        for (AssociationQueue queue : queues) {
            if (!queue.drained()) {
                return false;
            }
        }
        return state.state() == ControllerState.ENDED;
    }
}
