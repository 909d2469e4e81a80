package io.verbena.ib.packet;

import java.util.ArrayList;
import java.util.List;

/**
 * The multicast groups of a port and the queue pairs attached to them. A packet to a group is delivered to each queue
 * pair whose checks it passes, including those of the sender (InfiniBand architecture specification, volume 1, section
 * 10.5).
 *
 * @param <Q> a queue pair
 */
public final class MulticastGroups<Q> {

    private final List<Group<Q>> groups = new ArrayList<>();

    /** The queue pairs of one group. */
    private record Group<Q>(long high, long low, List<Q> members) {}

    /** Attaches a queue pair. Returns true if it is the first one: the port then joins the group. */
    public boolean attach(long high, long low, Q member) {
        int at = find(high, low);
        if (at < 0) {
            List<Q> members = new ArrayList<>();
            members.add(member);
            groups.add(new Group<>(high, low, members));
            return true;
        }
        List<Q> members = groups.get(at).members();
        if (!members.contains(member)) {
            members.add(member);
        }
        return false;
    }

    /** Detaches a queue pair. Returns true if it was the last one: the port then leaves the group. */
    public boolean detach(long high, long low, Q member) {
        int at = find(high, low);
        if (at < 0 || !groups.get(at).members().remove(member)) {
            return false;
        }
        boolean last = groups.get(at).members().isEmpty();
        if (last) {
            groups.remove(at);
        }
        return last;
    }

    private int find(long high, long low) {
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i).high() == high && groups.get(i).low() == low) {
                return i;
            }
        }
        return -1;
    }

    /** Number of queue pairs in a group; 0 if the port has not joined it. */
    public int members(long high, long low) {
        int at = find(high, low);
        return at < 0 ? 0 : groups.get(at).members().size();
    }

    /** A queue pair of a group by its index, starting at 0. */
    public Q member(long high, long low, int index) {
        return groups.get(find(high, low)).members().get(index);
    }
}
