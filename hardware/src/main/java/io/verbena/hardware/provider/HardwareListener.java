package io.verbena.hardware.provider;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaCmId;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.notify.SerialRunner;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;

/** Requests for connections at one address. */
final class HardwareListener implements Listener {

    private final ConnectionManager manager;
    private final long id;
    private final ListenOptions options;
    private final SocketAddress local;
    private final WaitPoint arrived;
    private final SerialRunner runner;
    private final ArrayDeque<HardwareRequest> requests = new ArrayDeque<>();
    private volatile Optional<Runnable> ready = Optional.empty();
    private volatile boolean closed;

    HardwareListener(ConnectionManager manager, long id, ListenOptions options) {
        this.manager = manager;
        this.id = id;
        this.options = options;
        local = SocketAddressCodec.read(id + RdmaCmId.SRC_ADDR);
        arrived = manager.rnic().newWaitPoint();
        runner = manager.rnic().newRunner();
    }

    /** A request has arrived; the event loop calls this. */
    void onRequest(CmEvent event) {
        HardwareRequest request = new HardwareRequest(manager, event);
        boolean taken;
        synchronized (this) {
            taken = !closed && requests.size() < options.backlog();
            if (taken) {
                requests.addLast(request);
            }
        }
        if (!taken) {
            request.reject(new byte[0]);
            return;
        }
        arrived.signal();
        ready.ifPresent(runner::add);
    }

    @Override
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public Optional<ConnectionRequest> nextRequest(Duration timeout) {
        arrived.await(() -> closed || !isEmpty(), Times.nanos(timeout));
        synchronized (this) {
            return Optional.ofNullable(requests.pollFirst());
        }
    }

    private synchronized boolean isEmpty() {
        return requests.isEmpty();
    }

    @Override
    public void onReady(Runnable callback) {
        ready = Optional.of(callback);
        if (!isEmpty()) {
            runner.add(callback);
        }
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        arrived.signal();
        requests.forEach(HardwareRequest::rejectIfUnanswered);
        requests.clear();
        manager.destroy(id);
    }

    @Override
    public String toString() {
        return "listener at " + local + " (" + NativeFunction.LISTEN.symbol() + ")";
    }
}
