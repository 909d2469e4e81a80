package io.verbena.rnic.ib;

import io.verbena.base.Digest;
import io.verbena.base.Log;
import io.verbena.base.PacketPath;
import io.verbena.base.PeerDeadline;
import io.verbena.base.Times;
import io.verbena.engine.RnicEngine;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmListener;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmReject;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.rd.RdContext;
import io.verbena.ib.settings.RdSettings;
import io.verbena.rnic.ib.port.ContextEndpoint;
import io.verbena.rnic.ib.port.PortWait;
import io.verbena.rnic.ib.terms.PaddedData;
import io.verbena.rnic.ib.terms.RdTerms;
import io.verbena.rnic.ib.terms.RequestData;
import io.verbena.text.AddressText;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionState;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An end-to-end context on the engine of its port: sets it up by connection management, serves its protocol, and ends it.
 */
final class RdEndpoint extends ContextEndpoint implements CmParty {

    private static final int NO_NUMBER = 0;

    private final InfinibandContext shown;
    private final InfinibandDatagramDomain domain;
    private final InfinibandPort port;
    private final RnicEngine engine;
    private final RdTerms terms;
    private final PortWait wait = new PortWait(this);
    private final long timeoutNs;
    private final PeerDeadline deadline;
    private @Nullable RdContext protocol;
    private int management = NO_NUMBER;
    private boolean over;

    RdEndpoint(InfinibandContext shown, InfinibandDatagramDomain domain, RdTerms terms) {
        this.shown = shown;
        this.domain = domain;
        this.terms = terms;
        port = domain.port();
        engine = domain.engine();
        timeoutNs = terms.timeoutNs();
        deadline = new PeerDeadline(timeoutNs, engine.nowNs());
    }

    @Override
    public int number() {
        return shown.number();
    }

    InfinibandDatagramDomain domain() {
        return domain;
    }

    // Set-up.

    private InetSocketAddress remote() {
        return (InetSocketAddress) shown.remoteAddress();
    }

    /** Whether the set-up begins; otherwise the context has ended. */
    private boolean begin() {
        if (over) {
            return false;
        }
        if (!port.fault().isEmpty()) {
            end(Kind.FAILED, port.fault());
            return false;
        }
        engine.join(this);
        engine.deadline(this, deadline.nextNs());
        return true;
    }

    /** Sends the request. */
    void dial() {
        SocketAddress named = shown.remoteAddress();
        if (InfinibandPort.resolved(named).isEmpty()) {
            end(Kind.FAILED, InfinibandPort.unresolved(named));
        } else if (begin()) {
            request();
        }
    }

    private void request() {
        PacketPath path = port.path(remote(), terms.trafficClass());
        byte[] field =
                RequestData.of(new InetSocketAddress(port.address(), 0), path, terms.privateData(), terms.offers());
        CmOffer offer = terms.offer(CmListener.tcpService(remote().getPort()), field);
        management = port.management().connect(offer, path, this, engine.nowNs());
    }

    /** Accepts a request of the peer. */
    void accept(int request, CmOffer offer, PacketPath from) {
        if (!begin()) {
            port.management().reject(request, CmReject.CONSUMER, new byte[0], engine.nowNs());
            return;
        }
        management = request;
        shown.peersData(RequestData.data(offer.privateData()));
        start(terms.agreed(offer), from);
        if (!port.management().accept(request, terms.answer(), this, engine.nowNs())) {
            management = NO_NUMBER;
            end(Kind.FAILED, "The peer withdrew its request before it was accepted.");
        }
    }

    @Override
    public void onReplied(CmAnswer answer, long nowNs) {
        shown.peersData(PaddedData.data(answer.privateData()));
        start(terms.agreed(answer), port.path(remote(), terms.trafficClass()));
        port.management().ready(management, nowNs);
    }

    private void start(RdSettings agreed, PacketPath to) {
        PacketPath path = new PacketPath(to.addressHigh(), to.addressLow(), to.port(), terms.trafficClass());
        RdContext rdContext = new RdContext(agreed, domain.protocol(), path);
        rdContext.onWork(() -> engine.ready(this));
        protocol = rdContext;
        port.contexts().put(this);
    }

    @Override
    public void onEstablished(long nowNs) {
        if (!over) {
            shown.established(new InetSocketAddress(port.address(), 0), remote());
            engine.ready(this);
        }
    }

    @Override
    public void onRejected(int reason, byte[] privateData) {
        management = NO_NUMBER;
        String where = AddressText.of(remote());
        if (reason == CmReject.CONSUMER.code()) {
            shown.peersData(PaddedData.data(privateData));
            end(Kind.REJECTED, "The application at " + where + " rejected the context.");
        } else if (reason == CmReject.INVALID_SERVICE_ID.code()) {
            end(Kind.REFUSED, "Nothing listens at " + where + ".");
        } else if (reason == CmReject.INVALID_TRANSPORT.code()) {
            end(Kind.REFUSED, "The RNIC at " + where + " has no reliable datagram domain.");
        } else if (CmReject.givenUp(reason)) {
            end(Kind.FAILED, "The context was not established: the peer at " + where + " has given it up.");
        } else {
            end(
                    Kind.FAILED,
                    "The RNIC at " + where + " refused the context with reason " + reason
                            + " of connection management.");
        }
    }

    @Override
    public void onSmallerMtu(int mtuCode) {
        if (!over && terms.reduceMtu(mtuCode)) {
            request();
        } else {
            onRejected(CmReject.INVALID_MTU.code(), new byte[0]);
        }
    }

