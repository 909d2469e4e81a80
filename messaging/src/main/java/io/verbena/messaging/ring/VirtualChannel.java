package io.verbena.messaging.ring;

import io.verbena.messaging.protocol.ReceiveSide;
import io.verbena.messaging.protocol.SendSide;

/** One independent flow of a channel: a ring that the peer writes, and the staging buffer of the peer's ring. */
public final class VirtualChannel {

    private final ReceiveRing receive;
    private final SendRing send;

    /** Starts with the request for the first phase under way in both directions. */
    public VirtualChannel(
            int number, RingEnvironment environment, RingOwner owner, RingPoster poster, RingSettings settings) {
        ReceiveSide receiver = new ReceiveSide(
                settings.policy().firstPayloadBytes(), settings.patienceNs()); // a long element may stall on its way
        SendSide sender = new SendSide(
                settings.policy(),
                settings.acknowledgementTimeoutNs(),
                settings.patienceNs(),
                settings.tailBoundNs(),
                environment.nowNs());
        RingEdge edge = new RingEdge(number, environment, owner, poster);
        send = new SendRing(edge, sender, receiver);
        receive = new ReceiveRing(edge, settings, receiver, send);
    }

    public SendRing send() {
        return send;
    }

    public ReceiveRing receive() {
        return receive;
    }

    public long registeredBytes() {
        return send.registeredBytes() + receive.registeredBytes();
    }

    /** The channel has ended: releases all buffers. */
    public void release() {
        send.release();
        receive.release();
    }
}
