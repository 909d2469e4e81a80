package io.verbena.messaging.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The channels that are polled: a bounded number of those that were busy last. All others announce their elements.
 *
 * @param <C> a channel
 */
public final class PolledSet<C extends PolledSet.Member> {

    /** State of a channel in the set. */
    public abstract static class Member {
        private boolean polled;
        private boolean leaving;
        private long lastBusyNs;

        /** Returns whether the rings of the channel are polled. */
        public final boolean polled() {
            return polled;
        }

        /** An element was found in a ring of the channel. */
        public final void busy(long nowNs) {
            lastBusyNs = nowNs;
        }
    }

    private final int most;
    private final long leastIdleNs;
    private final List<C> members = new ArrayList<>();
    private int leaving;

    /**
     * Creates an empty set.
     *
     * @param most maximum number of members
     * @param leastIdleNs minimum idle time of a channel that is replaced
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

    /** A channel announced an element: returns whether it is polled from now on, so that its peer need not announce any more. */
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

    /** The channel that should make space for a busier one: its peer has to be asked to announce. It stays in the set until then. */
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

    /** Removes a channel whose peer announces from now on, or that has ended. */
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
