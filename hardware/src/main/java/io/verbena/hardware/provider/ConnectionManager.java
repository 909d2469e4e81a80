package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvContext;
import io.verbena.hardware.abi.IbvDevice;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.hardware.abi.cm.RdmaCmId;
import io.verbena.hardware.abi.cm.RdmaEventChannel;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.cm.CmMember;
import io.verbena.hardware.provider.device.EventLoop;
import io.verbena.hardware.provider.survival.AdapterResume;
import io.verbena.hardware.provider.survival.Resumable;
import io.verbena.survival.AssociationId;
import io.verbena.survival.ResumeType;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * Connections by librdmacm: one event channel for the RNIC, whose events go to the object that has the rdma_cm_id.
 * Queue pairs are external to librdmacm: it transports their numbers, and this side moves their states.
 *
 * <p>Some calls wait for the network (rdma_connect of iWARP waits for TCP), so that threads of the connection manager make them.
 */
final class ConnectionManager implements AutoCloseable {

    private static final int PORT_SPACE_TCP = 0x106;
    private static final int PORT_SPACE_UDP = 0x111;
    private static final long END_NS = 5_000_000_000L;

    private final AdapterContext rnic;
    private final EventLoop loop;
    private final RdmaLibraries libraries;
    private final long channel;
    private final ExecutorService workers = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("verbena-connect-", 0).factory());
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("verbena-connect-timer").factory());
    private final Map<Long, CmMember> members = new ConcurrentHashMap<>();

    /** Connections that a peer may want to continue. */
    private final Map<AssociationId, Resumable> survivors = new ConcurrentHashMap<>();

    private boolean closed;

    ConnectionManager(AdapterContext rnic, EventLoop loop) {
        this.rnic = rnic;
        this.loop = loop;
        libraries = rnic.adapter().libraries();
        channel = libraries.call(NativeFunction.CREATE_EVENT_CHANNEL);
        loop.add(Native.intAt(channel + RdmaEventChannel.FD), this::read);
    }

    AdapterContext rnic() {
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
        boolean request = event.type() == CmEvent.Type.CONNECT_REQUEST;
        CmMember member = members.get(request ? event.listener() : event.id());
        if (member != null && (!request || member.kind() == CmMember.Kind.LISTENER)) {
            member.onEvent(event);
        } else if (request) {
            destroy(event.id());
        }
    }

    /** Has the events of an id passed to this, in place of the member before. */
    void watch(long id, CmMember member) {
        members.put(id, member);
    }

    /** Passes no event of the id to this any more. */
    void unwatch(long id, CmMember member) {
        members.remove(id, member);
    }

    /** A peer may continue a connection. */
    void add(AssociationId id, Resumable survivor) {
        survivors.put(id, survivor);
    }

    /** No peer can continue it any more. */
    void remove(AssociationId id, Resumable survivor) {
        survivors.remove(id, survivor);
    }

    /** Whether a request is RESUME, of a peer or of a stranger; it is answered then, and no program learns of it. */
    boolean resumes(CmEvent request) {
        byte[] data = request.privateData();
        Optional<AssociationId> id = AdapterResume.id(data);
        if (id.isEmpty()) {
            return false;
        }
        Optional<Resumable> survivor = Optional.ofNullable(survivors.get(id.get()));
        Optional<AdapterResume> resume = survivor.flatMap(each -> each.open(data))
                .filter(each -> each.message().type() == ResumeType.RESUME)
                .filter(_ -> elsewhere(request.id()).isEmpty());
        if (survivor.isPresent() && resume.isPresent()) {
            survivor.get().onResume(request, resume.get());
        } else {
            reject(request.id(), AdapterResume.unknown(data));
        }
        return true;
    }

    /** Rejects the request that has made this id, and destroys the id. */
    void reject(long id, byte[] privateData) {
        try (Arena arena = Arena.ofConfined()) {
            long bytes = arena.allocate(Math.max(1, privateData.length), 8).address();
            Native.put(bytes, privateData);
            int _ = libraries.attempt(NativeFunction.REJECT, id, bytes, privateData.length);
        }
        destroy(id);
    }

    /** An object with a new id, which watches it: the close of the RNIC would not end an object that is made later. */
    private synchronized <T> T withNewId(int portSpace, LongFunction<T> object) {
        if (closed) {
            throw new IllegalStateException("the RNIC is closed");
        }
        try (Arena arena = Arena.ofConfined()) {
            long id = arena.allocate(Long.BYTES, Long.BYTES).address();
            libraries.call(NativeFunction.CREATE_ID, channel, id, 0, portSpace);
            boolean complete = false;
            try {
                T owner = object.apply(Native.longAt(id));
                complete = true;
                return owner;
            } finally {
                if (!complete) {
                    destroy(Native.longAt(id));
                }
            }
        }
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

    /** Destroys an id; no event of it is dispatched afterwards. */
    void destroy(long id) {
        members.remove(id);
        int _ = libraries.attempt(NativeFunction.DESTROY_ID, id);
    }

    /** Has an object with a new id for connections. */
    <T> T withConnectionId(LongFunction<T> object) {
        return withNewId(PORT_SPACE_TCP, object);
    }

    /** Has an object with a new id for datagram services. */
    <T> T withDatagramId(LongFunction<T> object) {
        return withNewId(PORT_SPACE_UDP, object);
    }

    private List<CmMember> members(CmMember.Kind kind) {
        return members.values().stream().filter(each -> each.kind() == kind).toList();
    }

    /** Closes all listeners, by a thread that may wait. */
    void closeListeners() {
        members(CmMember.Kind.LISTENER).forEach(each -> later(each::end));
    }

    /** Ends all connections and listeners, then the channel. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        for (CmMember.Kind kind : CmMember.Kind.values()) {
            members(kind).forEach(CmMember::end);
        }
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
