package io.verbena.tools.impair;

import io.verbena.port.Addresses;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.CmPath;
import io.verbena.wire.ib.CmReq;
import io.verbena.wire.ib.CmaHeader;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Gives RoCEv2 packets other addresses. The ICRC covers them, and requests for a connection contain them:
 *
 * <pre>
 *   | BTH | DETH | MAD, class 7 | REQ: paths with GIDs, private data with the header of rdma_cm | ICRC |
 * </pre>
 *
 * <p>A packet whose ICRC was wrong has a wrong one afterwards as well.
 */
final class RoceAddresses {

    private static final int CM_CLASS = 7;
    private static final int SEND = 3;
    private static final int REQ = 0x10;
    private static final int MANAGEMENT_QP = 1;
    private static final int PRIVATE_DATA = CmReq.LENGTH - CmReq.PRIVATE_DATA_BYTES;

    /** The header of rdma_cm has these in its first two bytes: version 0, and IPv4 or IPv6. */
    private static final int IPV4 = 4;

    private static final int IPV6 = 6;

    private final Icrc icrc = new Icrc();
    private final Icrc.Flow arrived = new Icrc.Flow();
    private final Icrc.Flow leaving = new Icrc.Flow();
    private final Bth bth = new Bth();
    private final MadHeader mad = new MadHeader();
    private final CmReq req = new CmReq();
    private final CmPath path = new CmPath();
    private final CmaHeader cma = new CmaHeader();
    private final InetAddress own;
    private final int rocePort;

    /** With the address to which both hosts send, and from which packets leave. */
    RoceAddresses(InetAddress own, int rocePort) {
        this.own = own;
        this.rocePort = rocePort;
    }

    /**
     * The ends of a packet.
     *
     * @param source host that sent it, with its source port
     * @param destination host that gets it, with its port
     * @param leavingPort source port with which it leaves
     */
    record Hosts(InetSocketAddress source, InetSocketAddress destination, int leavingPort) {}

    /** Changes a packet that came from one host so that it is valid for the other one. */
    void replace(byte[] packet, Hosts hosts) {
        int summed = packet.length - Icrc.LENGTH;
        if (summed < Bth.LENGTH || (packet.length & 3) != 0) {
            return; // no packet of InfiniBand
        }
        MemorySegment memory = MemorySegment.ofArray(packet);
        ByteBuffer bytes = ByteBuffer.wrap(packet);
        InetSocketAddress from = hosts.source();
        InetSocketAddress to = hosts.destination();
        arrived.source(high(from.getAddress()), low(from.getAddress()), from.getPort())
                .target(high(own), low(own), rocePort);
        int difference = Icrc.read(memory, summed) ^ icrc.compute(bytes, 0, summed, arrived, 0);
        // The system chooses the identification of IPv4, and a socket does not show it.
        boolean valid = difference == 0 || arrived.ipv4() && icrc.solve(summed, difference) != Icrc.NO_IDENTIFICATION;
        if (valid) {
            request(memory, summed, from.getAddress(), to.getAddress());
        }
        leaving.source(high(own), low(own), hosts.leavingPort())
                .target(high(to.getAddress()), low(to.getAddress()), to.getPort());
        int sum = icrc.compute(bytes, 0, summed, leaving, 0);
        Icrc.write(memory, summed, valid ? sum : sum ^ difference);
    }

    private void request(MemorySegment memory, int summed, InetAddress from, InetAddress to) {
        int at = IbOpcode.UD_SEND_ONLY.headerBytes();
        bth.wrap(memory, 0);
        if (bth.opcode() != IbOpcode.UD_SEND_ONLY
                || bth.destQp() != MANAGEMENT_QP
                || summed < at + MadHeader.LENGTH + CmReq.LENGTH) {
            return;
        }
        mad.wrap(memory, at);
        if (mad.mgmtClass() != CM_CLASS || mad.method() != SEND || mad.attributeId() != REQ) {
            return;
        }
        req.wrap(memory, at + MadHeader.LENGTH);
        replace(req.primary(path), from, to);
        replace(req.alternate(path), from, to);
        cma.wrap(memory, at + MadHeader.LENGTH + PRIVATE_DATA);
        if (cma.majorVersion() == 0 && (cma.ipVersion() == IPV4 || cma.ipVersion() == IPV6)) {
            boolean ipv4 = cma.ipVersion() == IPV4;
            if (ipv4 == own instanceof Inet4Address) {
                cma.source(inHeader(high(own), ipv4), inHeader(low(own), ipv4));
                cma.target(inHeader(high(to), ipv4), inHeader(low(to), ipv4));
            }
        }
    }

    /** The header of rdma_cm has IPv4 addresses in its last four bytes, without the prefix of a GID. */
    private static long inHeader(long word, boolean ipv4) {
        return ipv4 ? word & 0xffff_ffffL : word;
    }

    private void replace(CmPath described, InetAddress from, InetAddress to) {
        if (described.localGidHigh() == high(from) && described.localGidLow() == low(from)) {
            described.localGid(high(own), low(own));
        }
        if (described.remoteGidHigh() == high(own) && described.remoteGidLow() == low(own)) {
            described.remoteGid(high(to), low(to));
        }
    }

    private static long high(InetAddress address) {
        return Addresses.high(address);
    }

    private static long low(InetAddress address) {
        return Addresses.low(address);
    }
}
