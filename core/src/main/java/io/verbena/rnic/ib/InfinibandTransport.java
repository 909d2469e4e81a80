package io.verbena.rnic.ib;

import io.verbena.ib.cm.CmRecord;
import io.verbena.ib.packet.SubnetView;
import io.verbena.objects.PostingRules;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftListener;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.Transport;
import io.verbena.rnic.context.AdapterLimits;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.rnic.datagram.Datagrams;
import io.verbena.rnic.ib.port.Framing;
import io.verbena.rnic.ib.port.SubnetFraming;
import io.verbena.rnic.ib.port.UdpFraming;
import io.verbena.rnic.ib.terms.ConnectionTerms;
import io.verbena.rnic.ib.terms.PortLimits;
import io.verbena.rnic.ib.terms.RequestData;
import io.verbena.text.AddressText;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.InfinibandOptions;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The InfiniBand transport over UDP (RoCEv2) or in a subnet, for one RNIC. It has one packet port, which belongs to the first engine.
 */
public final class InfinibandTransport implements Transport {

    private static final int EPHEMERAL_PORT = 49_152;

    /** Bytes of the memory in which a transport records its connections. */
    public static final int RECORD_BYTES = CmRecord.BYTES;

    private final TransportLimits limits;
    private final Function<InetSocketAddress, Framing> carrier;
    private final List<InetAddress> addresses;
    private final CmRecord record;
    private @Nullable InfinibandPort port;

    /**
     * A transport for one RNIC, whose {@link InfinibandOptions} it uses.
     *
     * @param address the IP address of the RNIC, a specific one, since the ICRC covers it
     */
    public InfinibandTransport(InetAddress address) {
        this(List.of(address));
    }

    /**
     * The same with further addresses, from and to which paths of connections lead.
     *
     * @param addresses the IP addresses of the RNIC, the first one of which peers connect to
     */
    public InfinibandTransport(List<InetAddress> addresses) {
        this(addresses, limits("roce", TransportType.ROCE_V2), UdpFraming::new, CmRecord.none());
    }

    /**
     * The same; its connections are recorded, and those that an earlier transport has left in the record are ended.
     *
     * @param record {@link #RECORD_BYTES} of memory that outlives the process, which {@link #fits}
     */
    public InfinibandTransport(List<InetAddress> addresses, MemorySegment record) {
        this(addresses, limits("roce", TransportType.ROCE_V2), UdpFraming::new, CmRecord.in(record));
    }

    /** Whether memory is empty or has a record of connections. */
    public static boolean fits(MemorySegment record) {
        return CmRecord.fits(record);
    }

    /**
     * A transport for one RNIC in a subnet of InfiniBand. Its packet port carries packets with LRH, ICRC and VCRC, and its addresses
     * are GIDs.
     *
     * @param gid the GID of its first port
     * @param adapter what its adapter can do
     */
    public static InfinibandTransport inSubnet(InetAddress gid, SubnetView subnet, AdapterLimits adapter) {
        return new InfinibandTransport(
                List.of(gid),
                limits("infiniband", TransportType.INFINIBAND).with(adapter),
                local -> new SubnetFraming(subnet),
                CmRecord.none());
    }

    private static TransportLimits limits(String provider, TransportType type) {
        return new TransportLimits(
                provider,
                type,
                Set.of(
                        TransportService.RELIABLE_CONNECTION,
                        TransportService.UNRELIABLE_CONNECTION,
                        TransportService.RELIABLE_DATAGRAM,
                        TransportService.UNRELIABLE_DATAGRAM,
                        TransportService.RAW_DATAGRAM),
                EnumSet.allOf(WorkOpcode.class),
                new TransportLimits.Connection(PortLimits.READS, RequestData.MOST_BYTES, Integer.SIZE));
    }

