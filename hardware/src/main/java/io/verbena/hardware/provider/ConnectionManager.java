package io.verbena.hardware.provider;

import io.verbena.base.Times;
import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvContext;
import io.verbena.hardware.abi.IbvDevice;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaCmId;
import io.verbena.hardware.abi.RdmaConnParam;
import io.verbena.hardware.abi.RdmaEventChannel;
import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.objects.ConnectionRules;
import io.verbena.text.AddressText;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ListenOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Connections by librdmacm: one event channel for the RNIC, whose events go to the connection or listener that has the rdma_cm_id.
 * Queue pairs are external to librdmacm: it transports their numbers, and this side moves their states.
 *
 * <p>Some calls wait for the network (rdma_connect of iWARP waits for TCP), so that threads of the connection manager make them.
 */
final class ConnectionManager implements AutoCloseable {

    private static final int PORT_SPACE_TCP = 0x106;
    private static final int PORT_SPACE_UDP = 0x111;
    private static final long NS_PER_MS = 1_000_000;
    private static final int DEFAULT_RETRIES = 7;
    private static final long END_NS = 5_000_000_000L;

    private final HardwareRnic rnic;
    private final EventLoop loop;
    private final RdmaLibraries libraries;
    private final long channel;
    private final ExecutorService workers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("verbena-connect-", 0).factory());
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("verbena-connect-timer").factory());
    private final Map<Long, Consumer<CmEvent>> byId = new ConcurrentHashMap<>();
    private final Map<Long, HardwareListener> listeners = new ConcurrentHashMap<>();
    private final Map<Long, HardwareConnection> connections = new ConcurrentHashMap<>();
    private final Map<Long, DatagramExchange> exchanges = new ConcurrentHashMap<>();

    /** Requests without an answer, in a listener or taken by the program. */
    private final Set<HardwareRequest> requests = ConcurrentHashMap.newKeySet();

    private boolean closed;

    ConnectionManager(HardwareRnic rnic, EventLoop loop) {
        this.rnic = rnic;
        this.loop = loop;
        libraries = rnic.adapter().libraries();
        channel = libraries.call(NativeFunction.CREATE_EVENT_CHANNEL);
        loop.add(Native.intAt(channel + RdmaEventChannel.FD), this::read);
    }

    HardwareRnic rnic() {
        return rnic;
    }

    RdmaLibraries libraries() {
        return libraries;
    }

    /** Has a thread of the manager do what may wait. */
    void later(Runnable work) {
        try {
            workers.execute(work);
        } catch (RejectedExecutionException _) {
            // The RNIC is closing, which ends the connection.
        }
    }

    /** Has this run once after a time, unless the manager is closed before. It does not wait. */
    void after(long timeNs, Runnable work) {
        try {
            timers.schedule(work, timeNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException _) {
            // The RNIC is closing, which ends the connection.
        }
    }

    private void read() {
        try (Arena arena = Arena.ofConfined()) {
            long found = arena.allocate(Long.BYTES, Long.BYTES).address();
            while (libraries.attempt(NativeFunction.GET_CM_EVENT, channel, found) == 0) {
                long event = Native.longAt(found);
                CmEvent copy = CmEvent.copy(event);
                libraries.call(NativeFunction.ACK_CM_EVENT, event);
                dispatch(copy);
            }
        }
    }

    private void dispatch(CmEvent event) {
        if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
            HardwareListener listener = listeners.get(event.listener());
            if (listener == null) {
                destroy(event.id());
            } else {
                listener.onRequest(event);
            }
            return;
        }
        byId.getOrDefault(event.id(), _ -> {}).accept(event);
    }

    /** Requests without an answer, which are rejected when the RNIC is closed. */
    Set<HardwareRequest> requests() {
        return requests;
    }

    /** Has the events of an id passed to this. */
    void watch(long id, HardwareConnection connection) {
        connections.put(id, connection);
        byId.put(id, connection::onEvent);
    }

    /** The same for an exchange about datagrams. */
    void watch(long id, DatagramExchange exchange) {
        exchanges.put(id, exchange);
        byId.put(id, exchange::onEvent);
    }

    /** An object with a new id, which it has watched: an object that is made later than the close of the RNIC would not be ended. */
    private synchronized <T> T withNewId(int portSpace, LongFunction<T> object) {
        if (closed) {
            throw new IllegalStateException("the RNIC is closed");
        }
        try (Arena arena = Arena.ofConfined()) {
            long id = arena.allocate(Long.BYTES, Long.BYTES).address();
            libraries.call(NativeFunction.CREATE_ID, channel, id, 0, portSpace);
            return object.apply(Native.longAt(id));
        }
    }

    /** An exchange about datagrams, with a new id. */
    <T extends DatagramExchange> T newExchange(LongFunction<T> exchange) {
        return withNewId(PORT_SPACE_UDP, exchange);
    }

    /** Name of the device that an id belongs to. */
    static String deviceOf(long id) {
        long context = Native.longAt(id + RdmaCmId.VERBS);
        return Native.text(Native.longAt(context + IbvContext.DEVICE) + IbvDevice.NAME, 64);
    }

    /** Why the device that the address of the peer leads to cannot be used, if it is another one. */
    Optional<String> elsewhere(long id) {
        String device = deviceOf(id);
        String own = rnic.facts().name();
        return device.equals(own)
                ? Optional.empty()
                : Optional.of("The way to this address begins at the device " + device + ", and this RNIC is " + own
                        + "; open the other device, or give an address of this one as local address.");
    }

    /** Passes no event of the id any more. */
    void unwatch(long id) {
        byId.remove(id);
    }

    /** Destroys an id; no event of it is dispatched afterwards. */
    void destroy(long id) {
        byId.remove(id);
        listeners.remove(id);
        connections.remove(id);
        exchanges.remove(id);
        int _ = libraries.attempt(NativeFunction.DESTROY_ID, id);
    }

    HardwareListener listen(SocketAddress address, ListenOptions options) throws IOException {
        ConnectionRules.check(options);
        if (!(address instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            throw new IOException(
                    "Cannot listen at " + AddressText.of(address) + ": an IP address and a port are required.");
        }
        HardwareListener listener = withNewId(PORT_SPACE_TCP, id -> {
            HardwareListener hardwareListener = new HardwareListener(this, id, options);
            listeners.put(id, hardwareListener);
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

    /** An id by which a listener gets the requests for datagram services too. */
    long newDatagramId(HardwareListener listener) {
        return withNewId(PORT_SPACE_UDP, id -> {
            listeners.put(id, listener);
            return id;
        });
    }

    HardwareConnection connect(HardwareQueuePair queuePair, SocketAddress remote, ConnectionOptions options) {
        ConnectionRules.check(options, rnic.facts().maxPrivateDataBytes());
        HardwareConnection connection =
                withNewId(PORT_SPACE_TCP, id -> new HardwareConnection(this, queuePair, id, options));
        connection.connectTo(remote);
        return connection;
    }

    /** The timeout of a step that librdmacm limits itself. */
    static int timeoutMs(ConnectionOptions options) {
        return (int) Math.clamp(Times.nanos(options.timeout()) / NS_PER_MS, 1, Integer.MAX_VALUE);
    }

    void checkPrivateData(byte[] data) {
        ConnectionRules.privateData(data, rnic.facts().maxPrivateDataBytes());
    }

    /** Writes the parameters of a connection to fresh memory. */
    static long parameters(Arena arena, HardwareQueuePair queuePair, ConnectionOptions options) {
        long parameters = datagramParameters(arena, options.privateData(), queuePair.number());
        Native.putByte(
                parameters + RdmaConnParam.RESPONDER_RESOURCES,
                queuePair.states().inboundReads());
        Native.putByte(
                parameters + RdmaConnParam.INITIATOR_DEPTH, queuePair.states().outboundReads());
        Native.putByte(
                parameters + RdmaConnParam.RETRY_COUNT, options.retryCount().orElse(DEFAULT_RETRIES));
        Native.putByte(
                parameters + RdmaConnParam.RNR_RETRY_COUNT,
                options.receiverNotReadyRetries().orElse(DEFAULT_RETRIES));
        return parameters;
    }

    /** Writes those of an exchange about datagrams, which are a part of them. */
    static long datagramParameters(Arena arena, byte[] data, int queuePairNumber) {
        long bytes = arena.allocate(Math.max(1, data.length), 8).address();
        Native.put(bytes, data);
        long parameters = arena.allocate(RdmaConnParam.STRUCT.sizeBytes(), 8).address();
        Native.putLong(parameters + RdmaConnParam.PRIVATE_DATA, bytes);
        Native.putByte(parameters + RdmaConnParam.PRIVATE_DATA_LEN, data.length);
        Native.putInt(parameters + RdmaConnParam.QP_NUM, queuePairNumber);
        return parameters;
    }

    /** Closes all listeners, by a thread that may wait. */
    void closeListeners() {
        listeners.values().forEach(each -> later(each::close));
    }

    /** Ends all connections and listeners, then the channel. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        listeners.values().forEach(HardwareListener::close);
        requests.forEach(HardwareRequest::rejectIfUnanswered);
        exchanges.values().forEach(DatagramExchange::end);
        connections.values().forEach(HardwareConnection::close);
        timers.shutdownNow();
        loop.remove(Native.intAt(channel + RdmaEventChannel.FD));
        if (workersEnd()) {
            libraries.call(NativeFunction.DESTROY_EVENT_CHANNEL, channel);
        }
    }

    /** Whether no call is under way any more. One that waits for the network keeps its id and the channel. */
    private boolean workersEnd() {
        workers.shutdown();
        boolean interrupted = false;
        long beganNs = System.nanoTime();
        try {
            while (System.nanoTime() - beganNs < END_NS) {
                try {
                    return workers.awaitTermination(END_NS, TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true; // closing is not interruptible
                }
            }
            return workers.isTerminated();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
