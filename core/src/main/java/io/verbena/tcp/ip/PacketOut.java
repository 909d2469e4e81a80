package io.verbena.tcp.ip;

import io.verbena.base.PacketPath;
import io.verbena.base.Slab;
import io.verbena.tcp.TcpHost;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.segment.Place;
import io.verbena.wire.ip.InternetChecksum;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The packet that is being sent. {@link TcpHost#transmit} writes one at a time; the carrier sends it before the next one.
 *
 * <pre>
 *   slab   | 0 .. OFFSET: the carrier's headers | IP header | TCP header | data |
 * </pre>
 */
public final class PacketOut {

    /** Bytes before the IP header that a carrier may use. */
    public static final int OFFSET = 64;

    private final Slab slab;
    private final IpLayer ip;
    private final Place place;
    private int length;
    private int headerBytes;
    private int segmentBytes;
    private boolean summed;
    private @Nullable FlowKey flow;
    private boolean opened;
    private boolean unanswered;

    /** Packets of at most this many bytes. */
    public PacketOut(IpLayer ip, int mostBytes) {
        this.ip = ip;
        slab = new Slab(OFFSET + mostBytes);
        place = new Place(slab.segment(), OFFSET + ip.headerBytes());
    }

    public Place place() {
        return place;
    }

    public MemorySegment memory() {
        return slab.segment();
    }

    /** Completes a packet whose content was written at {@link #place}. */
    public void finish(FlowKey newFlow, int protocol, int contentBytes) {
        finish(newFlow, protocol, contentBytes, PacketPath.NOT_ECT);
    }

    /** The same with a traffic class. */
    public void finish(FlowKey newFlow, int protocol, int contentBytes, int trafficClass) {
        length = ip.headerBytes() + contentBytes;
        flow = newFlow;
        headerBytes = ip.headerBytes();
        segmentBytes = 0;
        summed = true;
        ip.write(slab.segment(), OFFSET, newFlow, protocol, contentBytes, trafficClass);
    }

    /**
     * States what the carrier has to complete.
     *
     * @param newHeaderBytes of IP and TCP together
     * @param newSegmentBytes data of each segment but the last, if the carrier has to split the packet; otherwise 0
     */
    public void unfinished(int newHeaderBytes, int newSegmentBytes) {
        headerBytes = newHeaderBytes;
        segmentBytes = newSegmentBytes;
        summed = false;
    }

    /** States whether the packet belongs to a connection that this host has opened. */
    public void opened(boolean value) {
        opened = value;
    }

    /** Whether the packet belongs to a connection that this host has opened, not to one that it has accepted, or to none. */
    public boolean opened() {
        return opened;
    }

    /** States whether the packet belongs to a connection whose retransmissions have not been answered. */
    public void unanswered(boolean value) {
        unanswered = value;
    }

    /** Whether the packet belongs to a connection whose retransmissions have not been answered: it may go to the wrong station. */
    public boolean unanswered() {
        return unanswered;
    }

    public FlowKey flow() {
        FlowKey currentFlow = flow;
        if (currentFlow == null) {
            throw new IllegalStateException("no packet was written");
        }
        return currentFlow;
    }

    /** Bytes of the IP header. */
    public int ipBytes() {
        return ip.headerBytes();
    }

    /** The sum of the content, for its checksum. */
    public long sum(int contentBytes) {
        return InternetChecksum.sum(slab.segment(), place.offset(), contentBytes);
    }

    /** The memory that contains the packet from {@link #OFFSET} on. */
    public Slab slab() {
        return slab;
    }

    /** Bytes of the IP packet. */
    public int length() {
        return length;
    }

    /** Bytes of the headers of IP and TCP. */
    public int headerBytes() {
        return headerBytes;
    }

    /** Data of each segment but the last if the packet contains several, otherwise 0. */
    public int segmentBytes() {
        return segmentBytes;
    }

    /** Whether the checksum of the content is complete; otherwise the carrier adds the sum of TCP header and data. */
    public boolean summed() {
        return summed;
    }
}
