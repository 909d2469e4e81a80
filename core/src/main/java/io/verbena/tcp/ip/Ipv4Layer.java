package io.verbena.tcp.ip;

import io.verbena.tcp.connection.TcpConnection;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** IPv4 (RFC 791). Fragments are dropped. */
public final class Ipv4Layer implements IpLayer {

    private static final int TTL = 64;

    private final int address;
    private final IcmpInput icmp;
    private final Ipv4Header in = new Ipv4Header();
    private final Ipv4Header out = new Ipv4Header();
    private int identification;
    private long from;

    /** The layer of a host; {@code identification} is unpredictable. */
    public Ipv4Layer(int address, IcmpInput icmp, int identification) {
        this.address = address;
        this.icmp = icmp;
        this.identification = identification;
    }

    @Override
    public int headerBytes() {
        return Ipv4Header.LENGTH;
    }

    @Override
    public boolean wrap(MemorySegment memory, long newFrom, long to) {
        from = newFrom;
        // RFC 9293 section 3.9.2.3 [1, 2]: segments for or from a broadcast or multicast address are dropped without an
        // answer.
        return in.wrap(memory, from).check((int) (to - from)) == Ipv4Header.Check.OK
                && in.destination() == address
                && isUnicast(in.source());
    }

    private static boolean isUnicast(int source) {
        int first = source >>> 24;
        return first != 0 && first < 224;
    }

    @Override
    public int protocol() {
        return in.protocol();
    }

    @Override
    public long content() {
        return from + in.headerBytes();
    }

    @Override
    public long end() {
        return from + in.totalLength();
    }

    @Override
    public long sourceHigh() {
        return 0;
    }

    @Override
    public long sourceLow() {
        return IpAddress.mapped(in.source());
    }

    @Override
    public int trafficClass() {
        return in.typeOfService();
    }

    @Override
    public long pseudoHeader() {
        int length = in.totalLength() - in.headerBytes();
        return InternetChecksum.pseudoHeader(in.source(), address, in.protocol(), length);
    }

    @Override
    public boolean isIcmp(int protocol) {
        return protocol == Ipv4Header.ICMP;
    }

    @Override
    public @Nullable TcpConnection onIcmp(MemorySegment memory) {
        return icmp.onMessage(memory, content(), end(), in.source(), address);
    }

    @Override
    public void write(MemorySegment memory, long at, FlowKey flow, int protocol, int contentBytes, int trafficClass) {
        out.wrap(memory, at)
                .write(Ipv4Header.LENGTH + contentBytes, identification++ & 0xffff, protocol, TTL)
                .typeOfService(trafficClass)
                .addresses(flow.local().ipv4(), flow.remote().ipv4());
    }

    @Override
    public long pseudoHeader(FlowKey flow, int contentBytes) {
        return InternetChecksum.pseudoHeader(flow.local().ipv4(), flow.remote().ipv4(), Ipv4Header.TCP, contentBytes);
    }
}
