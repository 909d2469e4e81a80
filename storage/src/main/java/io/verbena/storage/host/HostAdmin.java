package io.verbena.storage.host;

import io.verbena.storage.wire.AdminOpcode;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.Registers;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.util.List;

/** The admin queue: the steps to a disk, keep-alives, events, and the end in order. */
final class HostAdmin {
    /** Time between two looks at a status that must change. */
    private static final long POLL_NS = 2_000_000;

    private static final long CAPABILITY_TIME_UNIT_NS = 500_000_000;
    private static final int NOTICE = 2;

    private final StorageHost host;
    private final SubmissionQueue admin;
    private final HostCommands commands;
    private final HostOutput output;
    private final HostSettings settings;
    private final NamespaceSurvey survey = new NamespaceSurvey();
    private final DiscoveryReader discovery = new DiscoveryReader();

    private ControllerProfile profile = ControllerProfile.NONE;
    private int controllerId;
    private long readyWithinNs;
    private long stateNs;
    private boolean pollLater;
    private long pollNs;
    private boolean keepsAlive;
    private boolean keepAliveUnderWay;
    private long keepAliveNs;
    private boolean eventBeforeSurvey;

    HostAdmin(
            StorageHost host, SubmissionQueue admin, HostCommands commands, HostOutput output, HostSettings settings) {
        this.host = host;
        this.admin = admin;
        this.commands = commands;
        this.output = output;
        this.settings = settings;
    }

    ControllerProfile profile() {
        return profile;
    }

    List<DiscoveryRecord> discovered() {
        return discovery.records();
    }

    void restart(long nowNs) {
        keepsAlive = false;
        keepAliveUnderWay = false;
        pollLater = false;
        eventBeforeSurvey = false;
        stateNs = nowNs;
    }

    // ---- Sending

    private void send(SubmissionQueue queue, AdminStep step, PageUse use, long nowNs) {
        int slot = queue.begin(step, nowNs);
        SubmissionEntry entry = queue.entry(slot);
        switch (step) {
            case CONNECT -> commands.connect(entry, queue, queue == admin ? ConnectData.ANY_CONTROLLER : controllerId);
            case READ_CAPABILITIES -> HostCommands.readCapabilities(entry);
            case ENABLE -> HostCommands.enable(entry);
            case READ_STATUS -> HostCommands.readStatus(entry);
            case IDENTIFY_CONTROLLER -> HostCommands.identifyController(entry);
            case SET_QUEUES -> HostCommands.setQueues(entry, settings.queues());
            case SET_EVENTS -> HostCommands.setEvents(entry);
            case REQUEST_EVENT -> HostCommands.plain(entry, AdminOpcode.ASYNC_EVENT_REQUEST);
            case KEEP_ALIVE -> HostCommands.plain(entry, AdminOpcode.KEEP_ALIVE);
            case READ_PAGE -> fillPage(entry);
            case SHUT_DOWN -> HostCommands.shutDown(entry);
            case NONE -> throw new IllegalArgumentException("There is no such command.");
        }
        output.sendAdmin(queue, slot, use);
    }

    private void fillPage(SubmissionEntry entry) {
        if (discovery.underWay()) {
            discovery.fill(entry);
        } else {
            survey.fill(entry);
        }
    }

    private void send(AdminStep step, long nowNs) {
        send(admin, step, PageUse.NONE, nowNs);
    }

    private void readPage(long nowNs) {
        PageUse use = discovery.underWay() ? new PageUse(discovery.lengthBytes()) : PageUse.PAGE;
        send(admin, AdminStep.READ_PAGE, use, nowNs);
    }

    /** Sends Connect on an I/O queue. */
    void join(SubmissionQueue queue, long nowNs) {
        send(queue, AdminStep.CONNECT, PageUse.CONNECT_DATA, nowNs);
    }

