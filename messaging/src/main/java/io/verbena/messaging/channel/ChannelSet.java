package io.verbena.messaging.channel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** All channels of an endpoint, those among them that need service, and those that have ended and await their release. */
final class ChannelSet {

    private static final long SWEEP_NS = 1_000_000;
    private static final int CHANNELS_PER_SWEEP = 64;

    private final List<Channel> channels = new CopyOnWriteArrayList<>();
    private final List<ChannelDriver> active = new ArrayList<>();
    private final List<ChannelDriver> ending = new ArrayList<>();
    private int sweepAt;
    private long nextSweepNs;

    ChannelSet(long nowNs) {
        nextSweepNs = nowNs + SWEEP_NS;
    }

    void add(Channel channel) {
        channels.add(channel);
    }

    /** All channels that have not been released; safe to iterate from any thread. */
    List<Channel> all() {
        return channels;
    }

    /** The channel needs service at each progress. */
    void activate(ChannelDriver channel) {
        active.add(channel);
    }

    /** Returns whether the peer of a channel that needs service has written something. */
    boolean seen() {
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).seen()) {
                return true;
            }
        }
        return false;
    }

    /** The channel has ended; it is released at the end of the present progress. */
    void end(ChannelDriver channel) {
        ending.add(channel);
    }

    void service(long nowNs) {
        for (int i = active.size() - 1; i >= 0; i--) {
            if (i < active.size() && !active.get(i).service(nowNs)) {
                active.remove(i);
            }
        }
        if (nowNs - nextSweepNs >= 0) {
            sweep(nowNs);
        }
    }

    /** Checks some of the channels for idleness. */
    private void sweep(long nowNs) {
        nextSweepNs = nowNs + SWEEP_NS;
        int count = Math.min(CHANNELS_PER_SWEEP, channels.size());
        for (int i = 0; i < count; i++) {
            sweepAt = sweepAt + 1 < channels.size() ? sweepAt + 1 : 0;
            channels.get(sweepAt).driver().shrinkIfIdle(nowNs);
        }
    }

    /** Releases a channel that has no connection, or has no connection any more. */
    void discard(ChannelDriver channel) {
        active.remove(channel);
        channels.remove(channel.channel());
        channel.release();
    }

    /** Releases the channels that have ended; returns their number. */
    int releaseEnded() {
        if (ending.isEmpty()) {
            return 0; // every round of progress comes here: no iterator
        }
        int released = ending.size();
        for (ChannelDriver channel : ending) {
            discard(channel);
        }
        ending.clear();
        return released;
    }
}
