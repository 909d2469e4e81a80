package io.verbena.hardware.provider;

import io.verbena.base.WaitPoint;
import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmMember;
import io.verbena.hardware.provider.cm.CmParameters;
import io.verbena.hardware.provider.cm.SharedId;
import io.verbena.verbs.ConnectionException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * An exchange of the connection manager about datagrams, with an rdma_cm_id of its own. It has one answer, for which a thread waits: an
 * event of the id, or a failure.
 *
 * <pre>
 *   look-up:  resolve address, resolve route, rdma_connect          ESTABLISHED, or UNREACHABLE with the status of the SIDR_REP
 *   group:    resolve address, rdma_join_multicast, attach          MULTICAST_JOIN, or MULTICAST_ERROR
 * </pre>
 */
abstract class DatagramExchange implements CmMember {

    /** Why there is no answer. */
    private record Failure(ConnectionException.Kind kind, String sentence, byte[] privateData) {}

    private final ConnectionManager manager;
    private final long id;
    private final SharedId shared;
    private final WaitPoint changed;
    private Optional<CmEvent> answer = Optional.empty();
    private Optional<Failure> failure = Optional.empty();

    DatagramExchange(ConnectionManager manager, long id) {
        this.manager = manager;
        this.id = id;
        shared = new SharedId(id, this::release);
        changed = manager.rnic().newWaitPoint();
        manager.watch(id, this);
    }

    // What the kinds of exchanges do.

    /** What the exchange is for, as the beginning of a sentence. */
    abstract String subject();

    /** The id belongs to the adapter: the next call. */
    abstract void onAddress();

    /** The route is known: the next call. */
    void onRoute() {}

    /** The peer, or the network, refuses. */
    abstract void onRefused(CmEvent event);

    // For them.

    final ConnectionManager manager() {
        return manager;
    }

    final long id() {
        return id;
    }

    /** Resolves the address of the peer or the group, which begins the exchange. */
    final void begin(InetSocketAddress to, Optional<InetSocketAddress> source, int timeoutMs) {
        shared.use(() -> step(() -> {
            try (Arena arena = Arena.ofConfined()) {
                long from =
                        source.map(each -> CmParameters.address(arena, each)).orElse(0L);
                manager.libraries()
                        .call(NativeFunction.RESOLVE_ADDR, id, from, CmParameters.address(arena, to), timeoutMs);
            }
        }));
    }

    @Override
    public final Kind kind() {
        return Kind.EXCHANGE;
    }

    @Override
    public final void onEvent(CmEvent event) {
        shared.use(() -> step(() -> handle(event)));
    }

    private void handle(CmEvent event) {
        switch (event.type()) {
            case ADDR_RESOLVED -> {
                Optional<String> elsewhere = manager.elsewhere(id);
                elsewhere.ifPresentOrElse(sentence -> fail(ConnectionException.Kind.FAILED, sentence), this::onAddress);
            }
            case ROUTE_RESOLVED -> onRoute();
            case ESTABLISHED, MULTICAST_JOIN -> onAnswer(event);
            case ADDR_ERROR, ROUTE_ERROR ->
                fail(
                        ConnectionException.Kind.TIMED_OUT,
                        subject() + " was not reached (" + event.type() + ", status " + event.status() + ").");
            case CONNECT_ERROR, UNREACHABLE, REJECTED, MULTICAST_ERROR -> onRefused(event);
            case DEVICE_REMOVAL -> fail(ConnectionException.Kind.FAILED, "The adapter was removed.");
            default -> {}
        }
    }

    /** The answer; the event loop calls this. */
    void onAnswer(CmEvent event) {
        synchronized (this) {
            answer = Optional.of(event);
        }
        changed.signal();
    }

    /** A step whose failure ends the exchange. */
    private void step(Runnable work) {
        try {
            work.run();
        } catch (CallFailedException e) {
            fail(ConnectionException.Kind.FAILED, subject() + " was not reached: " + Errno.text(e.errno()) + ".");
        }
    }

    final void fail(ConnectionException.Kind kind, String sentence) {
        fail(kind, sentence, new byte[0]);
    }

    /** Ends the exchange, which may have an answer: a membership can be lost later. The first failure counts. */
    final void fail(ConnectionException.Kind kind, String sentence, byte[] privateData) {
        synchronized (this) {
            if (failure.isEmpty()) {
                failure = Optional.of(new Failure(kind, sentence, privateData));
            }
        }
        changed.signal();
    }

    private synchronized boolean over() {
        return answer.isPresent() || failure.isPresent();
    }

    /** Waits for the answer. */
    final CmEvent await(long timeoutNs, String late) throws ConnectionException {
        if (!changed.await(this::over, timeoutNs)) {
            throw new ConnectionException(ConnectionException.Kind.TIMED_OUT, late, new byte[0]);
        }
        synchronized (this) {
            if (failure.isPresent()) {
                Failure why = failure.get();
                throw new ConnectionException(why.kind(), why.sentence(), why.privateData());
            }
            return answer.orElseThrow();
        }
    }

    final synchronized boolean failed() {
        return failure.isPresent();
    }

    /** Ends the exchange. Its thread, if one waits, has no answer. */
    @Override
    public void end() {
        fail(ConnectionException.Kind.FAILED, subject() + " had not answered when this side was closed.");
        manager.unwatch(id, this);
        shared.end();
    }

    /** Destroys the id; no thread uses it any more. */
    void release() {
        manager.destroy(id);
    }
}
