package io.verbena.rnic.ib;

import io.verbena.ib.cm.CmRecord;
import io.verbena.rnic.PacketCarriage;
import io.verbena.rnic.PacketCarrier;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.ib.port.UdpFraming;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Carries the messages of connections as a reliable connection of the InfiniBand transport over UDP (RoCEv2), for one
 * RNIC. Connection management is not used: a stream has set the connection up, and tells each side what it must know.
 */
public final class RoceCarrier implements PacketCarrier {

    private final List<InetAddress> addresses;
    private final List<InfinibandPort> ports = new ArrayList<>();

    /**
     * @param addresses IP addresses of the RNIC, specific ones. A connection uses that of its stream, or else the first
     */
    public RoceCarrier(List<InetAddress> addresses) {
        this.addresses = List.copyOf(addresses);
    }

    @Override
    public void open(RnicContext context) throws IOException {
        for (InetAddress each : addresses) {
            ports.add(new InfinibandPort(context, List.of(each), UdpFraming::new, CmRecord.none()));
        }
    }

    @Override
    public Optional<PacketCarriage> prepare(QueuePairEndpoint endpoint, SocketAddress local) {
        return RcCarriage.prepare(port(local), endpoint).map(PacketCarriage.class::cast);
    }

    private InfinibandPort port(SocketAddress local) {
        return ports.stream()
                .filter(each -> local instanceof InetSocketAddress internet
                        && each.address().equals(internet.getAddress()))
                .findFirst()
                .orElseGet(ports::getFirst);
    }
}
