package io.verbena.hardware.provider;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.TransportService;
import java.io.IOException;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The multicast groups of a queue pair. Any thread. */
final class QueuePairGroups {

    private final PostedWork queuePair;
    private final AdapterContext rnic;
    private final Map<InetAddress, GroupMember> members = new HashMap<>();
    private boolean closed;

    QueuePairGroups(PostedWork queuePair, AdapterContext rnic) {
        this.rnic = rnic;
        this.queuePair = queuePair;
    }

    /** Joins a group, and returns when the queue pair receives its datagrams. */
    void join(InetAddress group) throws IOException {
        checkService();
        if (!group.isMulticastAddress()) {
            throw new IOException(group.getHostAddress() + " is not the address of a multicast group.");
        }
        GroupMember member = member(group);
        boolean joined = false;
        try {
            member.awaitJoined();
            joined = true;
        } finally {
            if (!joined) {
                remove(group, member);
                member.end();
            }
        }
    }

    /** The membership in a group, which another thread may have requested before. */
    private synchronized GroupMember member(InetAddress group) {
        if (closed) {
            throw new IllegalStateException("the queue pair is closed");
        }
        GroupMember found = members.get(group);
        if (found != null && !found.failed()) {
            return found;
        }
        ConnectionManager manager = rnic.connections();
        GroupMember groupMember = manager.withDatagramId(
                id -> new GroupMember(manager, id, queuePair.qp(), group, each -> lost(group, each)));
        members.put(group, groupMember);
        groupMember.begin();
        return groupMember;
    }

    private synchronized void remove(InetAddress group, GroupMember member) {
        members.remove(group, member);
    }

    void leave(InetAddress group) {
        checkService();
        Optional<GroupMember> member;
        synchronized (this) {
            member = Optional.ofNullable(members.remove(group));
        }
        member.ifPresent(GroupMember::end);
    }

    private void checkService() {
        if (queuePair.service() != TransportService.UNRELIABLE_DATAGRAM) {
            throw new UnsupportedOperationException(
                    "Only queue pairs with service UNRELIABLE_DATAGRAM receive the datagrams of multicast groups, not those with "
                            + queuePair.service() + ".");
        }
    }

    /** The network has ended a membership. The event loop calls this. */
    private void lost(InetAddress group, GroupMember member) {
        remove(group, member);
        rnic.connections().later(member::end);
        rnic.raise(new AsyncEvent(
                AsyncEventType.ADDRESS_CHANGED,
                queuePair,
                "The queue pair receives no more datagrams of " + group.getHostAddress()
                        + ", because the network has ended the membership; join the group again."));
    }

    /** The path to a group, if the queue pair is a member. */
    synchronized Optional<byte[]> path(InetAddress group) {
        return Optional.ofNullable(members.get(group)).flatMap(GroupMember::path);
    }

    /** Leaves all groups, before the queue pair is destroyed. */
    void close() {
        List<GroupMember> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(members.values());
            members.clear();
        }
        left.forEach(GroupMember::end);
    }
}
