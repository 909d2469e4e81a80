package io.verbena.messaging;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.SizeRule;
import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.protocol.Offer;
import io.verbena.messaging.protocol.PolledSet;
import io.verbena.messaging.protocol.ReceiveSide;
import io.verbena.messaging.protocol.SendSide;
import io.verbena.messaging.protocol.VectorDecision;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.Connection;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection with virtual channels. Nothing here blocks: what cannot be done now is answered so. Used by the thread that
 * drives its {@link Endpoint}.
 */
// Longer than 500 lines: what its user sees, its life and its posting share all of its state; rings and staging are
// apart.
public final class Channel {

    /** Where a channel is in its life. */
    public enum State {
        CONNECTING,
        OPEN,
        /** The connection is over; what came is still being shown. */
        DRAINING,
        ENDED
    }

    /** Receives for what is neither an element nor a repetition: QUIET, ANNOUNCE, ANNOUNCING of both directions. */
    private static final int SPARE_RECEIVES = 6;

    private static final int SPARE_SENDS = 24;

    /** Marks a channel in the endpoint's set of polled ones. */
    static final class Polled extends PolledSet.Member {
        final Channel channel;

        Polled(Channel channel) {
            this.channel = channel;
        }
    }

    private final Endpoint endpoint;
    private final ProtectionDomain domain;
    private final QueuePair queuePair;
    private final MemoryRegion controlRegion;
    private final MemorySegment control;
    private final WorkRequest work;
    private final Outbound[] outbound;
    private final Inbound[] inbound;
    private final Counters counters = new Counters();
    private final Polled polled = new Polled(this);
    private Object attachment = "";
    private byte[] peerHello = {};
    private RemoteRegion peerControl = new RemoteRegion(0, 0, 0);
    private @Nullable Connection connection;
    private String peer = "";
    private State state = State.CONNECTING;
    private String reason = "";
    private boolean announces = true;
    private boolean active;
    private boolean again; // activated while it was being looked after
    private long immediateToSend = -1;
    private boolean batched; // what is posted waits for the end of the endpoint's batch

    Channel(Endpoint endpoint, long nowNs) {
        this.endpoint = endpoint;
        ChannelOptions options = endpoint.options();
        int flows = options.virtualChannels();
        domain = endpoint.rnic().allocateProtectionDomain();
        int sends = flows * options.slots() + SPARE_SENDS;
        int receives = flows * (options.slots() + SendSide.MOST_REPETITIONS) + SPARE_RECEIVES;
        queuePair = domain.createQueuePair(QueuePairOptions.of(endpoint.completionQueue())
                .withDepths(sends, receives)
                .withElements(1, 1)
                .withContext(this));
        controlRegion = domain.allocate((long) flows * ControlBlock.BYTES, AccessRight.REMOTE_WRITE);
        control = controlRegion.segment();
        work = queuePair.newWorkRequest();
        for (int i = 0; i < receives; i++) {
            repostReceive();
        }
        outbound = new Outbound[flows];
        inbound = new Inbound[flows];
        long tailNs = options.tailBound().toNanos();
        for (int i = 0; i < flows; i++) {
            outbound[i] = new Outbound(
                    this,
                    i,
                    new SendSide(
                            options.policy(),
                            options.acknowledgementTimeout().toNanos(),
                            options.patience().toNanos(),
                            tailNs,
                            nowNs),
                    endpoint.budget());
            inbound[i] = new Inbound(
                    this,
                    i,
                    options.slots(),
                    new ReceiveSide(
                            options.policy().firstPayloadBytes(),
                            options.patience().toNanos()) /* a long message may stall on its way */,
                    endpoint.budget(),
                    endpoint.element());
        }
    }

    /** Completion entries that it may need at once. */
    static int completions(ChannelOptions options) {
        int flows = options.virtualChannels();
        return flows * (2 * options.slots() + SendSide.MOST_REPETITIONS) + SPARE_RECEIVES + SPARE_SENDS;
    }

    // What its user sees.

    public State state() {
        return state;
    }

    /** Whether elements can go. */
    public boolean open() {
        return state == State.OPEN;
    }

    /** Why it ended; empty before. */
    public String reason() {
        return reason;
    }

    /** Where the peer is. */
    public String peer() {
        return peer;
    }

    /** Whether the peer turned the connection away. */
    public boolean rejected() {
        Connection mine = connection;
        return mine != null && mine.state() == io.verbena.verbs.ConnectionState.REJECTED;
    }

