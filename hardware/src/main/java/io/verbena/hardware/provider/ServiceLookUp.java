package io.verbena.hardware.provider;

import io.verbena.base.Times;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmParameters;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.DatagramPeer;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** The look-up of a datagram service: a SIDR_REQ, and its SIDR_REP (InfiniBand architecture, volume 1, section 12.11). */
final class ServiceLookUp extends DatagramExchange {

    /** Private data that librdmacm leaves of a SIDR_REQ. */
    private static final int REQUEST_BYTES = 180;

    /** Status of a SIDR_REP (volume 1, table 127). */
    private static final int REJECTED_BY_PROGRAM = 2;

    private final InetSocketAddress service;
    private final ConnectionOptions options;

    ServiceLookUp(ConnectionManager manager, long id, InetSocketAddress service, ConnectionOptions options) {
        super(manager, id);
        this.service = service;
        this.options = options;
    }

    static DatagramPeer run(ConnectionManager manager, SocketAddress service, ConnectionOptions options)
            throws ConnectionException {
        AdapterFacts facts = manager.rnic().facts();
        if (facts.iwarp()) {
            throw new UnsupportedOperationException(
                    "The device " + facts.name() + " has no datagram services, because iWARP has connections only.");
        }
        if (options.privateData().length > REQUEST_BYTES) {
            throw new IllegalArgumentException("there can be at most " + REQUEST_BYTES
                    + " bytes of private data here, not " + options.privateData().length);
        }
        if (!(service instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            throw new ConnectionException(
                    ConnectionException.Kind.FAILED,
                    "The address " + service + " is no resolved IP address.",
                    new byte[0]);
        }
        ServiceLookUp lookUp = manager.withDatagramId(id -> new ServiceLookUp(manager, id, internet, options));
        try {
            return lookUp.peer();
        } finally {
            lookUp.end();
        }
    }

    private DatagramPeer peer() throws ConnectionException {
        begin(
                service,
                options.localAddress()
                        .filter(InetSocketAddress.class::isInstance)
                        .map(InetSocketAddress.class::cast),
                CmParameters.timeoutMs(options));
        CmEvent answer = await(
                Times.nanos(options.timeout()),
                subject() + " did not answer within " + Times.text(options.timeout()) + ".");
        CmEvent.Terms terms = answer.terms();
        return new DatagramPeer(
                HardwareAddressHandle.read(terms.address(), manager().rnic().facts()),
                terms.queuePairNumber(),
                terms.qkey(),
                answer.privateData());
    }

    @Override
    String subject() {
        return "The datagram service at " + service;
    }

    @Override
    void onAddress() {
        manager().libraries().call(NativeFunction.RESOLVE_ROUTE, id(), CmParameters.timeoutMs(options));
    }

    @Override
    void onRoute() {
        try (Arena arena = Arena.ofConfined()) {
            manager()
                    .libraries()
                    .call(NativeFunction.CONNECT, id(), CmParameters.datagrams(arena, options.privateData(), 0));
        }
    }

    /** The status is that of the SIDR_REP, or an errno, negative, if none came. */
    @Override
    void onRefused(CmEvent event) {
        if (event.status() < 0) {
            fail(ConnectionException.Kind.TIMED_OUT, subject() + " did not answer (status " + event.status() + ").");
        } else if (event.status() == REJECTED_BY_PROGRAM) {
            fail(
                    ConnectionException.Kind.REJECTED,
                    "The look-up was rejected at " + service + ".",
                    event.privateData());
        } else {
            fail(
                    ConnectionException.Kind.REFUSED,
                    "No datagram service listens at " + service + " (status " + event.status() + ").",
                    event.privateData());
        }
    }
}
