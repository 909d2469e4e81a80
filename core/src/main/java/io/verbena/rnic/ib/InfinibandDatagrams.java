package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.ib.cm.CmListener;
import io.verbena.ib.cm.CmSignal;
import io.verbena.rnic.context.DataWaits;
import io.verbena.rnic.datagram.Datagrams;
import io.verbena.rnic.datagram.SoftDatagramDomain;
import io.verbena.rnic.ib.terms.PaddedData;
import io.verbena.rnic.ib.terms.RequestData;
import io.verbena.text.AddressText;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.DatagramPeer;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/** The datagram services of a port: destinations, and the resolution of services by SIDR. Any thread. */
final class InfinibandDatagrams implements Datagrams {

    private static final int DONE = 0;
    private static final int NO_ANSWER = -1;
    private static final int REJECTED = 2;

    private final InfinibandPort port;

    InfinibandDatagrams(InfinibandPort port) {
        this.port = port;
    }

    @Override
    public int addDestination(AddressHandleAttributes attributes) {
        return port.addressHandles().add(port.path(attributes));
    }

    @Override
    public void releaseDestination(int number) {
        port.addressHandles().release(number);
    }

    @Override
    public SoftDatagramDomain newDomain() {
        InfinibandDatagramDomain infinibandDatagramDomain = new InfinibandDatagramDomain(port);
        port.acceptContexts();
        return infinibandDatagramDomain;
    }

    @Override
    public DatagramPeer lookUp(SocketAddress service, ConnectionOptions options) throws ConnectionException {
        InetSocketAddress to = InfinibandPort.resolved(service)
                .orElseThrow(
                        () -> new ConnectionException(Kind.FAILED, InfinibandPort.unresolved(service), new byte[0]));
        int most = RequestData.LOOK_UP_BYTES;
        if (options.privateData().length > most) {
            throw new IllegalArgumentException("there can be at most " + most + " bytes of private data here, not "
                    + options.privateData().length);
        }
        PacketPath path = port.path(
                to, options.trafficClass().orElse(port.limits().options().trafficClass()));
        byte[] field = RequestData.lookUp(new InetSocketAddress(port.address(), 0), path, options.privateData());
        AtomicReference<Optional<CmSignal.Resolved>> answer = new AtomicReference<>(Optional.empty());
        DataWaits waits = port.context().waits();
        WaitPoint answered = waits.newPoint();
        port.submit(() -> port.management().resolve(CmListener.udpService(to.getPort()), field, path, signal -> {
            answer.set(Optional.of(signal));
            answered.signal();
        }));
        // The management of a failed engine answers nothing.
        BooleanSupplier over = () -> waits.ended() || port.engine().failed();
        answered.await(() -> answer.get().isPresent() || over.getAsBoolean(), Times.nanos(options.timeout()));
        if (answer.get().isEmpty() && over.getAsBoolean()) {
            throw new ConnectionException(
                    Kind.FAILED,
                    "The RNIC at " + AddressText.of(to) + " did not answer before this RNIC was closed or has failed.",
                    new byte[0]);
        }
        return peer(to, options, answer.get());
    }

    private static DatagramPeer peer(
            InetSocketAddress service, ConnectionOptions options, Optional<CmSignal.Resolved> answer)
            throws ConnectionException {
        String where = AddressText.of(service);
        int status = answer.map(CmSignal.Resolved::status).orElse(NO_ANSWER);
        byte[] data = answer.map(it -> PaddedData.data(it.privateData())).orElseGet(() -> new byte[0]);
        if (status == DONE) {
            AddressHandleAttributes to = AddressHandleAttributes.to(service.getAddress());
            CmSignal.Resolved found = answer.orElseThrow();
            return new DatagramPeer(to, found.queuePair(), found.qKey(), data);
        }
        throw switch (status) {
            case NO_ANSWER ->
                new ConnectionException(
                        Kind.TIMED_OUT,
                        "The RNIC at " + where + " did not answer within " + Times.text(options.timeout()) + ".",
                        data);
            case REJECTED -> new ConnectionException(Kind.REJECTED, "The look-up was rejected at " + where + ".", data);
            default -> new ConnectionException(Kind.REFUSED, "No datagram service listens at " + where + ".", data);
        };
    }
}
