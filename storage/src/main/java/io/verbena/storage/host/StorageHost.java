package io.verbena.storage.host;

import io.verbena.base.StateMachine;
import io.verbena.storage.host.HostState.Event;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The host: one association with a subsystem, which it establishes again when it is lost, and the requests of a user. One thread at a time
 * owns it.
 *
 * <p><b>Repetition.</b> A command without an answer is sent again over the next association, never over the same one: the target answers
 * Connect of the admin queue only when all work of the earlier association has ended, so that a Write cannot overtake its own repetition.
 * That is why the loss of one queue ends all of them. A command that fails without DNR is sent again up to five times, after the delay that
 * the target names.
 */
public final class StorageHost {
    /** The name of discovery subsystems. */
    public static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";

    /** Linux and nvmet use 32 entries for admin queues. */
    private static final int ADMIN_DEPTH = 31;

    private final HostSettings settings;
    private final HostOutput output;
    private final SubmissionQueue admin;
    private final List<SubmissionQueue> queues = new ArrayList<>();
    private final StateMachine<HostState, Event> state = new StateMachine<>(HostState.TABLE, HostState.IDLE);
    private final Requests requests;
    private final HostCommands commands;
    private final HostAdmin setup;
    private TreeMap<Integer, RemoteNamespace> namespaces = new TreeMap<>();
    private String reason = "";
    private int grantedQueues;
    private int nextQueue;
    private boolean wasLive;
    private boolean closing;
    private long lostNs;
    private long retryNs;

    /** A host that is idle. {@code memories} has one element for the admin queue, and one for each I/O queue. */
    public StorageHost(HostSettings settings, List<HostMemory> memories, HostOutput output) {
        this.settings = settings;
        this.output = output;
        this.commands = new HostCommands(settings);
        this.requests = new Requests(settings.queues() * settings.depth());
        this.admin = new SubmissionQueue(0, ADMIN_DEPTH, memories.getFirst());
        for (int id = 1; id <= settings.queues(); id++) {
            queues.add(new SubmissionQueue(id, settings.depth(), memories.get(id)));
        }
        this.setup = new HostAdmin(this, admin, commands, output, settings);
    }

    /** Commands in flight of a queue with this number. */
    public static int depth(HostSettings settings, int queueId) {
        return queueId == 0 ? ADMIN_DEPTH : settings.depth();
    }

    /** Bytes of {@link HostMemory#page()} of a queue with this many commands in flight. */
    public static int pageBytes(int depth) {
        return (int) HostCommands.rangeOffset(depth);
    }

    /** Where the range of a Dataset Management command is in {@link HostMemory#page()}. */
    public static long rangeOffset(int slot) {
        return HostCommands.rangeOffset(slot);
    }

    // ---- What others may know

    /** State. */
    public HostState state() {
        return state.state();
    }

    /** Why the host has no association, in one sentence; empty if it never lost one. */
    public String reason() {
        return reason;
    }

    /** The target. */
    public ControllerProfile profile() {
        return setup.profile();
    }

    /** Namespaces, by number. */
    public Collection<RemoteNamespace> namespaces() {
        return namespaces.values();
    }

    /** What the discovery service listed. */
    public List<DiscoveryRecord> discovered() {
        return setup.discovered();
    }

    /** Whether connections that end now were not lost. */
    public boolean closesInOrder() {
        return closing && (state.state() == HostState.CLOSING_QUEUES || reason.isEmpty());
    }

    /** The commands of requests. */
    public BlockCommandCounts commands() {
        return requests.counts();
    }

    /** Number of I/O queues. */
    public int ioQueues() {
        return grantedQueues;
    }

    // ---- Calls of the user

    /** Begins to connect. */
    public void open(long nowNs) {
        state.on(Event.OPEN);
        connectAdmin(nowNs);
    }

    /** Accepts a request. {@link #advance} sends it. */
    public void submit(BlockRequest request) {
        if (closing || state.state().over()) {
            request.fail(closing ? BlockRequest.CLOSED : BlockRequest.LOST);
            request.owner().ended(request);
        } else {
            requests.add(request);
        }
    }

    /** Sends the commands for which there is room. */
    public void advance(long nowNs) {
        if (state.state() != HostState.LIVE) {
            return;
        }
        ControllerLimits limits = setup.profile().limits();
        for (SubmissionQueue queue = queueWithRoom(); queue != admin; queue = queueWithRoom()) {
            BlockCommand command = requests.next(limits, nowNs);
            if (command == BlockCommand.NONE) {
                return;
            }
            int slot = queue.begin(command, nowNs);
            requests.sent(command);
            commands.fill(queue.entry(slot), queue, slot, command, limits);
            output.send(queue, slot, command);
        }
    }

