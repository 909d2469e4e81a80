package io.verbena.messaging.channel;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.SizeRule;
import io.verbena.messaging.protocol.Offer;
import io.verbena.messaging.protocol.RefusalReason;
import io.verbena.messaging.protocol.SendSide;
import io.verbena.messaging.protocol.VectorDecision;
import io.verbena.messaging.ring.Allocations;
import io.verbena.messaging.ring.Counters;
import io.verbena.messaging.ring.VirtualChannel;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;

/**
 * A connection with virtual channels. No method blocks; a method that cannot act now returns that as its result. Used by the thread that
 * drives its {@link Endpoint}.
 */
public final class Channel {

    /** Life of a channel. */
    public enum State {
        CONNECTING,
        OPEN,
        /** The connection has ended; elements that arrived before are being delivered. */
        DRAINING,
        ENDED
    }

    private final ChannelDriver driver;
    private Object attachment = "";

    Channel(Endpoint endpoint) {
        driver = new ChannelDriver(this, endpoint);
    }

    ChannelDriver driver() {
        return driver;
    }

    public State state() {
        return driver.state();
    }

    /** Returns whether elements can be sent. */
    public boolean open() {
        return state() == State.OPEN;
    }

    /** Why the channel ended; empty before. */
    public String reason() {
        return driver.reason();
    }

    /** Address of the peer. */
    public String peer() {
        return driver.connection().peer();
    }

    /** Returns whether the peer rejected the connection. */
    public boolean rejected() {
        return driver.connection().rejected();
    }

    /**
     * Returns whether the two sides access memory of each other that their RNICs have allocated without
     * each other's help. Then to copy a message there costs less than to transfer it from where it is.
     */
    public boolean direct() {
        return driver.direct();
    }

    /** Hello of the peer. */
    public byte[] peerHello() {
        return driver.connection().peerHello();
    }

    /** Object of the user. */
    public Object attachment() {
        return attachment;
    }

    public void attach(Object value) {
        attachment = value;
    }

    /** The protection domain of the connection: the peer can read its regions if it knows their keys. */
    public ProtectionDomain protectionDomain() {
        return driver.domain();
    }

    /** Memory that is registered in this domain for all connections. */
    public Allocations allocations() {
        return driver.allocations();
    }

    /**
     * Sends as many elements of a vector as possible, from its position on. Never blocks: if an element needs larger buffers, the call
     * requests them from the peer, and a later call continues.
     *
     * @return number of elements that were accepted, possibly zero; {@link TransferVector#done} returns whether all have been
     * @throws MessagingException if the channel has ended
     * @throws IllegalArgumentException if an element is larger than all buffers that the policy and the peer allow
     */
    public int transfer(int virtualChannel, TransferVector vector) {
        SendSide side = flow(virtualChannel).send().side();
        EnlargementPolicy policy = side.policy();
        boolean asOne = policy.wholeVector() || policy.rule() != SizeRule.BY_ELEMENT;
        int taken = 0;
        while (!vector.done()) {
            long need = asOne && taken == 0
                    ? VectorDecision.need(policy, vector.lengths(), vector.position(), vector.count())
                    : vector.length();
            if (taken > 0 && !asOne && need > side.thresholdBytes()) {
                break; // the prefix is sent; the call that finds the large element first starts the enlargement
            }
            Offer offer = offer(virtualChannel, vector.segment(), vector.offset(), vector.length(), need, 0, 0, 0, 0);
            switch (offer) {
                case SEND -> {
                    vector.taken();
                    taken++;
                }
                case TOO_LARGE -> throw tooLarge(side, vector.length());
                case ENDED -> throw new MessagingException(reason());
                default -> {
                    return taken;
                }
            }
        }
        return taken;
    }

    private static IllegalArgumentException tooLarge(SendSide side, int length) {
        return new IllegalArgumentException("an element of " + length + " bytes fits no available buffer: "
                + (side.refusal() == RefusalReason.NONE
                        ? "the largest phase has " + side.policy().lastPayloadBytes() + " bytes"
                        : side.refusal().description()));
    }

