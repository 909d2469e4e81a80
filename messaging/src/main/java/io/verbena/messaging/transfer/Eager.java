package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.Element;
import io.verbena.messaging.channel.ElementKind;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Offer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Messages that are copied through slots. The receiver keeps those without a receive, within the credit that it has granted. */
public final class Eager {

    private final Mailbox mailbox;
    private final Outbox outbox;

    public Eager(Mailbox mailbox, Outbox outbox) {
        this.mailbox = mailbox;
        this.outbox = outbox;
    }

    /**
     * Sends a message; {@link Offer#SEND} means that its buffer is free. {@link Offer#TOO_LARGE} means that there is no credit for it: it
     * stays at the sender until a receive matches it.
     */
    public static Offer send(
            Peer peer, Channel channel, MemorySegment buffer, long offset, int length, int tag, int context) {
        if (!peer.sendCredit.holds(length)) {
            return Offer.TOO_LARGE;
        }
        int flow = Contexts.flow(context, channel.virtualChannels());
        long taken = peer.receiveCredit.takenBytes();
        Offer offer = channel.offer(flow, buffer, offset, length, length, ElementKind.EAGER, tag, context, taken);
        if (offer == Offer.SEND) {
            channel.counters().eager++;
            peer.sendCredit.onSent(length);
            peer.receiveCredit.onReported();
        }
        return offer;
    }

    /** Reports the bytes that receives have taken, if enough have accumulated. */
    public static void sendCredit(Peer peer, Channel channel) {
        if (peer.creditDue() && Outbox.sendControl(channel, ElementKind.CREDIT, peer.receiveCredit.takenBytes())) {
            peer.receiveCredit.onReported();
        }
    }

    /** The peer reports the bytes that its receives have taken; false if that is impossible, which ends the channel. */
    public static boolean onCredit(Peer peer, Channel channel, Element element) {
        boolean possible = peer.sendCredit.onTaken(element.word());
        if (!possible) {
            channel.fail("Rank " + peer.rank() + " reported more received bytes than were sent to it.");
        }
        return possible;
    }

    /** A whole message has arrived; returns whether it was accepted. */
    public boolean arrived(Peer peer, Channel channel, Element element) {
        int tag = element.tag();
        int context = element.context();
        int length = element.length();
        Operation receive = mailbox.receiveFor(peer.rank(), tag, context);
        if (receive != null) {
            element.copyTo(receive.buffer, receive.offset, (int) Math.min(length, receive.length));
            receive.received(peer.rank(), tag, length);
            peer.receiveCredit.onTaken(length);
            scheduleCredit(peer);
        } else if (!peer.receiveCredit.onKept(length)) {
            channel.fail("Rank " + peer.rank() + " sent more unexpected bytes than the "
                    + peer.receiveCredit.windowBytes() + " that this rank has promised to keep.");
            return false;
        } else {
            Unexpected kept = mailbox.keep(peer.rank(), tag, context, length);
            element.copyTo(kept.memory, 0, length);
        }
        if (length > 0) {
            channel.counters().copied(length);
        }
        return true;
    }

    /** A message of an abandoned collective operation has arrived: it is not kept. */
    public void drop(Peer peer, int length) {
        peer.receiveCredit.onTaken(length);
        scheduleCredit(peer);
    }

    /** A receive takes a message that was kept. */
    public void receive(Operation receive, Unexpected kept, Peer peer) {
        int bytes = (int) Math.min(kept.length, receive.length);
        MemorySegment.copy(kept.payload, 0, receive.buffer, ValueLayout.JAVA_BYTE, receive.offset, bytes);
        receive.received(kept.source(), kept.tag(), kept.length);
        forget(kept, peer);
    }

    /** A message that was kept is removed. */
    public void forget(Unexpected kept, Peer peer) {
        peer.receiveCredit.onKeptTaken(kept.length);
        scheduleCredit(peer);
    }

    private void scheduleCredit(Peer peer) {
        if (peer.creditDue()) {
            outbox.schedule(peer);
        }
    }
}
