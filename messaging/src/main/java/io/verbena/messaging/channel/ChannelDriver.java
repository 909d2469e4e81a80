package io.verbena.messaging.channel;

import io.verbena.messaging.protocol.PolledSet;
import io.verbena.messaging.ring.Allocations;
import io.verbena.messaging.ring.ChannelGreeting;
import io.verbena.messaging.ring.ControlMemory;
import io.verbena.messaging.ring.Counters;
import io.verbena.messaging.ring.Immediate;
import io.verbena.messaging.ring.RingEnvironment;
import io.verbena.messaging.ring.RingOwner;
import io.verbena.messaging.ring.RingPoster;
import io.verbena.messaging.ring.RingSettings;
import io.verbena.messaging.ring.VirtualChannel;
import io.verbena.messaging.ring.Words;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import java.util.Optional;

/** Drives a channel from its set-up to its end: connection, completions, polling, and the release of its resources. */
final class ChannelDriver extends PolledSet.Member implements RingOwner {

    private static final int SPARE_SENDS = 24;

    private final Channel channel;
    private final Endpoint endpoint;
    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final ControlMemory control;
    private final RingPoster poster;
    private final VirtualChannel[] flows;
    private final Counters counters = new Counters();
    private final ChannelConnection connection = new ChannelConnection();
    private Channel.State state = Channel.State.CONNECTING;
    private String reason = "";
    private boolean direct;
    private boolean announces = true;
    private boolean active;
    private boolean again; // activated while it was being serviced

    ChannelDriver(Channel channel, Endpoint endpoint) {
        this.channel = channel;
        this.endpoint = endpoint;
        ChannelOptions options = endpoint.options();
        RingEnvironment environment = endpoint.rings();
        flows = new VirtualChannel[options.virtualChannels()];
        domain = allocations().domain().orElseGet(endpoint.rnic()::allocateProtectionDomain);
        int sends = flows.length * options.slots() + SPARE_SENDS;
        int receives = options.receives();
        queuePair = domain.createQueuePair(QueuePairOptions.of(endpoint.completionQueue())
                .withDepths(sends, receives)
                .withElements(1, 1)
                .withContext(channel));
        control = new ControlMemory(domain, flows.length, receives);
        poster = new RingPoster(environment, this, domain, queuePair, control, counters);
        for (int i = 0; i < receives; i++) {
            poster.postReceive(i);
        }
        RingSettings settings = options.rings();
        for (int i = 0; i < flows.length; i++) {
            flows[i] = new VirtualChannel(i, environment, this, poster, settings);
        }
    }

    /** Maximum number of completion entries that a channel needs at once. */
    static int completions(ChannelOptions options) {
        return options.virtualChannels() * options.slots() + SPARE_SENDS + options.receives();
    }

    Channel channel() {
        return channel;
    }

    Channel.State state() {
        return state;
    }

    String reason() {
        return reason;
    }

    ChannelConnection connection() {
        return connection;
    }

    ProtectionDomain domain() {
        return domain;
    }

    Allocations allocations() {
        return endpoint.allocations();
    }

    boolean direct() {
        return direct;
    }

    RingPoster poster() {
        return poster;
    }

    Counters counters() {
        return counters;
    }

    VirtualChannel flow(int virtualChannel) {
        return flows[virtualChannel];
    }

    int virtualChannels() {
        return flows.length;
    }

    long registeredBytes() {
        long registered = state == Channel.State.ENDED ? 0 : control.length();
        for (VirtualChannel flow : flows) {
            registered += flow.registeredBytes();
        }
        return registered;
    }

    // Set-up.

    QueuePair queuePair() {
        return queuePair;
    }

    byte[] greeting(byte[] hello) {
        return new ChannelGreeting(control.remote(), flows.length, endpoint.words(), hello).toBytes();
    }

    /** Set-up has started. */
    void start(Connection started, Optional<ChannelGreeting> greeting) {
        connection.start(started, greeting);
        activate();
    }

    private void checkConnected() {
        switch (connection.state()) {
            case ESTABLISHED, CLOSING -> established();
            case REJECTED -> {
                if (endpoint.words() == Words.SENDS_ONLY) {
                    fail(connection.reason()
                            + " This RNIC has no immediate data, which a peer of an older version requires.");
                }
                lost(connection.reason());
            }
            case CLOSED, FAILED -> lost(connection.reason());
            case CONNECTING -> {}
        }
    }

    private void established() {
        if (!connection.established(flows.length)) {
            fail("The peer does not use this protocol, or has another number of virtual channels.");
            return;
        }
        Optional<Boolean> sends = endpoint.words().sends(connection.peerWords());
        if (sends.isEmpty()) {
            fail(
                    "The RNIC of one side has no immediate data, which the other side requires, because its version is older.");
            return;
        }
        state = Channel.State.OPEN;
        direct = endpoint.direct() && connection.sharesMemory();
        if (direct) {
            endpoint.pollRingsFirst();
        }
        poster.open(connection.peerControl(), sends.get(), direct);
        for (VirtualChannel flow : flows) {
            if (!flow.receive().provisionFirst()) {
                fail("There is no registered memory left for the first buffers of a channel.");
                return;
            }
        }
        endpoint.listener().opened(channel);
    }