    /** The next I/O queue that accepts a command; the admin queue if there is none. */
    private SubmissionQueue queueWithRoom() {
        for (int i = 0; i < grantedQueues; i++) {
            nextQueue = nextQueue + 1 >= grantedQueues ? 0 : nextQueue + 1;
            SubmissionQueue queue = queues.get(nextQueue);
            if (queue.hasRoom()) {
                return queue;
            }
        }
        return admin;
    }

    /** Ends the association in order, after which requests fail. */
    public void close(long nowNs) {
        if (closing) {
            return;
        }
        closing = true;
        boolean live = state.state() == HostState.LIVE;
        state.on(Event.CLOSE);
        if (live) {
            queues.forEach(this::close);
        } else if (state.state() == HostState.ENDING) {
            closeAll();
        } else if (state.state() == HostState.CLOSED) {
            over(BlockRequest.CLOSED);
        }
        proceedClosing(nowNs);
    }

    // ---- Connections

    private void connectAdmin(long nowNs) {
        setup.restart(nowNs);
        connect(admin);
    }

    private void connect(SubmissionQueue queue) {
        queue.on(QueueState.Event.CONNECT);
        output.connect(queue);
    }

    private void close(SubmissionQueue queue) {
        if (queue.on(QueueState.Event.CLOSE)) {
            output.close(queue);
        }
    }

    private void closeAll() {
        close(admin);
        queues.forEach(this::close);
    }

    /** The connection of a queue is established. */
    public void onConnected(SubmissionQueue queue, long nowNs) {
        if (queue.on(QueueState.Event.CONNECTED)) {
            if (queue == admin) {
                done(nowNs);
            } else {
                setup.join(queue, nowNs);
            }
        }
    }

    /** The connection of a queue could not be established, or is lost. */
    public void onLost(SubmissionQueue queue, String why, long nowNs) {
        if (queue.state() != QueueState.CLOSING && queue.state() != QueueState.CLOSED) {
            fail(why, nowNs);
        }
    }

    /** The connection of a queue has ended: nothing touches its memory, and its commands are not executed any more. */
    public void onClosed(SubmissionQueue queue, long nowNs) {
        queue.on(QueueState.Event.CLOSED);
        releaseCommands(queue);
        proceedClosing(nowNs);
    }

    private void proceedClosing(long nowNs) {
        boolean ioClosed = queues.stream().allMatch(SubmissionQueue::closed);
        if (state.state() == HostState.CLOSING_QUEUES && ioClosed) {
            done(nowNs);
        } else if (state.state() == HostState.ENDING && ioClosed && admin.closed()) {
            drained(nowNs);
        }
    }

    private void drained(long nowNs) {
        if (closing) {
            state.on(Event.DRAINED_CLOSED);
            over(BlockRequest.CLOSED);
        } else if (!wasLive || nowNs - lostNs >= settings.times().giveUpNs()) {
            // A first attempt that fails is an answer to the user, who can try again.
            state.on(Event.DRAINED_GIVE_UP);
            over(BlockRequest.LOST);
        } else {
            state.on(Event.DRAINED_RETRY);
            retryNs = nowNs + settings.times().reconnectDelayNs();
            output.changed();
        }
    }

    private void over(int status) {
        requests.failAll(status);
        output.changed();
    }

    /** Nothing drives this host any more: all requests fail. */
    public void abandon() {
        closing = true;
        for (SubmissionQueue queue : queues) {
            releaseCommands(queue);
        }
        requests.failAll(BlockRequest.CLOSED);
    }

    private void releaseCommands(SubmissionQueue queue) {
        for (int slot = 0; slot < queue.depth(); slot++) {
            if (queue.busy(slot)) {
                BlockCommand command = queue.command(slot);
                queue.end(slot);
                if (command != BlockCommand.NONE) {
                    requests.lost(command);
                }
            }
        }
    }

    void fail(String why, long nowNs) {
        if (!state.state().connected()) {
            return;
        }
        reason = why;
        if (state.state() == HostState.LIVE) {
            lostNs = nowNs;
        }
        state.on(Event.FAIL);
        closeAll();
        output.changed();
        proceedClosing(nowNs);
    }

    // ---- Steps

    /** The step of the current state is complete: begins the next one. */
    void done(long nowNs) {
        state.on(Event.DONE);
        enter(nowNs);
    }

    void isDiscovery(long nowNs) {
        state.on(Event.IS_DISCOVERY);
        enter(nowNs);
    }

