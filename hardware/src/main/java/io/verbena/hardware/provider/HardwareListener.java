package io.verbena.hardware.provider;

import io.verbena.base.Log;
import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.hardware.abi.cm.RdmaCmId;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmMember;
import io.verbena.hardware.provider.cm.CmParameters;
import io.verbena.notify.SerialRunner;
import io.verbena.objects.ConnectionRules;
import io.verbena.text.AddressText;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Requests for connections at one address, and for datagram services at the same port. The two have port spaces of their own, so that
 * librdmacm needs two ids.
 */
final class HardwareListener implements Listener, CmMember {

    private final ConnectionManager manager;
    private final long id;
    private final ListenOptions options;
    private final WaitPoint arrived;
    private final SerialRunner runner;
    private final ArrayDeque<HardwareRequest> requests = new ArrayDeque<>();
    private volatile SocketAddress local;
    private OptionalLong datagramId = OptionalLong.empty();
    private volatile Optional<Runnable> ready = Optional.empty();
    private volatile boolean closed;

    private HardwareListener(ConnectionManager manager, long id, ListenOptions options) {
        this.manager = manager;
        this.id = id;
        this.options = options;
        local = SocketAddressCodec.read(id + RdmaCmId.SRC_ADDR);
        arrived = manager.rnic().newWaitPoint();
        runner = manager.rnic().newRunner();
    }

    /** Begins to listen at an address. */
    static HardwareListener open(ConnectionManager manager, SocketAddress address, ListenOptions options)
            throws IOException {
        ConnectionRules.check(options);
        if (!(address instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            throw new IOException(
                    "Cannot listen at " + AddressText.of(address) + ": an IP address and a port are required.");
        }
        HardwareListener listener = manager.withConnectionId(id -> {
            HardwareListener hardwareListener = new HardwareListener(manager, id, options);
            long _ = hardwareListener.watch(id);
            return hardwareListener;
        });
        boolean listening = false;
        try {
            listener.listen(address);
            listening = true;
            return listener;
        } catch (CallFailedException e) {
            throw new IOException("The address " + address + " cannot be used: " + Errno.text(e.errno()) + ".", e);
        } finally {
            if (!listening) {
                listener.close();
            }
        }
    }

    private long watch(long newId) {
        manager.watch(newId, this);
        return newId;
    }

    /**
     * Listens for both. If another program has the port for datagram services, this listener is for connections only.
     *
     * @throws CallFailedException if the address cannot be used
     */
    private void listen(SocketAddress address) {
        bind(id, address);
        local = SocketAddressCodec.read(id + RdmaCmId.SRC_ADDR);
        manager.libraries().call(NativeFunction.LISTEN, id, options.backlog());
        if (!manager.rnic().facts().iwarp()) {
            listenForDatagrams();
        }
    }

    private void bind(long which, SocketAddress address) {
        try (Arena arena = Arena.ofConfined()) {
            manager.libraries().call(NativeFunction.BIND_ADDR, which, CmParameters.address(arena, address));
        }
    }

    private void listenForDatagrams() {
        long newId = manager.withDatagramId(this::watch);
        boolean listening = false;
        try {
            bind(newId, local);
            manager.libraries().call(NativeFunction.LISTEN, newId, options.backlog());
            listening = true;
        } catch (CallFailedException e) {
            Log.notice("The listener at " + local + " gets no requests for datagram services: " + Errno.text(e.errno())
                    + ".");
        } finally {
            if (listening) {
                keep(newId);
            } else {
                manager.destroy(newId);
            }
        }
    }

    private synchronized void keep(long newId) {
        datagramId = OptionalLong.of(newId);
    }

    @Override
    public Kind kind() {
        return Kind.LISTENER;
    }

    @Override
    public void end() {
        close();
    }

    @Override
    public void onEvent(CmEvent event) {
        if (event.type() != CmEvent.Type.CONNECT_REQUEST || event.listener() == id && manager.resumes(event)) {
            return;
        }
        HardwareRequest request =
                event.listener() == id ? new HardwareRequest(manager, event) : new LookUpRequest(manager, event);
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
        requests.forEach(HardwareRequest::end);
        requests.clear();
        manager.destroy(id);
        synchronized (this) {
            datagramId.ifPresent(manager::destroy);
        }
    }

    @Override
    public String toString() {
        return "listener at " + local + " (" + NativeFunction.LISTEN.symbol() + ")";
    }
}
