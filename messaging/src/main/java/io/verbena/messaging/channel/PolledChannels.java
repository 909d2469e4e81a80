package io.verbena.messaging.channel;

import io.verbena.messaging.protocol.PolledSet;
import io.verbena.messaging.ring.Immediate;

/**
 * The channels whose rings are polled. All others announce their elements by immediate data and are found by a completion, so that the
 * cost of progress does not grow with the number of idle channels.
 */
final class PolledChannels {

    /** A polled channel that was idle for less than this is not replaced by a busier one. */
    private static final long MIN_IDLE_NS = 200_000;

    private final PolledSet<ChannelDriver> polled;

    PolledChannels(int maxPolled) {
        polled = new PolledSet<>(maxPolled, MIN_IDLE_NS);
    }

    int size() {
        return polled.size();
    }

    /** Delivers the elements that have arrived on all polled channels; returns their number. */
    int poll(long nowNs) {
        int work = 0;
        for (int i = 0; i < polled.size(); i++) {
            work += polled.get(i).poll(nowNs);
        }
        return work;
    }

    /** Returns whether a peer has written something. */
    boolean seen() {
        for (int i = 0; i < polled.size(); i++) {
            if (polled.get(i).seen()) {
                return true;
            }
        }
        return false;
    }

    /** A channel announced an element. It is polled from now on if the set has space; otherwise the channel idle longest is asked to leave. */
    void onAnnouncement(ChannelDriver channel, long nowNs) {
        if (channel.polled()) {
            return;
        }
        if (polled.admit(channel, nowNs)) {
            channel.poster().sendImmediate(Immediate.QUIET.with(0, 0));
            return;
        }
        polled.replaceable(nowNs).ifPresent(idle -> idle.poster().sendImmediate(Immediate.ANNOUNCE.with(0, 0)));
    }

    /** The channel announces its elements from now on, or has ended. */
    void remove(ChannelDriver channel) {
        polled.remove(channel);
    }
}
