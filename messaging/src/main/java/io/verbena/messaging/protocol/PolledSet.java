package io.verbena.messaging.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which channels are polled: a bounded number, those that were busy last. All others announce their messages.
 *
 * @param <C> a channel
 */
public final class PolledSet<C extends PolledSet.Member> {

    /** What the set remembers of a channel. */
    public abstract static class Member {
        private boolean polled;
        private boolean leaving;
        private long lastBusyNs;

        /** Whether its rings are polled. */
        public final boolean polled() {
            return polled;
        }

        /** When a message was found in it last. */
        public final void busy(long nowNs) {
            lastBusyNs = nowNs;
        }
    }

    private final int most;
    private final long leastIdleNs;
    private final List<C> members = new ArrayList<>();
    private int leaving;

    /**
     * An empty set.
     *
     * @param most members at a time
     * @param leastIdleNs a channel idle for less is not replaced
     */
    public PolledSet(int most, long leastIdleNs) {
        this.most = most;
        this.leastIdleNs = leastIdleNs;
    }

    public int size() {
        return members.size();
    }

    public C get(int index) {
        return members.get(index);
    }

    /** A channel announced a message: whether it is polled from now on, and its peer need not announce any more. */
    public boolean admit(C channel, long nowNs) {
        if (channel.polled() || members.size() >= most) {
            return false;
        }
        Member member = channel;
        member.polled = true;
        member.leaving = false;
        member.lastBusyNs = nowNs;
        members.add(channel);
        return true;
    }

    /** Who should leave, so that a busier one finds room: its peer is to be asked to announce. It stays until it does. */
    public Optional<C> replaceable(long nowNs) {
        if (members.size() < most || leaving > 0) {
            return Optional.empty();
        }
        C idlest = members.getFirst();
        for (C member : members) {
            if (((Member) member).lastBusyNs - ((Member) idlest).lastBusyNs < 0) {
                idlest = member;
            }
        }
        Member chosen = idlest;
        if (nowNs - chosen.lastBusyNs < leastIdleNs) {
            return Optional.empty();
        }
        chosen.leaving = true;
        leaving++;
        return Optional.of(idlest);
    }

    /** The peer announces from now on, or the channel is over: it is not polled any more. */
    public void remove(C channel) {
        Member member = channel;
        if (!member.polled) {
            return;
        }
        member.polled = false;
        members.remove(channel);
        if (member.leaving) {
            member.leaving = false;
            leaving--;
        }
    }
}
