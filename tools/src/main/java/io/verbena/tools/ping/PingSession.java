package io.verbena.tools.ping;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.base.Times;
import io.verbena.text.AddressText;
import io.verbena.tools.text.Figures;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;

/**
 * One client of a server: a state machine that completions drive.
 *
 * <pre>
 *                offer               Read done,            offer                Write done,
 *                                    go-ahead sent                              go-ahead sent
 *  AWAIT_SOURCE -------> READING -----------------> AWAIT_SINK -----> WRITING -----------------> AWAIT_SOURCE
 *
 *  any state -- flushed, failed, out of time --> LEAVING -- connection has ended --> LEFT
 * </pre>
 */
final class PingSession {

    /** Where a session is. */
    enum State {
        AWAIT_SOURCE,
        READING,
        AWAIT_SINK,
        WRITING,
        LEAVING,
        LEFT
    }

    /** What all sessions of a server share. */
    record Service(PingSettings settings, PingListener listener, PingFigures figures) {}

    /** Queue entries of one session: two receives, and at most one RDMA operation and two Sends. */
    static final int CQ_ENTRIES = 8;

    private static final int RECEIVES = 2;
    private static final int SEND_OFFSET = RECEIVES * PingOffer.BYTES;
    private static final int MESSAGE_BYTES = SEND_OFFSET + PingOffer.BYTES;
    private static final long LEAVE_NS = 2_000_000_000L;

    private final PingSettings settings;
    private final PingListener listener;
    private final PingFigures figures;
    private final ProtectionDomain pd;
    private final QueuePair queuePair;
    private final Connection connection;
    private final MemoryRegion messages;
    private MemoryRegion data;

    private State state = State.AWAIT_SOURCE;
    private boolean established;
    private int dataBytes;
    private long round;
    private long roundStartNs;
    private long deadlineNs;
    private String failure = "";

    /** Makes queue pair and memory, posts the receives, and then starts to accept. */
    PingSession(Rnic rnic, CompletionQueue cq, ConnectionRequest request, Service service, long nowNs) {
        this.settings = service.settings();
        this.listener = service.listener();
        this.figures = service.figures();
        pd = rnic.allocateProtectionDomain();
        queuePair = pd.createQueuePair(QueuePairOptions.of(cq)
                .withDepths(CQ_ENTRIES - RECEIVES, RECEIVES)
                .withElements(1, 1)
                .withReads(1, 1)
                .withContext(this));
        messages = pd.allocate(MESSAGE_BYTES, LOCAL_WRITE);
        data = pd.allocate(settings.rounds().size(), LOCAL_WRITE);
        for (int slot = 0; slot < RECEIVES; slot++) {
            postReceive(slot);
        }
        connection = request.startAccept(queuePair, settings.connection());
        deadlineNs = nowNs
                + Times.nanos(settings.waits().timeout())
                + Times.nanos(settings.connection().timeout());
    }

    State state() {
        return state;
    }

    int queuePairNumber() {
        return queuePair.number();
    }

    /** Why it did not end well; empty when it did. */
    String failure() {
        return failure;
    }

    /** One completion of this session's queue pair. */
    void onCompletion(CompletionCursor completion, long nowNs) {
        if (state == State.LEAVING || state == State.LEFT) {
            return;
        }
        if (!completion.ok()) {
            onFailedWork(completion, nowNs);
            return;
        }
        switch (completion.opcode()) {
            case RECEIVE -> onOffer((int) completion.wrId(), completion.byteCount(), nowNs);
            case READ -> onRead(nowNs);
            case WRITE -> onWritten(nowNs);
            case SEND -> {}
            default -> leave("the peer sent a " + completion.opcode() + ", which is not part of the protocol", nowNs);
        }
    }

    /** Time passes: notices the end of the connection and waits that are too long. */
    void onTick(long nowNs) {
        if (!established && connection.state() == ConnectionState.ESTABLISHED) {
            establish(nowNs);
        }
        if (state == State.LEAVING) {
            if (connection.state().ended() || nowNs - deadlineNs >= 0) {
                end();
            }
        } else if (connection.state().ended()) {
            onEnd(nowNs);
        } else if (nowNs - deadlineNs >= 0) {
            leave("the client was idle for too long (--timeout within a round, --idle between rounds)", nowNs);
        }
    }

    /** The server ends: closes the connection. */
    void stop(long nowNs) {
        if (state != State.LEAVING && state != State.LEFT) {
            leave(state == State.AWAIT_SOURCE ? "" : "the server was stopped within a round", nowNs);
        }
    }