    /** The host has entered a state. */
    void enter(HostState state, long nowNs) {
        stateNs = nowNs;
        switch (state) {
            case JOINING -> send(admin, AdminStep.CONNECT, PageUse.CONNECT_DATA, nowNs);
            case READING_CAPABILITIES -> send(AdminStep.READ_CAPABILITIES, nowNs);
            case ENABLING -> send(AdminStep.ENABLE, nowNs);
            case AWAITING_READY -> send(AdminStep.READ_STATUS, nowNs);
            case IDENTIFYING -> send(admin, AdminStep.IDENTIFY_CONTROLLER, PageUse.PAGE, nowNs);
            case COUNTING_QUEUES -> send(AdminStep.SET_QUEUES, nowNs);
            case READING_DISCOVERY -> {
                discovery.begin();
                readPage(nowNs);
            }
            case SURVEYING -> {
                survey.begin(false);
                readPage(nowNs);
            }
            case SHUTTING_DOWN -> send(AdminStep.SHUT_DOWN, nowNs);
            default -> {}
        }
    }

    /** The host executes requests: asks for events. */
    void onLive(long nowNs) {
        boolean events = (profile.limits().events() & HostCommands.NAMESPACE_EVENTS) != 0;
        if (events && !isDiscovery()) {
            send(AdminStep.SET_EVENTS, nowNs);
            send(AdminStep.REQUEST_EVENT, nowNs);
        }
    }

    private boolean isDiscovery() {
        return settings.subsystem().equals(StorageHost.DISCOVERY);
    }

    // ---- Answers

    /** The answer to a command of the host itself. */
    void onAnswer(SubmissionQueue queue, AdminStep step, CompletionEntry response, long nowNs) {
        int status = response.status();
        boolean succeeded = status == 0;
        switch (step) {
            case READ_PAGE -> onPage(succeeded, nowNs);
            // Without events, a host sees changes when it connects again.
            case SET_EVENTS -> {}
            case REQUEST_EVENT -> onEvent(succeeded, response.result(), nowNs);
            default -> {
                if (succeeded) {
                    onSuccess(queue, step, response.result(), nowNs);
                } else {
                    host.fail(failure(step, status, response.result()), nowNs);
                }
            }
        }
    }

    private String failure(AdminStep step, int status, long result) {
        String described = Status.describe(status);
        if (step != AdminStep.CONNECT) {
            return "The target refused the command " + step + " with status " + described + ".";
        }
        int code = status & Status.CODE_MASK;
        if (code == Status.CONNECT_HOST.code()) {
            return "The target does not let the host " + settings.host().name() + " use the subsystem "
                    + settings.subsystem() + ", status " + described + ": add this host at the target.";
        }
        if (code == Status.CONNECT_PARAMETER.code() && result == ConnectData.WRONG_SUBSYSTEM) {
            return "The target has no subsystem " + settings.subsystem() + ", status " + described + ".";
        }
        return "The target refused CONNECT to the subsystem " + settings.subsystem() + " with status " + described
                + ", result 0x" + Long.toHexString(result) + ".";
    }

    private void onSuccess(SubmissionQueue queue, AdminStep step, long result, long nowNs) {
        switch (step) {
            case CONNECT -> onJoined(queue, result, nowNs);
            case READ_CAPABILITIES -> {
                readyWithinNs = ((result >>> 24 & 0xff) + 1) * CAPABILITY_TIME_UNIT_NS;
                host.done(nowNs);
            }
            case ENABLE -> host.done(nowNs);
            case READ_STATUS -> onStatus((int) result, nowNs);
            case IDENTIFY_CONTROLLER -> onIdentified(nowNs);
            case SET_QUEUES -> {
                host.grant((int) Math.min(result & 0xffff, result >>> 16 & 0xffff) + 1);
                host.done(nowNs);
            }
            case KEEP_ALIVE -> keepAliveUnderWay = false;
            case SHUT_DOWN -> send(AdminStep.READ_STATUS, nowNs);
            case NONE, SET_EVENTS, REQUEST_EVENT, READ_PAGE -> throw new IllegalStateException("Not a step: " + step);
        }
    }

    private void onJoined(SubmissionQueue queue, long result, long nowNs) {
        queue.on(QueueState.Event.JOINED);
        if (queue != admin) {
            host.joined(nowNs);
            return;
        }
        controllerId = (int) result & 0xffff;
        keepsAlive = settings.times().keepAliveMs() > 0;
        keepAliveNs = nowNs;
        host.done(nowNs);
    }

