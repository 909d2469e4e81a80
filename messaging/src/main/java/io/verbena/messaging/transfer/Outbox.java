package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Offer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The peers for which something waits to be sent. */
public final class Outbox {

    private final List<Peer> waiting = new ArrayList<>();

    /** Something waits to be sent to a peer: the next progress tries to send it. */
    public void schedule(Peer peer) {
        if (!peer.scheduled) {
            peer.scheduled = true;
            waiting.add(peer);
        }
    }

    public boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Lets each scheduled peer send what it can. */
    public void drain(Consumer<Peer> send) {
        for (int i = waiting.size() - 1; i >= 0; i--) {
            Peer peer = waiting.get(i);
            send.accept(peer);
            if (peer.idle()) {
                peer.scheduled = false;
                waiting.remove(i);
            }
        }
    }

    /** Returns whether a peer has written that there is space for what waits. */
    public boolean seen() {
        for (int i = 0; i < waiting.size(); i++) {
            Channel channel = waiting.get(i).channel;
            if (channel != null && channel.seen()) {
                return true;
            }
        }
        return false;
    }

    /** Sends a control element, which never causes an enlargement; returns false if there is no slot for it. */
    public static boolean sendControl(
            Channel channel, int kind, int tag, int context, long word, MemorySegment payload, int length) {
        int flow = Contexts.flow(context, channel.virtualChannels());
        return channel.offer(flow, payload, 0, length, 0, kind, tag, context, word) == Offer.SEND;
    }

    public static boolean sendControl(Channel channel, int kind, long word) {
        return sendControl(channel, kind, 0, 0, word, MemorySegment.NULL, 0);
    }
}