    // Progress.

    @Override
    public void activate() {
        again = true;
        if (!active && state != Channel.State.ENDED) {
            active = true;
            endpoint.channelSet().activate(this);
        }
    }

    /** Continues the work that is in progress; returns whether some is left. */
    boolean service(long nowNs) {
        again = false;
        if (state == Channel.State.CONNECTING) {
            checkConnected();
        }
        boolean more = state == Channel.State.CONNECTING;
        if (state == Channel.State.OPEN) {
            for (int i = 0; i < flows.length && state == Channel.State.OPEN; i++) {
                more |= flows[i].receive().service(nowNs);
                more |= flows[i].send().service(nowNs);
            }
            more |= poster.sendPending();
        }
        if (state == Channel.State.DRAINING) {
            more = !drained(nowNs);
        }
        active = (more || again) && state != Channel.State.ENDED;
        return active;
    }

    /** Returns whether the peer has written something that {@link #poll} or {@link #service} takes. */
    boolean seen() {
        if (state != Channel.State.OPEN) {
            return false;
        }
        for (VirtualChannel flow : flows) {
            if (flow.receive().seen() || flow.send().seen()) {
                return true;
            }
        }
        return false;
    }

    /** Delivers the elements that have arrived; returns their number. */
    int poll(long nowNs) {
        int taken = 0;
        for (VirtualChannel flow : flows) {
            taken += flow.receive().poll(nowNs);
        }
        if (taken > 0) {
            busy(nowNs);
        }
        return taken;
    }

    /** Handles the completion of a receive without immediate data: its word is what was received. */
    void onReceived(int receive, int bytes, long nowNs) {
        if (poster.sends() && bytes == ControlMemory.WORD_BYTES) {
            onWord(receive, control.word(receive), nowNs);
        } else {
            fail("The peer sent a message of " + bytes + " bytes, which this protocol does not have.");
        }
    }

    /** Handles a word, for which a receive was used. */
    void onWord(int receive, long data, long nowNs) {
        poster.postReceive(receive);
        int number = Immediate.virtualChannel(data);
        if (number >= flows.length) {
            fail("The peer named virtual channel " + number + "; there are " + flows.length + ".");
            return;
        }
        VirtualChannel flow = flows[number];
        switch (Immediate.of(data)) {
            case MESSAGE -> {
                flow.receive().side().onAnnouncement();
                endpoint.polledSet().onAnnouncement(this, nowNs);
                flow.receive().poll(nowNs);
            }
            case REPEAT -> flow.receive().onRepetitionRequested(Immediate.value(data));
            case QUIET -> announces = false;
            case ANNOUNCE -> {
                announces = true;
                poster.sendImmediate(Immediate.ANNOUNCING.with(0, 0));
            }
            case ANNOUNCING -> {
                poll(nowNs);
                endpoint.polledSet().remove(this);
            }
            case UNKNOWN -> fail("The peer sent immediate data of an unknown kind.");
        }
    }

    /** A Write that requests other buffers has completed. */
    void onRequestWritten(int virtualChannel) {
        flows[virtualChannel].send().onRequestWritten();
    }

    void shrinkIfIdle(long nowNs) {
        for (int i = 0; i < flows.length && state == Channel.State.OPEN; i++) {
            flows[i].send().shrinkIfIdle(nowNs);
        }
    }

    // For the rings.

    @Override
    public String peer() {
        return connection.peer();
    }

    @Override
    public boolean announces() {
        return announces;
    }

    @Override
    public boolean draining() {
        return state == Channel.State.DRAINING;
    }

    @Override
    public boolean deliver() {
        return endpoint.deliver(channel);
    }

    // End.

    void close() {
        if (state != Channel.State.ENDED) {
            poster.endBatch();
            connection.disconnect();
        }
    }

    @Override
    public void fail(String why) {
        if (state == Channel.State.CONNECTING || state == Channel.State.OPEN) {
            reason = why;
            end();
        }
    }

    /** The connection has ended: elements that arrived before are still delivered. */
    void lost(String why) {
        if (state != Channel.State.CONNECTING && state != Channel.State.OPEN) {
            return;
        }
        String known = connection.reason();
        reason = known.isEmpty() ? why : known;
        poster.end();
        if (state == Channel.State.OPEN) {
            state = Channel.State.DRAINING;
            activate();
        } else {
            end();
        }
    }

    private boolean drained(long nowNs) {
        boolean empty = true;
        for (VirtualChannel flow : flows) {
            flow.receive().poll(nowNs);
            empty &= flow.receive().empty();
        }
        if (empty) {
            end();
        }
        return empty;
    }

    private void end() {
        ChannelFigures last = channel.figures();
        state = Channel.State.ENDED;
        poster.end();
        endpoint.polledSet().remove(this);
        endpoint.channelSet().end(this);
        ChannelEvent.emit(peer(), last, reason);
        endpoint.listener().ended(channel, reason);
    }

    /** Releases all resources; called outside of the methods of this channel. */
    void release() {
        queuePair.close();
        for (VirtualChannel flow : flows) {
            flow.release();
        }
        endpoint.rings().budget().reserve(-control.length());
        control.close();
        if (allocations().domain().isEmpty()) {
            domain.close();
        }
    }
}
