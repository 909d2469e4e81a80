package io.verbena.ib.paths;

import io.verbena.base.Digest;
import io.verbena.ib.packet.Psn;
import java.util.Arrays;

/**
 * The packets of a requester that are not answered, by PSN, and a list of them for each path in the order of their
 * transmission. A Read has a packet for each PSN of its response.
 *
 * <pre>
 *   slot     PSN modulo the size    | path | turn | sent | transmissions | flags | previous | next |
 *   path 0   head -> turn 7 -> turn 9 -> tail
 * </pre>
 *
 * A packet that is lost, that was answered, or whose Read waits at the peer is in no list.
 */
final class InFlight {

    /** No slot. */
    static final int NONE = -1;

    static final int LISTED = 1;
    static final int ANSWERED = 2;
    static final int LOST = 4;

    /** The packet is answered with data, not only acknowledged. */
    static final int DATA = 8;

    /** The request is kept by the peer until all before it have arrived. */
    static final int KEPT = 16;

    /** The first PSN of a request. */
    static final int FIRST = 32;

    /** The peer has executed the request after it had to wait for others: its answer is no round trip. */
    static final int AWAITED = 64;

    private static final byte MANY = 100;

    private final int mask;
    final int[] psn;
    final byte[] path;
    final int[] turn;
    final long[] sentNs;

    /** Position among the transmissions of all paths. */
    final int[] order;

    private int nextOrder;
    private int listed;
    private final int packets;
    final byte[] transmissions;
    final byte[] flags;
    private final int[] previous;
    private final int[] next;

    InFlight(int packets) {
        this.packets = packets;
        int slots = Integer.highestOneBit(2 * packets - 1);
        mask = slots - 1;
        psn = new int[slots];
        path = new byte[slots];
        turn = new int[slots];
        sentNs = new long[slots];
        order = new int[slots];
        transmissions = new byte[slots];
        flags = new byte[slots];
        previous = new int[slots];
        next = new int[slots];
        Arrays.fill(psn, NONE);
    }

    int slots() {
        return mask + 1;
    }

    /** The window. */
    int packets() {
        return packets;
    }

    /** Packets under way on all paths. */
    int listed() {
        return listed;
    }

    /** Position of the next transmission. */
    int nextOrder() {
        return nextOrder;
    }

    /** The slot of a PSN that was sent within the window, or {@link #NONE}. */
    int find(int number) {
        int slot = number & mask;
        return psn[slot] == number ? slot : NONE;
    }

    boolean is(int slot, int flag) {
        return (flags[slot] & flag) != 0;
    }

    void set(int slot, int flag) {
        flags[slot] |= (byte) flag;
    }

    void clear(int slot, int flag) {
        flags[slot] &= (byte) ~flag;
    }

    /** Records a transmission as the youngest one of a path. */
    int sent(int number, int kind, Path on, long nowNs) {
        int slot = number & mask;
        boolean again = psn[slot] == number;
        psn[slot] = number;
        transmissions[slot] = again ? (byte) Math.min(MANY, transmissions[slot] + 1) : 1;
        flags[slot] = (byte) kind;
        list(slot, on, nowNs);
        return slot;
    }

    /** Appends a packet to the list of a path. */
    private void list(int slot, Path on, long nowNs) {
        path[slot] = (byte) on.number;
        turn[slot] = on.nextTurn++;
        sentNs[slot] = nowNs;
        order[slot] = nextOrder++;
        insert(slot, on.tail, on);
    }

    /**
     * Puts a packet back into the list of its path, at its old place: its answer says nothing about those that were
     * sent after it.
     */
    void listInTurn(int slot, Path on) {
        int before = on.tail;
        while (before != NONE && turn[slot] - turn[before] < 0) {
            before = previous[before];
        }
        insert(slot, before, on);
    }

    private void insert(int slot, int before, Path on) {
        int after = before == NONE ? on.head : next[before];
        previous[slot] = before;
        next[slot] = after;
        if (before == NONE) {
            on.head = slot;
        } else {
            next[before] = slot;
        }
        if (after == NONE) {
            on.tail = slot;
        } else {
            previous[after] = slot;
        }
        on.inFlight++;
        listed++;
        set(slot, LISTED);
    }

    /** Removes a packet from the list of its path, if it is in one. */
    void unlist(int slot, Path of) {
        if (!is(slot, LISTED)) {
            return;
        }
        if (previous[slot] == NONE) {
            of.head = next[slot];
        } else {
            next[previous[slot]] = next[slot];
        }
        if (next[slot] == NONE) {
            of.tail = previous[slot];
        } else {
            previous[next[slot]] = previous[slot];
        }
        of.inFlight--;
        listed--;
        clear(slot, LISTED);
    }

    /** The first packet of the request to which one belongs, or the first one that is not forgotten. */
    int firstOfRequest(int slot) {
        int first = slot;
        while (!is(first, FIRST)) {
            int before = find(Psn.plus(psn[first], -1));
            if (before == NONE) {
                return first;
            }
            first = before;
        }
        return first;
    }

    /** The next PSN of a request that is answered with data, or {@link #NONE}. */
    int nextOfRequest(int slot) {
        int following = find(Psn.plus(psn[slot], 1));
        return following != NONE && is(following, DATA) && !is(following, FIRST) ? following : NONE;
    }

    /** The packet that was sent next on the same path, or {@link #NONE}. */
    int after(int slot) {
        return next[slot];
    }

    /** Removes a packet that will not be asked about again. */
    void forget(int slot) {
        psn[slot] = NONE;
        flags[slot] = 0;
        transmissions[slot] = 0;
    }

    long stateDigest(long digest, int fromPsn, int toPsn) {
        long d = Digest.mix(digest, (long) nextOrder << 32 | listed);
        int from = fromPsn;
        for (int i = 0; i < slots() && Psn.distance(toPsn, from) > 0; i++) {
            int slot = find(from);
            d = slot == NONE ? Digest.mix(d, from) : stateDigest(d, slot);
            from = Psn.plus(from, 1);
        }
        return d;
    }

    private long stateDigest(long digest, int slot) {
        long d = Digest.mix(Digest.mix(digest, sentNs[slot]), (long) order[slot] << 32 | turn[slot]);
        d = Digest.mix(d, (long) previous[slot] << 32 | next[slot] & 0xffff_ffffL);
        return Digest.mix(d, transmissions[slot] << 16 | path[slot] << 8 | flags[slot] & 0xff);
    }
}