    private void enter(long nowNs) {
        switch (state.state()) {
            case CONNECTING_QUEUES -> {
                for (int i = 0; i < grantedQueues; i++) {
                    queues.get(i).limit(setup.profile().limits().maxCommands());
                    connect(queues.get(i));
                }
            }
            case LIVE -> {
                wasLive = true;
                setup.onLive(nowNs);
                output.changed();
            }
            case ENDING -> {
                closeAll();
                proceedClosing(nowNs);
            }
            default -> setup.enter(state.state(), nowNs);
        }
    }

    void grant(int count) {
        grantedQueues = Math.clamp(count, 1, queues.size());
    }

    /** An I/O queue has joined. */
    void joined(long nowNs) {
        for (int i = 0; i < grantedQueues; i++) {
            if (!queues.get(i).live()) {
                return;
            }
        }
        done(nowNs);
    }

    /** All namespaces have been read. */
    void surveyed(TreeMap<Integer, RemoteNamespace> found, long nowNs) {
        boolean changed = false;
        TreeMap<Integer, RemoteNamespace> known = new TreeMap<>(found);
        for (RemoteNamespace old : namespaces.values()) {
            RemoteNamespace now = found.get(old.id());
            if (now != null && old.same(now)) {
                changed |= old.update(now);
                known.put(old.id(), old);
            } else {
                old.gone();
                changed = true;
            }
        }
        changed |= known.size() != namespaces.size();
        namespaces = known;
        if (state.state() == HostState.SURVEYING) {
            done(nowNs);
        } else if (changed) {
            output.changed();
        }
    }

    // ---- Answers

    /** A response of {@code lengthBytes} bytes has arrived. */
    public void onResponse(SubmissionQueue queue, CompletionEntry response, int lengthBytes, long nowNs) {
        if (queue.state() != QueueState.LIVE && queue.state() != QueueState.JOINING) {
            return;
        }
        if (!CompletionEntry.fits(lengthBytes)) {
            fail("The target sent a response of " + lengthBytes + " bytes; one has 16.", nowNs);
            return;
        }
        int slot = queue.slot(response.commandId());
        if (slot < 0) {
            fail("The target answered a command that is not in flight (" + response.commandId() + ").", nowNs);
            return;
        }
        BlockCommand command = queue.command(slot);
        AdminStep step = queue.step(slot);
        queue.end(slot);
        if (command == BlockCommand.NONE) {
            setup.onAnswer(queue, step, response, nowNs);
        } else {
            onAnswer(command, response.status(), nowNs);
        }
    }

    private void onAnswer(BlockCommand command, int status, long nowNs) {
        if (status != 0 && (status & Status.DO_NOT_RETRY) == 0 && command.mayRepeat()) {
            command.repeatAfter(commands.retryDelayNs(status), nowNs);
            requests.retry(command);
        } else {
            requests.answered(command, status);
        }
    }

    // ---- Time

    /** When {@link #onDeadline} must be called next. */
    public OptionalLong nextDeadlineNs(long nowNs) {
        long remainingNs = setup.remainingNs(nowNs);
        if (state.state() == HostState.WAITING) {
            remainingNs = retryNs - nowNs;
        } else if (state.state() == HostState.LIVE) {
            remainingNs = Math.min(remainingNs, requests.remainingNs(nowNs));
        }
        for (SubmissionQueue queue : queues) {
            remainingNs = Math.min(remainingNs, remainingNs(queue, nowNs));
        }
        return remainingNs == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(nowNs + remainingNs);
    }

    private long remainingNs(SubmissionQueue queue, long nowNs) {
        HostTimes times = settings.times();
        return switch (queue.state()) {
            case JOINING -> queue.remainingNs(nowNs, times.setUpNs());
            case LIVE -> queue.remainingNs(nowNs, times.commandNs());
            case CLOSED, CONNECTING, CLOSING -> Long.MAX_VALUE;
        };
    }

    /** Ends associations whose target is silent, sends keep-alives, connects again. */
    public void onDeadline(long nowNs) {
        if (state.state() == HostState.WAITING) {
            onWaitDeadline(nowNs);
            return;
        }
        for (int i = 0; i < queues.size(); i++) {
            if (remainingNs(queues.get(i), nowNs) <= 0) {
                fail("The target did not answer a command in time.", nowNs);
                return;
            }
        }
        setup.onDeadline(nowNs);
        advance(nowNs);
    }

    private void onWaitDeadline(long nowNs) {
        if (nowNs - lostNs >= settings.times().giveUpNs()) {
            state.on(Event.GIVE_UP);
            over(BlockRequest.LOST);
        } else if (nowNs - retryNs >= 0) {
            state.on(Event.DELAY_OVER);
            connectAdmin(nowNs);
        }
    }
}