    private void establish(long nowNs) {
        established = true;
        figures.connection();
        deadlineNs = nowNs + Times.nanos(settings.waits().idle());
    }

    private void onOffer(int slot, long bytes, long nowNs) {
        if (!established) {
            establish(nowNs);
        }
        if (bytes != PingOffer.BYTES) {
            leave("the client sent " + bytes + " bytes instead of an offer of 16; it is not an rping client", nowNs);
            return;
        }
        PingOffer offer = PingOffer.read(messages.segment(), (long) slot * PingOffer.BYTES);
        postReceive(slot);
        switch (state) {
            case AWAIT_SOURCE -> read(offer, nowNs);
            case AWAIT_SINK -> write(offer, nowNs);
            default -> leave("the client sent an offer that was not requested", nowNs);
        }
    }

    private void read(PingOffer offer, long nowNs) {
        if (offer.length() > settings.admission().maxOfferBytes()) {
            leave(
                    "the client offers " + Figures.bytes(offer.length()) + "; the limit of this server is "
                            + Figures.bytes(settings.admission().maxOfferBytes()) + " (-S sets it)",
                    nowNs);
            return;
        }
        dataBytes = (int) offer.length();
        if (dataBytes > data.length()) {
            data.close();
            data = pd.allocate(dataBytes, LOCAL_WRITE);
        }
        roundStartNs = nowNs;
        queuePair.postRead(0, data, 0, dataBytes, offer.address(), offer.rkey(), WrFlags.SIGNALLED);
        enter(State.READING, nowNs);
    }

    private void onRead(long nowNs) {
        if (settings.rounds().verify()) {
            long at = PingPattern.mismatch(data.segment().asSlice(0, dataBytes), round);
            if (at >= 0) {
                leave("round " + round + " does not contain rping's text, from byte " + at + " on", nowNs);
                return;
            }
        }
        listener.onData("server ping data", data.segment().asSlice(0, dataBytes));
        goAhead();
        enter(State.AWAIT_SINK, nowNs);
    }

    private void write(PingOffer offer, long nowNs) {
        int bytes = (int) Math.min(dataBytes, offer.length());
        queuePair.postWrite(0, data, 0, bytes, offer.address(), offer.rkey(), WrFlags.SIGNALLED);
        enter(State.WRITING, nowNs);
    }

    private void onWritten(long nowNs) {
        goAhead();
        figures.round(dataBytes, nowNs - roundStartNs);
        listener.onRounds(figures.rounds());
        round++;
        state = State.AWAIT_SOURCE;
        deadlineNs = nowNs + Times.nanos(settings.waits().idle());
    }

    private void enter(State next, long nowNs) {
        state = next;
        deadlineNs = nowNs + Times.nanos(settings.waits().timeout());
    }

    /** 16 bytes of anything. */
    private void goAhead() {
        queuePair.postSend(0, messages, SEND_OFFSET, PingOffer.BYTES, WrFlags.SIGNALLED);
    }

    private void postReceive(int slot) {
        queuePair.postReceive(slot, messages, (long) slot * PingOffer.BYTES, PingOffer.BYTES);
    }

    /** Flushed work means that the connection ended; the connection has the reason. */
    private void onFailedWork(CompletionCursor completion, long nowNs) {
        if (completion.status() == CompletionStatus.FLUSHED) {
            onEnd(nowNs);
        } else {
            leave(completion.reason(), nowNs);
        }
    }

    private void onEnd(long nowNs) {
        if (state == State.AWAIT_SOURCE && established) {
            listener.onEvent("server DISCONNECT EVENT...");
            leave("", nowNs);
        } else {
            leave("the client disconnected within a round", nowNs);
        }
    }

    private void leave(String why, long nowNs) {
        failure = why;
        state = State.LEAVING;
        deadlineNs = nowNs + LEAVE_NS;
        connection.disconnect();
    }

    /** The connection is over: its own account completes ours, and everything is given back. */
    private void end() {
        state = State.LEFT;
        ConnectionState last = connection.state();
        String reason = connection.reason();
        if (last == ConnectionState.FAILED && failure.isEmpty()) {
            failure = reason.isEmpty() ? "the connection failed" : reason;
        } else if (last == ConnectionState.FAILED && !failure.contains(reason)) {
            failure += ": " + reason;
        }
        if (!failure.isEmpty()) {
            failure = "Client " + AddressText.ofIp(connection.remoteAddress()) + ": " + failure;
        }
        queuePair.close();
        messages.close();
        data.close();
        pd.close();
    }
}