    private void onStatus(int status, long nowNs) {
        boolean shuttingDown = host.state() == HostState.SHUTTING_DOWN;
        boolean complete = shuttingDown
                ? (status & Registers.SHUTDOWN_MASK) == Registers.SHUTDOWN_COMPLETE
                : (status & Registers.READY) != 0;
        if ((status & Registers.FATAL) != 0) {
            host.fail("The target reports a fatal error of the controller.", nowNs);
        } else if (complete) {
            host.done(nowNs);
        } else {
            pollLater = true;
            pollNs = nowNs;
        }
    }

    private void onIdentified(long nowNs) {
        profile = commands.profile(admin.memory().page(), controllerId);
        if (isDiscovery()) {
            host.isDiscovery(nowNs);
        } else {
            host.done(nowNs);
        }
    }

    private void onPage(boolean succeeded, long nowNs) {
        if (discovery.underWay()) {
            discovery.onPage(admin.memory().page(), succeeded);
            if (discovery.underWay()) {
                readPage(nowNs);
            } else if (discovery.failed()) {
                host.fail("The target did not return a discovery log page that can be used.", nowNs);
            } else {
                host.done(nowNs);
            }
            return;
        }
        survey.onPage(admin.memory().page(), succeeded);
        if (survey.underWay()) {
            readPage(nowNs);
        } else if (survey.failed()) {
            host.fail("The target did not return a list of namespaces that can be used.", nowNs);
        } else {
            host.surveyed(survey.found(), nowNs);
            surveyAgain(nowNs);
        }
    }

    private void onEvent(boolean succeeded, long result, long nowNs) {
        if (!succeeded || host.state() != HostState.LIVE) {
            return;
        }
        send(AdminStep.REQUEST_EVENT, nowNs);
        int type = (int) result & 7;
        int information = (int) (result >>> 8) & 0xff;
        // Other events concern errors and health, which commands report themselves.
        if (type == NOTICE && information == 0) {
            eventBeforeSurvey = true;
            if (!survey.underWay()) {
                surveyAgain(nowNs);
            }
        }
    }

    private void surveyAgain(long nowNs) {
        if (eventBeforeSurvey && host.state() == HostState.LIVE) {
            eventBeforeSurvey = false;
            survey.begin(true);
            readPage(nowNs);
        }
    }

    // ---- Time

    private boolean isUp() {
        return admin.live() && host.state().connected();
    }

    /** Time until {@link #onDeadline} has something to do; {@link Long#MAX_VALUE} if it has not. */
    long remainingNs(long nowNs) {
        long remainingNs = Long.MAX_VALUE;
        if (admin.state() == QueueState.LIVE || admin.state() == QueueState.JOINING) {
            remainingNs = admin.remainingNs(nowNs, settings.times().setUpNs());
        }
        if (isUp() && keepsAlive && !keepAliveUnderWay) {
            remainingNs = Math.min(remainingNs, settings.times().keepAliveNs() / 2 - (nowNs - keepAliveNs));
        }
        if (isUp() && pollLater) {
            remainingNs = Math.min(remainingNs, POLL_NS - (nowNs - pollNs));
        }
        return remainingNs;
    }

    void onDeadline(long nowNs) {
        boolean answers = admin.state() == QueueState.LIVE || admin.state() == QueueState.JOINING;
        if (answers && admin.remainingNs(nowNs, settings.times().setUpNs()) <= 0) {
            host.fail("The target did not answer an admin command in time.", nowNs);
            return;
        }
        if (!isUp()) {
            return;
        }
        if (keepsAlive
                && !keepAliveUnderWay
                && nowNs - keepAliveNs >= settings.times().keepAliveNs() / 2) {
            keepAliveUnderWay = true;
            keepAliveNs = nowNs;
            send(AdminStep.KEEP_ALIVE, nowNs);
        }
        if (pollLater && nowNs - pollNs >= POLL_NS) {
            pollLater = false;
            if (nowNs - stateNs >= Math.max(readyWithinNs, settings.times().setUpNs())) {
                host.fail("The controller was not ready in time.", nowNs);
            } else {
                send(AdminStep.READ_STATUS, nowNs);
            }
        }
    }
}