    /** Whether the peer's RNIC turned the connection away because its application did not look at it in time. */
    boolean unanswered() {
        Connection mine = connection;
        return mine != null && rejected() && mine.privateData().length == 0;
    }

    /** Whether the connection was ended by the peer, or by us, in good order. */
    boolean endedInOrder() {
        Connection mine = connection;
        return mine != null && mine.state() == io.verbena.verbs.ConnectionState.CLOSED;
    }

    /** What the peer said when it connected. */
    public byte[] peerHello() {
        return peerHello.clone();
    }

    /** Your own object. */
    public Object attachment() {
        return attachment;
    }

    public void attach(Object value) {
        attachment = value;
    }

    /** The domain of this connection's memory: regions of it can be read by the peer, given their key. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /**
     * Sends as many elements of a vector as can go now, from its position on (the seed's Figs. 3 and 5). Never blocks: an
     * element that needs larger buffers makes the call ask the peer for them, and a later call goes on.
     *
     * @return how many elements were taken, zero included; {@link TransferVector#done} says whether all were by now
     * @throws MessagingException when the channel is over
     * @throws IllegalArgumentException when an element is larger than all buffers that there can be
     */
    public int transfer(int virtualChannel, TransferVector vector) {
        Outbound flow = outbound[virtualChannel];
        EnlargementPolicy policy = flow.side().policy();
        boolean asOne = policy.wholeVector() || policy.rule() != SizeRule.BY_ELEMENT;
        int taken = 0;
        while (!vector.done()) {
            long need = asOne && taken == 0
                    ? VectorDecision.need(policy, vector.lengths(), vector.position(), vector.count())
                    : vector.length();
            if (taken > 0 && !asOne && need > flow.side().thresholdBytes()) {
                break; // 572: the prefix goes out; the call that finds the large element first starts the enlargement
            }
            Offer offer = offer(virtualChannel, vector.segment(), vector.offset(), vector.length(), need, 0, 0, 0, 0);
            switch (offer) {
                case SEND -> {
                    vector.taken();
                    taken++;
                }
                case TOO_LARGE -> throw tooLarge(flow, vector.length());
                case ENDED -> throw new MessagingException(reason);
                default -> {
                    return taken;
                }
            }
        }
        return taken;
    }

    private static IllegalArgumentException tooLarge(Outbound flow, int length) {
        return new IllegalArgumentException("an element of " + length
                + " bytes fits none of the buffers that can be had: "
                + (flow.side().refusal() == io.verbena.messaging.protocol.Refusal.NONE
                        ? "the largest phase has " + flow.side().policy().lastPayloadBytes()
                        : flow.side().refusal().sentence()));
    }

    /** One element with the words of the layer above; {@code need} is what is compared with the threshold. */
    Offer offer(
            int virtualChannel,
            MemorySegment from,
            long offset,
            int length,
            long need,
            int kind,
            int tag,
            int context,
            long word) {
        return switch (state) {
            case OPEN -> outbound[virtualChannel].offer(from, offset, length, need, kind, tag, context, word);
            case CONNECTING -> Offer.AWAIT;
            case DRAINING, ENDED -> Offer.ENDED;
        };
    }

    /**
     * Reads from the peer's memory into ours; {@link ChannelListener#transferred} tells the end.
     *
     * @return false when the queue is full
     */
    boolean read(long id, MemoryRegion to, long offset, int length, long remoteAddress, int rkey) {
        if (state != State.OPEN) {
            return false;
        }
        joinBatch();
        return queuePair.postRead(id, to, offset, length, remoteAddress, rkey, WrFlags.SIGNALLED);
    }

    /** Writes from our memory into the peer's, with the same end. */
    boolean write(long id, MemoryRegion from, long offset, int length, long remoteAddress, int rkey) {
        if (state != State.OPEN) {
            return false;
        }
        joinBatch();
        return queuePair.postWrite(id, from, offset, length, remoteAddress, rkey, WrFlags.SIGNALLED);
    }

    /** Another policy, from the next element on. */
    public void policy(EnlargementPolicy value) {
        for (Outbound flow : outbound) {
            flow.side().policy(value);
        }
    }

    /** Figures, now. */
    public ChannelFigures figures() {
        long registered = state == State.ENDED ? 0 : controlRegion.length();
        for (int i = 0; i < outbound.length; i++) {
            registered += outbound[i].registeredBytes() + inbound[i].registeredBytes();
        }
        SendSide first = outbound[0].side();
        return new ChannelFigures(
                registered,
                first.payloadBytes(),
                inbound[0].side().payloadBytes(),
                first.policy().phaseNumber(first.payloadBytes()),
                counters.enlargements,
                counters.shrinks,
                counters.refusals,
                counters.repetitions,
                counters.sent,
                counters.received,
                counters.copies,
                counters.copiedBytes,
                counters.announced,
                counters.returnWrites,
                counters.eager,
                counters.rendezvous);
    }

