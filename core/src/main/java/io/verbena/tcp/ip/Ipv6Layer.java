package io.verbena.tcp.ip;

import io.verbena.base.PacketPath;
import io.verbena.tcp.connection.TcpConnection;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv6Extensions;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** IPv6 (RFC 8200). Fragments are dropped, and so are packets that this host must not process. */
public final class Ipv6Layer implements IpLayer {

    private static final int HOP_LIMIT = 64;

    private final IpAddress address;
    private final Icmpv6Input icmp;
    private final Ipv6Header in = new Ipv6Header();
    private final Ipv6Header out = new Ipv6Header();
    private final Ipv6Extensions extensions = new Ipv6Extensions();
    private long end;

    public Ipv6Layer(IpAddress address, Icmpv6Input icmp) {
        this.address = address;
        this.icmp = icmp;
    }

    @Override
    public int headerBytes() {
        return Ipv6Header.LENGTH;
    }

    @Override
    public boolean wrap(MemorySegment memory, long from, long to) {
        if (in.wrap(memory, from).check(to - from) != Ipv6Header.Check.OK) {
            return false;
        }
        end = from + Ipv6Header.LENGTH + in.payloadLength();
        // RFC 9293 section 3.9.2.3 [1, 2]: only from one host to this one.
        return in.destinationHigh() == address.high()
                && in.destinationLow() == address.low()
                && isUnicast(in.sourceHigh(), in.sourceLow())
                && extensions.walk(memory, in.nextHeader(), from + Ipv6Header.LENGTH, end)
                        == Ipv6Extensions.Outcome.CONTENT;
    }

    /** RFC 4291 sections 2.5.2, 2.5.3 and 2.7; mapped IPv4 addresses do not occur in packets. */
    private static boolean isUnicast(long high, long low) {
        boolean special = high == 0 && (low == 0 || low == 1) || PacketPath.ipv4(high, low);
        return !special && !Ipv6Header.isMulticast(high);
    }

    @Override
    public int protocol() {
        return extensions.protocol();
    }

    @Override
    public long content() {
        return extensions.content();
    }

    @Override
    public long end() {
        return end;
    }

    @Override
    public long sourceHigh() {
        return in.sourceHigh();
    }

    @Override
    public long sourceLow() {
        return in.sourceLow();
    }

    @Override
    public int trafficClass() {
        return in.trafficClass();
    }

    @Override
    public long pseudoHeader() {
        return in.pseudoHeader(protocol(), (int) (end - content()));
    }

    @Override
    public boolean isIcmp(int protocol) {
        return protocol == Ipv6Header.ICMP;
    }

    @Override
    public @Nullable TcpConnection onIcmp(MemorySegment memory) {
        return icmp.onMessage(memory, this);
    }

    @Override
    public void write(MemorySegment memory, long at, FlowKey flow, int protocol, int contentBytes, int trafficClass) {
        IpAddress to = flow.remote();
        out.wrap(memory, at)
                .write(contentBytes, protocol, HOP_LIMIT, trafficClass)
                .source(flow.local().high(), flow.local().low())
                .destination(to.high(), to.low());
    }

    @Override
    public long pseudoHeader(FlowKey flow, int contentBytes) {
        IpAddress from = flow.local();
        IpAddress to = flow.remote();
        return InternetChecksum.pseudoHeader(
                from.high(), from.low(), to.high(), to.low(), Ipv6Header.TCP, contentBytes);
    }

    IpAddress address() {
        return address;
    }
}
