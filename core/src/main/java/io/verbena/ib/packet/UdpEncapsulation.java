package io.verbena.ib.packet;

import io.verbena.base.PacketPath;
import io.verbena.base.Slab;
import io.verbena.wire.ib.Icrc;
import java.util.function.IntUnaryOperator;

/**
 * RoCEv2: the packet is the payload of a UDP datagram. The ICRC covers the IPv4 identification, which the system
 * chooses: 0 for a single packet with "don't fragment", and the index in the group for packets that one call sends
 * (UDP_SEGMENT numbers them from 0 on an unconnected socket). Source: annex A17 of the InfiniBand architecture
 * specification.
 */
public final class UdpEncapsulation implements Encapsulation {

    private final Icrc icrc = new Icrc();
    private final Icrc.Flow flow = new Icrc.Flow();
    private final long localHigh;
    private final long localLow;
    private final int localPort;
    private final IntUnaryOperator sourcePorts;

    /** The path of the last packet. */
    private int entropy;

    /** The encapsulation of a port with this address, in two words, and UDP port number. */
    public UdpEncapsulation(long localHigh, long localLow, int localPort) {
        this(localHigh, localLow, localPort, path -> 0);
    }

    /**
     * The encapsulation of a port that has several source ports.
     *
     * @param sourcePorts the source port of packets by the entropy of their path; 0 for the local port
     */
    public UdpEncapsulation(long localHigh, long localLow, int localPort, IntUnaryOperator sourcePorts) {
        this.localHigh = localHigh;
        this.localLow = localLow;
        this.localPort = localPort;
        this.sourcePorts = sourcePorts;
        flow.source(localHigh, localLow, localPort);
    }

    @Override
    public int headerBytes(PacketPath path) {
        return 0;
    }

    @Override
    public int trailerBytes() {
        return Icrc.LENGTH;
    }

    @Override
    public void complete(Slab slab, int offset, int lengthBytes, PacketPath path, int index) {
        int summed = lengthBytes - Icrc.LENGTH;
        if (path.entropy() != entropy) {
            entropy = path.entropy();
            int port = entropy == 0 ? 0 : sourcePorts.applyAsInt(entropy);
            flow.source(localHigh, localLow, port == 0 ? localPort : port);
        }
        flow.target(path.addressHigh(), path.addressLow(), path.port());
        int sum = icrc.compute(slab.range(0, slab.capacity()), offset, summed, flow, index);
        Icrc.write(slab.segment(), offset + summed, sum);
    }
}