    private InfinibandTransport(
            List<InetAddress> addresses,
            TransportLimits limits,
            Function<InetSocketAddress, Framing> carrier,
            CmRecord record) {
        this.record = record;
        this.limits = limits;
        this.carrier = carrier;
        for (InetAddress address : addresses) {
            if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
                throw new IllegalArgumentException("the RNIC requires an IP address of its own, not "
                        + address.getHostAddress() + "; choose one of this host's");
            }
        }
        this.addresses = List.copyOf(addresses);
    }

    @Override
    public TransportLimits limits() {
        return limits;
    }

    @Override
    public void open(RnicContext context) throws IOException {
        if (port != null) {
            throw new IllegalStateException("a transport object serves one RNIC");
        }
        if (context.options().engines() != 1 && limits.type() != TransportType.ROCE_V2) {
            throw new IllegalArgumentException("An RNIC of the provider " + limits.provider() + " has one engine, not "
                    + context.options().engines() + ".");
        }
        port = new InfinibandPort(context, addresses, carrier, record);
    }

    @Override
    public boolean peersNotified() {
        return port == null || port.peersNotified();
    }

    @Override
    public boolean answersArrived() {
        return port == null || port.answersArrived();
    }

    private InfinibandPort port() {
        InfinibandPort open = port;
        if (open == null) {
            throw new IllegalStateException("the RNIC of the transport is not open");
        }
        return open;
    }

    @Override
    public void checkWork(WorkOpcode opcode, long lengthBytes, int elements) {
        PostingRules.atomicElement(opcode, lengthBytes, elements);
    }

    @Override
    public QueuePairEndpoint newEndpoint(SoftQueuePair queuePair) {
        return new InfinibandQueuePair(queuePair, port());
    }

    @Override
    public Optional<Datagrams> datagrams() {
        return Optional.of(new InfinibandDatagrams(port()));
    }

    @Override
    public SoftConnection connect(SoftQueuePair queuePair, SocketAddress remote, ConnectionOptions options) {
        TransportService service = queuePair.options().service();
        if (service != TransportService.RELIABLE_CONNECTION && service != TransportService.UNRELIABLE_CONNECTION) {
            throw new IllegalArgumentException("A queue pair with the service " + service
                    + " has no connection; move it to RTS with modify, and use lookUp, or connect the domain.");
        }
        ConnectionTerms terms = new ConnectionTerms(queuePair, options, port().limits(), RequestData.MOST_BYTES);
        SoftConnection connection = new SoftConnection(queuePair, remote);
        InfinibandQueuePair endpoint = InfinibandQueuePair.of(queuePair);
        endpoint.claim(connection, QueuePairEvent.CONNECT);
        ManagedConnection managed = new ManagedConnection(endpoint, connection, terms);
        Optional<InetSocketAddress> to = InfinibandPort.resolved(remote);
        if (to.isEmpty()) {
            endpoint.command(() -> managed.cannotDial(InfinibandPort.unresolved(remote)));
        } else if (options.localAddress().isPresent()
                && !has(options.localAddress().get())) {
            String sentence = "The RNIC has the address " + port().address().getHostAddress() + ", not "
                    + AddressText.of(options.localAddress().get()) + ". Open one with the device of that address.";
            endpoint.command(() -> managed.cannotDial(sentence));
        } else {
            InetSocketAddress local = local(queuePair, options);
            endpoint.command(() -> managed.dial(local, to.get()));
        }
        return connection;
    }

    /** Whether the RNIC has this local address. */
    private boolean has(SocketAddress local) {
        return InfinibandPort.resolved(local)
                .map(InetSocketAddress::getAddress)
                .filter(it -> it.isAnyLocalAddress() || it.equals(port().address()))
                .isPresent();
    }

    /** The address of this side; its port is only shown to the peer. */
    private InetSocketAddress local(SoftQueuePair queuePair, ConnectionOptions options) {
        int random = queuePair.rnicContext().environment().random().nextInt() >>> 18;
        int wanted = options.localAddress()
                .flatMap(InfinibandPort::resolved)
                .map(InetSocketAddress::getPort)
                .orElse(0);
        return new InetSocketAddress(port().address(), wanted == 0 ? EPHEMERAL_PORT | random : wanted);
    }

    @Override
    public SoftListener listen(RnicContext context, SocketAddress address, ListenOptions options) throws IOException {
        if (!(address instanceof InetSocketAddress internet)) {
            throw new IOException(
                    "Cannot listen at " + AddressText.of(address) + ": an IP address and a port are required.");
        }
        return InfinibandListener.open(context, port(), internet, options);
    }
}