    /** Ends it in good order: what was taken is sent first. */
    public void close() {
        Connection mine = connection;
        if (mine != null && state != State.ENDED) {
            endBatch();
            mine.disconnect();
        }
    }

    // Its life, driven by the endpoint.

    Counters counters() {
        return counters;
    }

    Polled polledMark() {
        return polled;
    }

    Outbound outbound(int virtualChannel) {
        return outbound[virtualChannel];
    }

    Inbound inbound(int virtualChannel) {
        return inbound[virtualChannel];
    }

    int virtualChannels() {
        return outbound.length;
    }

    MemorySegment control() {
        return control;
    }

    boolean announces() {
        return announces;
    }

    boolean draining() {
        return state == State.DRAINING;
    }

    int maxPayloadBytes() {
        return endpoint.options().maxPayloadBytes();
    }

    long nowNs() {
        return endpoint.nowNs();
    }

    long newNonce() {
        return endpoint.newNonce();
    }

    QueuePair queuePair() {
        return queuePair;
    }

    byte[] greeting(byte[] hello) {
        return new Greeting(controlRegion.remote(), outbound.length, hello).toBytes();
    }

    /** Set-up has begun. */
    void connecting(Connection made, byte[] theirHello, Optional<Greeting> known) {
        connection = made;
        peerHello = theirHello;
        peer = String.valueOf(made.remoteAddress());
        known.ifPresent(greeting -> peerControl = greeting.control());
        activate();
    }

    boolean show(Element element) {
        return endpoint.listener().arrived(this, element);
    }

    Optional<MemoryRegion> allocate(long bytes, AccessRight... rights) {
        return endpoint.buffers().allocate(domain, bytes, rights);
    }

    /** Something is to be looked after at each progress. */
    void activate() {
        again = true;
        if (!active && state != State.ENDED) {
            active = true;
            endpoint.activated(this);
        }
    }

    /** Looks after what is under way; false when nothing is. */
    boolean tend(long nowNs) {
        again = false;
        if (state == State.CONNECTING) {
            checkConnected();
        }
        boolean more = state == State.CONNECTING;
        if (state == State.OPEN) {
            for (int i = 0; i < outbound.length && state == State.OPEN; i++) {
                more |= inbound[i].tend(nowNs);
                more |= outbound[i].tend(nowNs);
            }
            if (immediateToSend >= 0) {
                sendImmediate(immediateToSend);
                more |= immediateToSend >= 0;
            }
        }
        if (state == State.DRAINING) {
            more = !drained(nowNs);
        }
        active = (more || again) && state != State.ENDED;
        return active;
    }

    private void checkConnected() {
        Connection mine = connection;
        if (mine == null) {
            return;
        }
        switch (mine.state()) {
            case ESTABLISHED, CLOSING -> established(mine);
            case CLOSED, REJECTED, FAILED -> lost(mine.reason());
            case CONNECTING -> {}
        }
    }

    private void established(Connection mine) {
        if (peerControl.length() == 0) {
            Optional<Greeting> greeting = Greeting.of(mine.privateData());
            if (greeting.isEmpty() || greeting.get().virtualChannels() != outbound.length) {
                fail("The peer does not speak this protocol, or has another number of virtual channels.");
                return;
            }
            peerControl = greeting.get().control();
            peerHello = greeting.get().hello();
        }
        state = State.OPEN;
        for (Inbound flow : inbound) {
            if (!flow.provisionFirst()) {
                fail("There is no registered memory left for the first buffers of a channel.");
                return;
            }
        }
        endpoint.listener().opened(this);
    }

    /** A completion with immediate data. */
    void onImmediate(long data, long nowNs) {
        repostReceive();
        int flow = Immediate.virtualChannel(data);
        if (flow >= inbound.length) {
            fail("The peer names virtual channel " + flow + " of " + inbound.length + ".");
            return;
        }
        switch (Immediate.of(data)) {
            case MESSAGE -> {
                inbound[flow].side().onTicket();
                endpoint.announced(this, nowNs);
                inbound[flow].poll(nowNs);
            }
            case REPEAT -> inbound[flow].onRepetitionWanted(Immediate.value(data));
            case QUIET -> announces = false;
            case ANNOUNCE -> {
                announces = true;
                sendImmediate(Immediate.ANNOUNCING.with(0, 0));
            }
            case ANNOUNCING -> {
                poll(nowNs);
                endpoint.leaves(this);
            }
            case UNKNOWN -> fail("The peer sent immediate data that means nothing.");
        }
    }

