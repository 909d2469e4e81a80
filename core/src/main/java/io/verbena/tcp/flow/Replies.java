package io.verbena.tcp.flow;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;

/** Packets that belong to no connection: resets, SYNs with cookies, and ICMP echo replies. Bounded; the excess is dropped. */
public final class Replies {

    private static final int MOST = 64;

    private final int mostBytes;
    private final Deque<Reply> waiting = new ArrayDeque<>();

    /** Replies whose content has at most this many bytes; longer ones are dropped. */
    public Replies(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /**
     * A packet to send.
     *
     * @param protocol of IP
     * @param content of the packet, after the IP header
     */
    public record Reply(FlowKey flow, int protocol, byte[] content) {}

    /** Adds a packet; returns false if it is dropped. */
    public boolean add(FlowKey flow, int protocol, MemorySegment memory, long offset, int length) {
        if (waiting.size() >= MOST || length > mostBytes) {
            return false;
        }
        byte[] copy = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        waiting.addLast(new Reply(flow, protocol, copy));
        return true;
    }

    public boolean any() {
        return !waiting.isEmpty();
    }

    public Reply take() {
        return waiting.removeFirst();
    }
}
