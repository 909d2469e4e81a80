package io.verbena.tcp.link;

import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The hardware addresses of the hosts on an Ethernet link: a bounded cache, and the detection of hosts that do not answer any more. A pure
 * state machine. {@link Arp} and {@link NeighborDiscovery} exchange the messages, {@link NeighborState} has the states of an entry.
 *
 * <p>A hardware address that was confirmed once stays in use until another one is stated (RFC 7048), so that an interruption of the link costs no
 * packet after its end. A host that does not answer is asked three times, and after that all stations are, three times and again for the next packet;
 * at the request of a transport one question to the host is enough.
 *
 * <p>The cache is full at {@link #MOST} entries. It then replaces an entry that was never used, or one without an answer, or the one that
 * was not used for the longest time, so a flood of requests does not displace those in use.
 */
public final class Neighbors {

    /** Result of {@link #find} while the address is not known. */
    static final long UNKNOWN = -1;

    /** Most entries. */
    static final int MOST = 256;

    /** Most frames that wait to be sent; further ones are dropped. */
    static final int MOST_OUTPUT = 64;

    /** RFC 1122 section 2.3.2.1: at most one request per second for an address; RFC 4861 section 10: RETRANS_TIMER. */
    static final long RETRY_NS = 1_000_000_000L;

    /** Offset of the Ethernet header in a frame. */
    static final int FRAME = VirtioNetHeader.LENGTH;

    private final long hardware;
    private final Resolution resolution;
    private final Consumer<IpAddress> onUnreachable;
    private final List<Neighbor> entries = new ArrayList<>();
    private final Deque<byte[]> output = new ArrayDeque<>();
    private @Nullable Neighbor last;

    /** How the hardware address of a host is requested, and how long an answer is valid. */
    interface Resolution {

        /** A frame that asks one station, or all that may have the address if {@code to} is {@link #UNKNOWN}. */
        byte[] request(IpAddress target, long to);

        /** The type of frames with packets. */
        int etherType();

        /** How long a confirmed address is not checked. */
        long validNs();

        /** How long an address that is in doubt is used before it is checked. */
        long delayNs();
    }

    /**
     * The cache of a host.
     *
     * @param onUnreachable notified of the address of a host that does not answer
     */
    Neighbors(long hardware, Resolution resolution, Consumer<IpAddress> onUnreachable) {
        this.hardware = hardware;
        this.resolution = resolution;
        this.onUnreachable = onUnreachable;
    }

    /** The hardware address of a host, or {@link #UNKNOWN}; it is then requested. */
    long find(IpAddress host, long nowNs) {
        Neighbor recent = last;
        Neighbor entry = recent != null && recent.address().equals(host) ? recent : entry(host, nowNs);
        last = entry;
        entry.use(nowNs, resolution.validNs());
        if (entry.retryNs() == Times.NEVER && entry.state() != NeighborState.REACHABLE) {
            check(entry, nowNs);
        }
        return entry.hardware();
    }

    /**
     * RFC 1122 section 2.3.2.1 (4): a transport gets no answers from a host, or through it. Its hardware address may be wrong, because the host has
     * another one now, or because an ARP packet, which has no checksum, was damaged. Or the path is interrupted, and the address is right: it is used
     * until an answer states another one.
     */
    public void doubt(IpAddress host, long nowNs) {
        Neighbor entry = lookUp(host);
        if (entry != null && entry.doubt(nowNs)) {
            request(entry, nowNs);
        }
    }

    private void check(Neighbor entry, long nowNs) {
        if (entry.state() == NeighborState.STALE && resolution.delayNs() > 0) {
            entry.delay(Times.after(nowNs, resolution.delayNs()));
        } else {
            request(entry, nowNs);
        }
    }

    private void request(Neighbor entry, long nowNs) {
        // RFC 1122 section 2.3.2.1 (2): an entry that may be out of date is checked without a broadcast.
        add(resolution.request(entry.address(), entry.asksAt()));
        entry.asked(nowNs);
    }

    /** Keeps the latest frame for a host whose address is not known yet. */
    public void keep(IpAddress host, MemorySegment memory, int offset, int bytes) {
        Neighbor entry = lookUp(host);
        if (entry != null) {
            entry.keep(memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** The entry of a host, if there is one. */
    @Nullable
    Neighbor lookUp(IpAddress host) {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).address().equals(host)) {
                return entries.get(i);
            }
        }
        return null;
    }

    /** The entry of a host; another one makes way for it if the cache is full. */
    Neighbor entry(IpAddress host, long nowNs) {
        Neighbor found = lookUp(host);
        if (found != null) {
            return found;
        }
        if (entries.size() == MOST) {
            Neighbor least = entries.getFirst();
            for (Neighbor each : entries) {
                least = each.givesWayTo(least) ? each : least;
            }
            remove(least);
        }
        Neighbor neighbor = new Neighbor(host, nowNs);
        entries.add(neighbor);
        return neighbor;
    }

    @SuppressWarnings("ReferenceEquality") // the cached entry itself
    private void remove(Neighbor entry) {
        entries.remove(entry);
        if (last == entry) {
            last = null;
        }
    }

    /** The hardware address of an entry is known now: sends the packet that waits for it. */
    void known(Neighbor entry) {
        byte[] packet = entry.takeWaiting();
        if (packet != null) {
            new EthernetHeader()
                    .wrap(MemorySegment.ofArray(packet), FRAME)
                    .write(entry.hardware(), hardware, resolution.etherType());
            add(packet);
        }
    }

    /** Whether an address can be that of another station. */
    boolean isStation(long address) {
        return !EthernetHeader.isGroup(address) && address != 0 && address != hardware;
    }

    /** Sends a frame, or drops it if too many wait. */
    void add(byte[] frame) {
        if (output.size() < MOST_OUTPUT) {
            output.addLast(frame);
        }
    }

    /** The next frame to send, or null; {@link #sent} removes it. */
    public byte @Nullable [] next() {
        return output.peekFirst();
    }

    public void sent() {
        output.removeFirst();
    }

    long nextDeadlineNs() {
        long next = Times.NEVER;
        for (int i = 0; i < entries.size(); i++) {
            next = Times.earlier(next, entries.get(i).retryNs());
        }
        return next;
    }

    /** Repeats requests, of all stations after those of one; reports a host that does not answer. */
    void onDeadline(long nowNs) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            Neighbor entry = entries.get(i);
            if (!Times.due(entry.retryNs(), nowNs)) {
                continue;
            }
            if (!entry.silent()) {
                request(entry, nowNs);
            } else if (entry.state() == NeighborState.PROBE) {
                entry.giveUp();
                request(entry, nowNs);
            } else {
                giveUp(entry);
            }
        }
    }

    private void giveUp(Neighbor entry) {
        if (entry.state() == NeighborState.INCOMPLETE) {
            remove(entry);
        } else {
            entry.giveUp();
        }
        onUnreachable.accept(entry.address());
    }

    @Override
    public String toString() {
        return entries.size() + " hosts: "
                + entries.stream().map(Neighbor::address).toList();
    }
}
