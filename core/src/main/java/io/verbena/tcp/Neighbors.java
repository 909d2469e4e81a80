package io.verbena.tcp;

import io.verbena.base.Times;
import io.verbena.wire.ip.ArpPacket;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The hardware addresses of the hosts on an Ethernet link: ARP with a bounded cache (RFC 826, RFC 1122 section 2.3.2). A pure state
 * machine.
 *
 * <p>An address is learned from the answer to a request of this side, and from a request for the address of this side. What was not
 * asked for changes nothing. The cache replaces the entry that was not used for the longest time, so a flood of requests does not
 * displace those in use.
 */
final class Neighbors {

    /** Result of {@link #find} while the address is not known. */
    static final long UNKNOWN = -1;

    /** Most entries. */
    static final int MOST = 256;

    /** Most frames that wait to be sent; further ones are dropped. */
    static final int MOST_OUTPUT = 64;

    /** RFC 1122 section 2.3.2.1: at most one request per second for an address. */
    private static final long RETRY_NS = 1_000_000_000L;

    private static final int TRIES = 3;

    /** RFC 1122 section 2.3.2.1: entries that are out of date are flushed; they are checked first. */
    private static final long VALID_NS = 60 * RETRY_NS;

    private static final int FRAME = VirtioNetHeader.LENGTH;
    private static final int CONTENT = FRAME + EthernetHeader.LENGTH;

    private final int address;
    private final long hardware;
    private final IntConsumer onUnreachable;
    private final List<Entry> entries = new ArrayList<>();
    private final Deque<byte[]> output = new ArrayDeque<>();
    private final ArpPacket arp = new ArpPacket();
    private Entry last = new Entry(0);

    private static final class Entry {
        private final int address;
        private long hardware = UNKNOWN;
        private long confirmedNs;
        private long usedNs;
        private long retryNs = Times.NEVER;
        private int tries;

        /** RFC 1122 section 2.3.2.2: the latest packet for an address that is being resolved. */
        private byte @Nullable [] waiting;

        Entry(int address) {
            this.address = address;
        }
    }

    /**
     * The cache of a host.
     *
     * @param onUnreachable told the IPv4 address of a host that does not answer
     */
    Neighbors(int address, long hardware, IntConsumer onUnreachable) {
        this.address = address;
        this.hardware = hardware;
        this.onUnreachable = onUnreachable;
    }

    /** The hardware address of a host, or {@link #UNKNOWN}; it is then requested. */
    long find(int host, long nowNs) {
        Entry entry = last.address == host ? last : entry(host, nowNs);
        last = entry;
        entry.usedNs = nowNs;
        boolean current = entry.hardware != UNKNOWN && nowNs - entry.confirmedNs < VALID_NS;
        if (!current && entry.retryNs == Times.NEVER) {
            entry.tries = 0;
            request(entry, nowNs);
        }
        return entry.hardware;
    }

    /** Keeps the latest frame for a host whose address is not known yet. */
    void keep(int host, MemorySegment memory, int offset, int bytes) {
        Entry entry = lookUp(host);
        if (entry != null) {
            entry.waiting = memory.asSlice(offset, bytes).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        }
    }

    private @Nullable Entry lookUp(int host) {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).address == host) {
                return entries.get(i);
            }
        }
        return null;
    }

    private Entry entry(int host, long nowNs) {
        Entry found = lookUp(host);
        if (found != null) {
            return found;
        }
        if (entries.size() == MOST) {
            Entry oldest = entries.getFirst();
            for (Entry each : entries) {
                oldest = each.usedNs - oldest.usedNs < 0 ? each : oldest;
            }
            remove(oldest);
        }
        Entry made = new Entry(host);
        made.usedNs = nowNs;
        entries.add(made);
        return made;
    }

    @SuppressWarnings("ReferenceEquality") // the cached entry itself
    private void remove(Entry entry) {
        entries.remove(entry);
        if (last == entry) {
            last = new Entry(0);
        }
    }

    /** An ARP packet has arrived. */
    void onArp(MemorySegment memory, long offset, long available, long nowNs) {
        if (!arp.wrap(memory, offset).fits(available)) {
            return;
        }
        long sender = arp.sender();
        int host = arp.senderIp();
        if (EthernetHeader.isGroup(sender) || sender == 0 || sender == hardware || host == address || host == 0) {
            return; // no station, or a packet of this one
        }
        Entry known = lookUp(host);
        boolean request = arp.operation() == ArpPacket.REQUEST && arp.targetIp() == address;
        // RFC 826: who asks for this host will talk to it.
        Entry entry = known == null && request ? entry(host, nowNs) : known;
        if (entry != null) {
            learn(entry, sender, nowNs);
        }
        if (request) {
            send(ArpPacket.REPLY, sender, sender, host);
        }
    }

    private void learn(Entry entry, long sender, long nowNs) {
        entry.hardware = sender;
        entry.confirmedNs = nowNs;
        entry.retryNs = Times.NEVER;
        byte[] packet = entry.waiting;
        if (packet != null) {
            entry.waiting = null;
            new EthernetHeader()
                    .wrap(MemorySegment.ofArray(packet), FRAME)
                    .write(sender, hardware, EthernetHeader.IPV4);
            add(packet);
        }
    }

    private void request(Entry entry, long nowNs) {
        entry.tries++;
        entry.retryNs = Times.after(nowNs, RETRY_NS);
        // RFC 1122 section 2.3.2.1 (2): an entry that may be out of date is checked without a broadcast.
        long to = entry.hardware == UNKNOWN ? EthernetHeader.BROADCAST : entry.hardware;
        send(ArpPacket.REQUEST, to, 0, entry.address);
    }

    private void send(int operation, long to, long targetHardware, int target) {
        byte[] frame = new byte[CONTENT + ArpPacket.LENGTH];
        MemorySegment memory = MemorySegment.ofArray(frame);
        new VirtioNetHeader().wrap(memory, 0).complete();
        new EthernetHeader().wrap(memory, FRAME).write(to, hardware, EthernetHeader.ARP);
        new ArpPacket()
                .wrap(memory, CONTENT)
                .write(operation)
                .sender(hardware, address)
                .target(targetHardware, target);
        add(frame);
    }

    private void add(byte[] frame) {
        if (output.size() < MOST_OUTPUT) {
            output.addLast(frame);
        }
    }

    /** The next frame to send, or null; {@link #sent} removes it. */
    byte @Nullable [] next() {
        return output.peekFirst();
    }

    void sent() {
        output.removeFirst();
    }

    long nextDeadlineNs() {
        long next = Times.NEVER;
        for (int i = 0; i < entries.size(); i++) {
            next = Times.earlier(next, entries.get(i).retryNs);
        }
        return next;
    }

    /** Repeats requests; gives up a host that does not answer. */
    void onDeadline(long nowNs) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            Entry entry = entries.get(i);
            if (!Times.due(entry.retryNs, nowNs)) {
                continue;
            }
            if (entry.tries < TRIES) {
                request(entry, nowNs);
            } else {
                remove(entry);
                onUnreachable.accept(entry.address);
            }
        }
    }

    @Override
    public String toString() {
        int[] hosts = entries.stream().mapToInt(each -> each.address).toArray();
        return hosts.length + " hosts: " + Arrays.toString(hosts);
    }
}