    @Override
    public void onTimedOut() {
        management = NO_NUMBER;
        end(
                Kind.TIMED_OUT,
                "The peer at " + AddressText.of(remote()) + " did not answer the messages of connection management.");
    }

    @Override
    public void onUnreachable() {
        management = NO_NUMBER;
        end(
                Kind.REFUSED,
                "Nothing listens at " + AddressText.of(remote()) + ": no RNIC has this IP address and UDP port.");
    }

    // Packets.

    @Override
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        RdContext currentProtocol = protocol;
        if (currentProtocol != null && !over) {
            if (shown.state() == ConnectionState.CONNECTING
                    && packet.opcode().request()
                    && currentProtocol.knows(origin)) {
                port.management().dataCame(management, nowNs);
            }
            currentProtocol.onPacket(packet, segment, origin, nowNs);
            engine.ready(this);
        }
    }

    @Override
    protected void service(long nowNs) {
        RdContext currentProtocol = protocol;
        if (currentProtocol == null || port.sender(engine).defers(wait)) {
            return;
        }
        if (currentProtocol.suspended()) {
            currentProtocol.resume();
        }
        if (currentProtocol.hasTransmitWork(nowNs)) {
            port.sender(engine).transmit(currentProtocol, nowNs);
        }
        if (currentProtocol.failed() && !over) {
            end(
                    Kind.FAILED,
                    "The peer at " + AddressText.of(remote())
                            + " does not answer. Its process, its machine or the path has failed.");
        }
        reportEvents(currentProtocol);
        if (currentProtocol.suspended()) {
            engine.awaitMemory(this);
        } else if (currentProtocol.hasTransmitWork(nowNs)) {
            engine.ready(this);
        }
        setDeadline(currentProtocol);
    }

    private void setDeadline(@Nullable RdContext context) {
        boolean settingUp = shown.state() == ConnectionState.CONNECTING;
        long protocolNs = context == null ? Times.NEVER : context.nextDeadlineNs();
        engine.deadline(this, settingUp ? Times.earlier(deadline.nextNs(), protocolNs) : protocolNs);
    }

    private void reportEvents(RdContext context) {
        for (Optional<AsyncEventType> each = context.pollEvent(); each.isPresent(); each = context.pollEvent()) {
            domain.context().events().raise(each.get(), shown, "The context reported " + each.get() + ".");
        }
    }

    @Override
    protected void onDeadline(long nowNs) {
        boolean settingUp = shown.state() == ConnectionState.CONNECTING;
        if (settingUp && deadline.passed(nowNs)) {
            end(
                    Kind.TIMED_OUT,
                    "The context with " + AddressText.of(remote()) + " was not established within "
                            + Times.text(Duration.ofNanos(timeoutNs)) + ".");
        }
        RdContext currentProtocol = protocol;
        if (currentProtocol != null) {
            currentProtocol.onDeadline(nowNs);
        } else if (settingUp && !over) {
            setDeadline(currentProtocol);
        }
    }

    // The end.

    /** The application closes the context. */
    void leave() {
        boolean answered = protocol != null; // a request that is withdrawn is not answered
        endProtocol();
        removeProtocol();
        if (over) {
            engine.leave(this);
            return;
        }
        over = true;
        shown.closing();
        if (management != NO_NUMBER) {
            port.management().disconnect(management, engine.nowNs());
        }
        if (!answered || management == NO_NUMBER) {
            port.management().forget(management);
            closed();
        }
    }

    private void closed() {
        shown.closed("The context was closed.");
        engine.leave(this);
    }

    @Override
    public void onDisconnected() {
        management = NO_NUMBER;
        if (over) {
            closed();
        } else {
            end(Kind.FAILED, "The peer closed the context.");
        }
    }

    /** Ends the context: work that names it fails, now and later. */
    private void end(Kind kind, String sentence) {
        if (over) {
            return;
        }
        over = true;
        boolean established = shown.state() == ConnectionState.ESTABLISHED;
        endProtocol();
        if (management != NO_NUMBER) {
            port.management().forget(management);
            port.management().disconnect(management, engine.nowNs());
            management = NO_NUMBER;
        }
        shown.failed(kind, sentence);
        if (established) {
            domain.context().events().raise(AsyncEventType.CONNECTION_LOST, shown, sentence);
        } else {
            engine.leave(this);
        }
    }

    private void endProtocol() {
        RdContext currentProtocol = protocol;
        if (currentProtocol != null) {
            currentProtocol.end(CompletionStatus.CONNECTION_LOST);
        }
    }

    /** The application has closed the context: work that names it is refused. */
    private void removeProtocol() {
        RdContext currentProtocol = protocol;
        if (currentProtocol != null) {
            protocol = null;
            port.contexts().remove(this);
            domain.protocol().remove(currentProtocol);
        }
    }

    /** The port has failed, or the RNIC is closed. */
    @Override
    public void fail(String sentence) {
        end(Kind.FAILED, sentence);
        removeProtocol();
        shown.closed(sentence);
        engine.leave(this);
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        try {
            fail(sentence);
        } catch (Throwable e) {
            Log.bug("ending an end-to-end context", e);
            over = true;
            protocol = null;
            port.contexts().remove(this);
            shown.failed(Kind.FAILED, sentence);
            engine.leave(this);
        }
    }

    @Override
    protected long stateDigest() {
        RdContext currentProtocol = protocol;
        return Digest.mix(shown.number(), currentProtocol == null ? 0 : currentProtocol.stateDigest());
    }
}