    private void repostReceive() {
        queuePair.postReceive(0, controlRegion, 0, 0);
    }

    int poll(long nowNs) {
        int taken = 0;
        for (Inbound flow : inbound) {
            taken += flow.poll(nowNs);
        }
        if (taken > 0) {
            polled.busy(nowNs);
        }
        return taken;
    }

    void shrinkIfIdle(long nowNs) {
        for (int i = 0; i < outbound.length && state == State.OPEN; i++) {
            outbound[i].shrinkIfIdle(nowNs);
        }
    }

    // Posting.

    private void joinBatch() {
        if (!batched && endpoint.joinBatch(this)) {
            batched = true;
            queuePair.startBatch();
        }
    }

    /** The endpoint's batch is complete: what was posted goes. */
    void endBatch() {
        batched = false;
        if (state == State.OPEN) {
            queuePair.ringDoorbell();
        }
    }

    /** Writes a message into the peer's ring. */
    boolean write(
            @Nullable MemoryRegion from,
            long offset,
            int length,
            long address,
            int rkey,
            boolean announced,
            int virtualChannel) {
        if (from == null) {
            return false;
        }
        joinBatch();
        if (!announced) {
            return queuePair.postWrite(0, from, offset, length, address, rkey, WrFlags.UNSIGNALLED);
        }
        work.writeWithImmediate(address, rkey, Immediate.MESSAGE.with(virtualChannel, 0))
                .gather(from, offset, length)
                .flags(WrFlags.UNSIGNALLED);
        if (!queuePair.post(work)) {
            return false;
        }
        counters.announced++;
        return true;
    }

    boolean writeReturned(int virtualChannel, int total) {
        MemorySegment scratch = endpoint.scratch();
        io.verbena.messaging.protocol.SlotLayout.putFlag(scratch, 0, total & 0xffff_ffffL);
        return writeControl(ControlBlock.returnedAt(virtualChannel), scratch, 0, 8);
    }

    boolean acknowledge(int virtualChannel, Acknowledgement ack) {
        return endpoint.acknowledgements().post(this, virtualChannel, ack);
    }

    /** Writes bytes into the peer's control block. */
    boolean writeControl(long at, MemorySegment bytes, long offset, int length) {
        if (state != State.OPEN) {
            return true; // nobody reads it any more
        }
        joinBatch();
        work.write(peerControl.address() + at, peerControl.rkey())
                .inlineData(bytes, offset, length)
                .flags(WrFlags.UNSIGNALLED);
        return queuePair.post(work);
    }

    /** Sends immediate data, now or as soon as there is room. */
    void sendImmediate(long data) {
        immediateToSend = -1;
        if (state != State.OPEN) {
            return;
        }
        joinBatch();
        work.sendWithImmediate(data).flags(WrFlags.UNSIGNALLED);
        if (!queuePair.post(work)) {
            immediateToSend = data;
            activate();
        }
    }

    // Its end.

    /** The peer broke the protocol, or cannot be waited for any longer: the connection is aborted. */
    void fail(String sentence) {
        if (state == State.DRAINING || state == State.ENDED) {
            return;
        }
        reason = sentence;
        end();
    }

    /** The connection is over: what came before is still shown. */
    void lost(String sentence) {
        if (state == State.DRAINING || state == State.ENDED) {
            return;
        }
        Connection mine = connection;
        String said = mine == null ? "" : mine.reason();
        reason = said.isEmpty() ? sentence : said;
        if (state == State.OPEN) {
            state = State.DRAINING;
            activate();
        } else {
            end();
        }
    }

    private boolean drained(long nowNs) {
        boolean empty = true;
        for (Inbound flow : inbound) {
            flow.poll(nowNs);
            empty &= flow.empty();
        }
        if (empty) {
            end();
        }
        return empty;
    }

    private void end() {
        ChannelFigures last = figures();
        state = State.ENDED;
        endpoint.leaves(this);
        endpoint.ending(this);
        ChannelEvent.emit(peer, last, reason);
        endpoint.listener().ended(this, reason);
    }

    /** Frees everything; outside of any call of its own. */
    void release() {
        queuePair.close();
        for (int i = 0; i < outbound.length; i++) {
            outbound[i].release();
            inbound[i].release();
        }
        endpoint.budget().reserve(-controlRegion.length());
        controlRegion.close();
        domain.close();
    }
}
