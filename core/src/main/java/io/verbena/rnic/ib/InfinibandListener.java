package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmReject;
import io.verbena.port.Addresses;
import io.verbena.rnic.SoftListener;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.ib.terms.RequestData;
import io.verbena.text.AddressText;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.PeerNetwork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A listening service of communication management: a port number of the RNIC's address. */
final class InfinibandListener extends SoftListener implements ManagementQueuePair.Service {

    private static final int FIRST_EPHEMERAL_PORT = 49_152;
    private static final int EPHEMERAL_PORTS = 65_536 - FIRST_EPHEMERAL_PORT;
    private static final int MOST_TRIES = 64;

    private final InfinibandPort port;
    private final InetSocketAddress address;

    /** Requests that the application has not decided on. Used by the engine only. */
    private final Set<UndecidedRequest> undecided = new LinkedHashSet<>();

    private final Patience patience = new Patience();
    private final long timeoutNs;

    private InfinibandListener(
            RnicContext context, InfinibandPort port, InetSocketAddress address, ListenOptions options) {
        super(context, options);
        this.port = port;
        this.address = address;
        timeoutNs = Times.nanos(options.startUpTimeout());
    }

    /** Rejects requests that the application does not decide on in time, oldest first. */
    private final class Patience extends Endpoint {

        void update() {
            engine().leave(this);
            if (!undecided.isEmpty()) {
                engine().join(this);
                engine().deadline(this, undecided.iterator().next().deadlineNs());
            }
        }

        @Override
        protected void onDeadline(long nowNs) {
            for (UndecidedRequest each : List.copyOf(undecided)) {
                if (Times.due(each.deadlineNs(), nowNs)) {
                    withdraw(each);
                    each.refuse("the application did not answer in time");
                }
            }
        }

        @Override
        protected void service(long nowNs) {}

        @Override
        protected void onBug(String sentence, long nowNs) {
            engine().leave(this);
        }

        @Override
        protected long stateDigest() {
            return undecided.size();
        }
    }

    /** Listens at an address of the RNIC; port 0 stands for any free one. */
    static InfinibandListener open(
            RnicContext context, InfinibandPort port, InetSocketAddress wanted, ListenOptions options)
            throws IOException {
        InetAddress ip = wanted.getAddress();
        if (ip == null || !ip.isAnyLocalAddress() && !ip.equals(port.address()) && !bothLoopback(ip, port.address())) {
            throw new IOException("Cannot assign requested address: the RNIC has the address "
                    + port.address().getHostAddress() + ", not " + AddressText.of(wanted) + ".");
        }
        if (wanted.getPort() != 0) {
            return at(wanted.getPort(), context, port, options)
                    .orElseThrow(() -> new IOException(
                            "Address already in use: the RNIC has a listener for port " + wanted.getPort() + "."));
        }
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            int number = FIRST_EPHEMERAL_PORT + context.environment().random().nextInt(EPHEMERAL_PORTS);
            Optional<InfinibandListener> created = at(number, context, port, options);
            if (created.isPresent()) {
                return created.get();
            }
        }
        throw new IOException("No free port was found for a listener of the RNIC; close some listeners.");
    }

    /** An RNIC at one of the loopback addresses stands for this host, whichever of them it has. */
    private static boolean bothLoopback(InetAddress wanted, InetAddress own) {
        return wanted.isLoopbackAddress() && own.isLoopbackAddress();
    }

    /** Empty if the port number is in use. */
    private static Optional<InfinibandListener> at(
            int number, RnicContext context, InfinibandPort port, ListenOptions options) {
        InetSocketAddress address = new InetSocketAddress(port.address(), number);
        InfinibandListener infinibandListener = new InfinibandListener(context, port, address, options);
        return port.management().listen(number, infinibandListener)
                ? Optional.of(infinibandListener)
                : Optional.empty();
    }

    @Override
    public SocketAddress localAddress() {
        return address;
    }

    @Override
    protected void stopAccepting() {
        port.management().stopListening(address.getPort());
    }

    @Override
    protected void endSetUps() {
        for (UndecidedRequest each : List.copyOf(undecided)) {
            if (!each.taken()) {
                each.refuse("the listener is closed");
            }
        }
    }

    // On the engine.

    @Override
    public void onRequested(int number, PacketPath from, CmOffer offer, long nowNs) {
        boolean forContext = offer.transportService() == CmOffer.RELIABLE_DATAGRAM;
        if (forContext && !port.reliableDatagrams()) {
            port.management().reject(number, CmReject.INVALID_TRANSPORT, new byte[0], nowNs);
            return;
        }
        if (offer.mtuCode() > port.limits().mtuCode()) {
            port.management().rejectMtu(number, port.limits().mtuCode(), nowNs);
            return;
        }
        InetSocketAddress remote = remote(from, offer.privateData());
        long deadlineNs = Times.after(nowNs, timeoutNs);
        CmRequest request = forContext
                ? new InfinibandContextRequest(this, number, from, offer, remote, deadlineNs)
                : new InfinibandConnectionRequest(this, number, from, offer, remote, deadlineNs);
        if (take(request, nowNs)) {
            port.management().attend(number, request);
        }
    }

    @Override
    public void onLookUp(int number, PacketPath from, byte[] field, long nowNs) {
        take(new InfinibandLookUp(this, number, remote(from, field), field, Times.after(nowNs, timeoutNs)), nowNs);
    }

    private static InetSocketAddress remote(PacketPath from, byte[] field) {
        return new InetSocketAddress(
                Addresses.address(from.addressHigh(), from.addressLow()), RequestData.sourcePort(field));
    }

    /** Offers a request to the application, or rejects it. */
    private boolean take(UndecidedRequest request, long nowNs) {
        undecided.add(request);
        patience.update();
        Optional<String> refusal = context()
                .violations()
                .refusal(PeerNetwork.of(request.remoteAddress()), nowNs)
                .or(() -> offer(request));
        refusal.ifPresent(request::refuse);
        return refusal.isEmpty();
    }

    InfinibandPort port() {
        return port;
    }

    /** The application has decided on a request, or the request has ended. */
    void forget(UndecidedRequest request) {
        undecided.remove(request);
        patience.update();
    }

    /** Rejects a thread that may not decide on requests, see {@link RnicEngine#checkCaller}. */
    void checkCaller() {
        engine().checkCaller();
    }

    /** Runs a step for a request on the engine. */
    void submit(Runnable step) {
        engine().submit(step);
    }

    long nowNs() {
        return engine().nowNs();
    }
}
