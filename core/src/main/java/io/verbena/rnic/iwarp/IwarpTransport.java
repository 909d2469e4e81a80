package io.verbena.rnic.iwarp;

import io.verbena.iwarp.startup.StartUpOptions;
import io.verbena.objects.PostingRules;
import io.verbena.port.ByteStream;
import io.verbena.rnic.PacketCarrier;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftListener;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.Transport;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** iWARP over byte streams (RFC 5040, 5041, 5044, 6581, 7306), whatever carries them. */
public final class IwarpTransport implements Transport {

    private static final int READS = 256;
    private static final int PRIVATE_DATA_BYTES = 508;
    private final TransportLimits limits;
    private final Survivors survivors;

    /** Over TCP. */
    public IwarpTransport() {
        this("iwarp", TransportType.IWARP);
    }

    /** Over streams of another kind, under the name of its provider. */
    public IwarpTransport(String provider, TransportType type) {
        this(provider, type, Optional.empty());
    }

    /**
     * Over TCP, under the name of its provider; packets carry the messages of connections that survive, as long as
     * they arrive.
     */
    public IwarpTransport(String provider, PacketCarrier packets) {
        this(provider, TransportType.IWARP, Optional.of(packets));
    }

    private IwarpTransport(String provider, TransportType type, Optional<PacketCarrier> packets) {
        survivors = new Survivors(packets);
        limits = new TransportLimits(
                provider,
                type,
                Set.of(TransportService.RELIABLE_CONNECTION),
                EnumSet.allOf(WorkOpcode.class),
                new TransportLimits.Connection(READS, PRIVATE_DATA_BYTES, Long.SIZE));
    }

    @Override
    public TransportLimits limits() {
        return limits;
    }

    @Override
    public void open(RnicContext context) throws IOException {
        if (survivors.carrier().isPresent()) {
            survivors.carrier().get().open(context);
        }
    }

    @Override
    public void checkWork(WorkOpcode opcode, long lengthBytes, int elements) {
        if (opcode == WorkOpcode.SEND_WITH_IMMEDIATE && lengthBytes > 0) {
            // RFC 7306 section 6: immediate data is a separate message without payload.
            throw new UnsupportedOperationException("On iWARP a Send with immediate data has no payload"
                    + " (RFC 7306); post a Send and then an empty Send with immediate,"
                    + " or a Write with immediate.");
        }
        PostingRules.atomicElement(opcode, lengthBytes, elements);
    }

    @Override
    public QueuePairEndpoint newEndpoint(SoftQueuePair queuePair) {
        return new IwarpQueuePair(queuePair, survivors);
    }

    @Override
    public SoftConnection connect(SoftQueuePair queuePair, SocketAddress remote, ConnectionOptions options) {
        StartUpOptions startUp = ConnectionSetUp.initiator(
                options, queuePair.options(), queuePair.rnicContext().options());
        SurvivalTerms survival = SurvivalTerms.of(options, Optional.of(remote), Optional.empty(), survivors);
        SoftConnection connection = new SoftConnection(queuePair, remote);
        IwarpQueuePair endpoint = IwarpQueuePair.of(queuePair);
        endpoint.claim(connection, ConnectionEvent.CONNECT);
        ConnectionSetUp setUp = new ConnectionSetUp(endpoint, connection, startUp, options, survival);
        endpoint.command(() -> DialStage.start(setUp, options.localAddress(), remote));
        return connection;
    }

    @Override
    public SoftListener listen(RnicContext context, SocketAddress address, ListenOptions options) throws IOException {
        return new IwarpListener(context, address, options, survivors);
    }

    /**
     * Converts a stream to RDMA mode. The engines of the RNIC must be able to drive the stream, and it must not be
     * attached to an engine.
     *
     * @param rejected returns the stream when the conversion is rejected
     */
    public static Connection takeOver(
            SoftQueuePair queuePair, ByteStream stream, StreamConversion conversion, StreamReturn rejected) {
        queuePair.rnicContext().checkOpen();
        return Conversion.begin(IwarpQueuePair.of(queuePair), stream, conversion, rejected);
    }
}
