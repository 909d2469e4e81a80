package io.verbena.ib.rd;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.ib.RcEngine;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.endpoint.PendingEvents;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.PacketSource;
import io.verbena.ib.settings.RdSettings;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * An end-to-end context of the reliable datagram service as a pure engine: it carries the messages of all queue pairs
 * of a domain to and from one other node. Sequence numbers, acknowledgements and time-outs belong to the context, so a
 * node needs one context per other node and not one per pair of queue pairs.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.7.8. No commercial adapter implements this
 * service; both ends are Verbena.
 */
public final class RdContext implements PacketSource {

    private final RdSettings settings;
    private final PendingEvents events = new PendingEvents();
    private final MigratingPath path;
    private final RdRequester requester;
    private final RdResponder responder;
    private Runnable onWork = () -> {};

    /** A connected context, in the default partition. */
    public RdContext(RdSettings settings, RdDomain domain, PacketPath path) {
        this.settings = settings;
        this.path = new MigratingPath(path, Bth.DEFAULT_P_KEY, events);
        requester = new RdRequester(settings, domain, this.path);
        responder = new RdResponder(settings, domain, this, this.path);
        domain.add(this);
    }

    /** Its number, which the packets of the peer contain. */
    public int number() {
        return settings.localContext();
    }

    /** Whether a packet with these addresses may be from the peer. */
    public boolean knows(Origin origin) {
        return path.knows(origin);
    }

    /** Processes a packet for this context. The caller has checked its ICRC and partition. */
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        IbOpcode opcode = packet.opcode();
        if (opcode.service() != Service.RD
                || packet.rdeth().eeContext() != settings.localContext()
                || !path.admits(origin, packet.bth().m())) {
            return;
        }
        if (opcode.request()) {
            responder.onRequest(packet, segment, nowNs);
        } else if (!requester.failed()) {
            switch (opcode.operation()) {
                case ACKNOWLEDGE -> requester.onAcknowledge(packet, nowNs);
                case READ_RESPONSE -> requester.onReadResponse(packet, segment, nowNs);
                case ATOMIC_ACKNOWLEDGE -> requester.onAtomicResponse(packet, nowNs);
                default -> {}
            }
        }
    }

    /** Whether {@link #fillTransmit} has work to do now. */
    public boolean hasTransmitWork(long nowNs) {
        return responder.hasWork() || requester.hasWork(nowNs);
    }

    /** As {@link PacketSource#fillTransmit}. Answers are sent first. */
    @Override
    public void fillTransmit(PacketBuilder out, int byteBudget, long nowNs) {
        int stop = out.bytes() + byteBudget;
        while (out.bytes() < stop && hasTransmitWork(nowNs)) {
            boolean went = responder.hasWork() ? responder.step(out) : requester.step(out, nowNs);
            if (!went) {
                break;
            }
        }
    }

    /** The time at which {@link #onDeadline} is due, or {@link Times#NEVER}. */
    public long nextDeadlineNs() {
        return requester.nextDeadlineNs();
    }

    /** Processes a deadline that has passed. {@link #hasTransmitWork} may be true afterwards. */
    public void onDeadline(long nowNs) {
        requester.onDeadline(nowNs);
    }

    /** Whether work waits for memory. */
    public boolean suspended() {
        return requester.memoryAwaited() || responder.memoryAwaited();
    }

    /** Retries work that waits for memory. */
    public void resume() {
        requester.resume();
        responder.resume();
    }

    /** Whether the peer has stopped answering, or the context has ended. Work for the peer then fails. */
    public boolean failed() {
        return requester.failed();
    }

    /** Ends the context: a message in progress, and later work for the peer, completes with this status. */
    public void end(CompletionStatus status) {
        responder.end();
        requester.fail(status);
    }

    /** Sets a step to run when the context has packets to send that no packet or posted work has caused. */
    public void onWork(Runnable step) {
        onWork = step;
    }

    /** A queue pair has left the domain: its messages in progress are abandoned. */
    void forget(RdQueuePair queuePair) {
        requester.forget(queuePair);
        responder.forget(queuePair);
        onWork.run();
    }

    /** Loads an alternate path; see {@link RcEngine#loadAlternate}. */
    public void loadAlternate(PacketPath alternate) {
        path.load(alternate);
    }

    /** The next asynchronous event, if any. */
    public Optional<AsyncEventType> pollEvent() {
        return events.poll();
    }

    /** Digest of the complete state. */
    public long stateDigest() {
        return path.stateDigest(responder.stateDigest(requester.stateDigest(1)));
    }
}