    /** Returns whether the peer has written an element, or that there is space for one. Needs no turn of the RNIC. */
    public boolean seen() {
        return driver.seen();
    }

    /** Sets another policy, from the next element on. */
    public void policy(EnlargementPolicy value) {
        for (int i = 0; i < virtualChannels(); i++) {
            flow(i).send().side().policy(value);
        }
    }

    /** Present figures of the channel. */
    public ChannelFigures figures() {
        SendSide first = flow(0).send().side();
        Counters counters = counters();
        return new ChannelFigures(
                new ChannelFigures.Buffers(
                        driver.registeredBytes(),
                        first.payloadBytes(),
                        flow(0).receive().side().payloadBytes(),
                        first.policy().phaseNumber(first.payloadBytes())),
                new ChannelFigures.Changes(
                        counters.enlargements, counters.shrinks, counters.refusals, counters.repetitions),
                new ChannelFigures.Elements(
                        counters.sent,
                        counters.received,
                        counters.copies,
                        counters.copiedBytes,
                        counters.announced,
                        counters.returnWrites),
                new ChannelFigures.Messages(counters.eager, counters.rendezvous));
    }

    /** Closes the channel in the regular way: elements that were accepted are sent first. */
    public void close() {
        driver.close();
    }

    // For the layer above in this package.

    /** Offers one element with the header fields of the layer above; {@code need} is compared with the threshold. */
    public Offer offer(
            int virtualChannel,
            MemorySegment from,
            long offset,
            int length,
            long need,
            int kind,
            int tag,
            int context,
            long word) {
        return switch (state()) {
            case OPEN -> flow(virtualChannel).send().offer(from, offset, length, need, kind, tag, context, word);
            case CONNECTING -> Offer.AWAIT;
            case DRAINING, ENDED -> Offer.ENDED;
        };
    }

    /**
     * Reads from the memory of the peer; {@link ChannelListener#transferred} reports the completion.
     *
     * @return false if it cannot be posted now
     */
    public boolean read(long id, MemoryRegion to, long offset, int length, long remoteAddress, int rkey) {
        return driver.poster().read(id, to, offset, length, remoteAddress, rkey);
    }

    /** Writes into the memory of the peer, like {@link #read}. */
    public boolean write(long id, MemoryRegion from, long offset, int length, long remoteAddress, int rkey) {
        return driver.poster().write(id, from, offset, length, remoteAddress, rkey);
    }

    /**
     * Writes no bytes, like {@link #write}: its completion shows that the elements sent before are in
     * the memory of the peer, or on the way there before anything that this side sends later.
     */
    public boolean fence(long id) {
        return driver.poster().fence(id);
    }

    /** Adds to a word in the memory of the peer; the eight bytes {@code into} get its value before, like {@link #read}. */
    public boolean fetchAndAdd(long id, MemoryRegion into, long offset, long remoteAddress, int rkey, long addend) {
        return driver.poster().fetchAndAdd(id, into, offset, remoteAddress, rkey, addend);
    }

    /** Replaces a word in the memory of the peer if it has the expected value, like {@link #fetchAndAdd}. */
    public boolean compareAndSwap(
            long id, MemoryRegion into, long offset, long remoteAddress, int rkey, long expected, long replacement) {
        return driver.poster().compareAndSwap(id, into, offset, remoteAddress, rkey, expected, replacement);
    }

    /** Aborts the connection: the peer violated the protocol, or a bound was exceeded. */
    public void fail(String reason) {
        driver.fail(reason);
    }

    public ChannelConnection connection() {
        return driver.connection();
    }

    public Counters counters() {
        return driver.counters();
    }

    public VirtualChannel flow(int virtualChannel) {
        return driver.flow(virtualChannel);
    }

    public int virtualChannels() {
        return driver.virtualChannels();
    }
}
