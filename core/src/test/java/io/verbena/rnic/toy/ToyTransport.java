package io.verbena.rnic.toy;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.memory.CopyResult;
import io.verbena.memory.Region;
import io.verbena.queue.Arrival;
import io.verbena.queue.Wqe;
import io.verbena.rnic.QueuePairEndpoint;
import io.verbena.rnic.SoftConnection;
import io.verbena.rnic.SoftConnectionRequest;
import io.verbena.rnic.SoftListener;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.Transport;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import io.verbena.work.Grant;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import io.verbena.work.RemoteAccess;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A complete transport in one file: queue pairs of RNICs driven by one thread copy from memory to memory. It shows the
 * parts that a transport implements, and that the other parts of the RNIC (queues, completion, notification, keys,
 * flushing, closing) work with it unchanged.
 */
public final class ToyTransport implements Transport {

    private static final int MESSAGE_BYTES = 1 << 20;
    private static final long RETRY_NS = 1_000_000;

    private static final TransportLimits LIMITS = new TransportLimits(
            "toy",
            TransportType.SHARED_MEMORY,
            Set.of(TransportService.RELIABLE_CONNECTION),
            Set.of(WorkOpcode.SEND, WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.RECEIVE),
            new TransportLimits.Connection(256, 64, 0));

    private final Map<SocketAddress, ToyListener> listeners = new HashMap<>();

    @Override
    public TransportLimits limits() {
        return LIMITS;
    }

    @Override
    public QueuePairEndpoint newEndpoint(SoftQueuePair queuePair) {
        return new ToyQueuePair(queuePair);
    }

    @Override
    public SoftListener listen(RnicContext context, SocketAddress address, ListenOptions options) {
        ToyListener listener = new ToyListener(context, address, options);
        listeners.put(address, listener);
        return listener;
    }

    @Override
    public SoftConnection connect(SoftQueuePair queuePair, SocketAddress remote, ConnectionOptions options) {
        ToyQueuePair near = (ToyQueuePair) queuePair.endpoint();
        SoftConnection connection = near.claim(remote, false);
        Optional<ToyListener> listener = Optional.ofNullable(listeners.get(remote));
        near.command(() -> listener.ifPresentOrElse(
                it -> it.arrived(new Request(it, near, options.privateData())),
                () -> near.refused("Nothing listens at " + remote + ".")));
        return connection;
    }

    private final class ToyListener extends SoftListener {
        private final SocketAddress address;

        ToyListener(RnicContext context, SocketAddress address, ListenOptions options) {
            super(context, options);
            this.address = address;
        }

        void arrived(Request request) {
            engine().submit(() -> offer(request).ifPresent(request::refuse));
        }

        @Override
        public SocketAddress localAddress() {
            return address;
        }

        @Override
        protected void stopAccepting() {
            listeners.remove(address, this);
        }
    }

    /** A queue pair that requests a connection, as seen by the listening application. */
    private static final class Request extends SoftConnectionRequest {
        private final ToyListener listener;
        private final ToyQueuePair peer;

        Request(ToyListener listener, ToyQueuePair peer, byte[] privateData) {
            super(listener.address, new InetSocketAddress(0), privateData);
            this.listener = listener;
            this.peer = peer;
        }

        @Override
        public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
            ToyQueuePair toyQueuePair = (ToyQueuePair)
                    SoftQueuePair.of(queuePair, listener.context()).endpoint();
            decide();
            SoftConnection connection = toyQueuePair.claim(remoteAddress(), true);
            connection.privateData(privateData());
            toyQueuePair.command(() -> {
                toyQueuePair.established(peer);
                peer.established(toyQueuePair);
            });
            return connection;
        }

        @Override
        public void reject(byte[] reply) {
            decide();
            refuse("its application rejected it");
        }

        @Override
        protected void refuse(String reason) {
            peer.refused("The connection was refused: " + reason + ".");
        }
    }

    /** RESET until it is connected, RTS, and then ERR permanently. */
    private static final class ToyQueuePair extends QueuePairEndpoint {
        private final LocalBuffers buffers;
        private final RemoteAccess remote;
        private final Grant grant = new Grant();
        private final Slab message = new Slab(MESSAGE_BYTES);
        private final Wqe work = new Wqe();
        private final Wqe receive = new Wqe();
        private final Arrival arrival = new Arrival();
        private Optional<ToyQueuePair> peer = Optional.empty();
        private volatile QueuePairState state = InfinibandQueuePairState.RESET;

        ToyQueuePair(SoftQueuePair queuePair) {
            super(queuePair);
            buffers = new LocalBuffers(workContext());
            remote = new RemoteAccess(workContext());
        }

        SoftConnection claim(SocketAddress address, boolean accepted) {
            connection(Optional.of(new SoftConnection(queuePair(), address, accepted)));
            return connection().orElseThrow();
        }

        void established(ToyQueuePair other) {
            peer = Optional.of(other);
            state = InfinibandQueuePairState.RTS;
            engine().join(this);
            connectionMoved(ConnectionState.ESTABLISHED, "");
        }

        void refused(String sentence) {
            connection().ifPresent(it -> it.failureKind(Kind.REFUSED));
            connectionMoved(ConnectionState.FAILED, sentence);
        }

        private void end(ConnectionState end, String sentence) {
            Optional<ToyQueuePair> other = peer;
            peer = Optional.empty();
            state = InfinibandQueuePairState.ERR;
            engine().leave(this);
            beginFlush();
            flushOrRetry();
            settle();
            connectionMoved(end, sentence);
            other.ifPresent(it -> it.end(end, sentence));
        }

        @Override
        protected void disconnect(SoftConnection which) {
            end(ConnectionState.CLOSED, "The connection was closed gracefully.");
        }

        @Override
        public void fail(String sentence) {
            end(ConnectionState.FAILED, sentence);
        }

        @Override
        protected boolean flushWork() {
            return queues().flush(CompletionStatus.FLUSHED);
        }

        @Override
        protected void service(long nowNs) {
            boolean done = true;
            while (done
                    && peer.isPresent()
                    && queues().send().retired() < queues().send().posted()) {
                done = execute(queues().send().at(queues().send().retired(), work), peer.get());
            }
            if (!done && peer.isPresent()) {
                engine().deadline(this, nowNs + RETRY_NS);
            }
            settle();
        }

        /** Executes the oldest work; returns false if it must wait. */
        private boolean execute(Wqe wqe, ToyQueuePair to) {
            if (wqe.opcode() == WorkOpcode.SEND
                    && !to.queues().receive().provide(to.queues().receive().retired())) {
                return false; // until the peer posts a receive
            }
            boolean moved = wqe.length() <= MESSAGE_BYTES && move(wqe, to, message.segment(), wqe.length());
            queues().completeSend(moved ? CompletionStatus.SUCCESS : CompletionStatus.REMOTE_ACCESS);
            if (!moved) {
                fail("The peer refused a " + wqe.opcode() + ".");
            }
            return true;
        }

        private boolean move(Wqe wqe, ToyQueuePair to, MemorySegment bytes, int length) {
            if (wqe.opcode() == WorkOpcode.READ) {
                return to.access(wqe, bytes, AccessRight.REMOTE_READ)
                        && buffers.scatter(wqe, 0, bytes, 0, length) == Moved.DONE;
            }
            return buffers.gather(wqe, 0, bytes, 0, length) == Moved.DONE
                    && (wqe.opcode() == WorkOpcode.SEND
                            ? to.receive(bytes, length, wqe.solicited())
                            : to.access(wqe, bytes, AccessRight.REMOTE_WRITE));
        }

        /** Reads or writes local memory on behalf of the peer. */
        private boolean access(Wqe wqe, MemorySegment bytes, AccessRight right) {
            int length = wqe.length();
            if (!remote.check(wqe.rkey(), RemoteAccess.NO_MESSAGE, wqe.remoteAddress(), length, right, grant)
                    .ok()) {
                return false;
            }
            Region region = grant.region();
            return CopyResult.DONE
                    == (right == AccessRight.REMOTE_READ
                            ? region.copyOut(grant.offset(), bytes, 0, length)
                            : region.copyIn(grant.offset(), bytes, 0, length));
        }

        /** Receives a message. A receive is posted. */
        private boolean receive(MemorySegment bytes, int length, boolean solicited) {
            queues().receive().at(queues().receive().retired(), receive);
            if (length > receive.length() || buffers.scatter(receive, 0, bytes, 0, length) != Moved.DONE) {
                return false;
            }
            arrival.of(CompletionOpcode.RECEIVE, length, solicited);
            queues().completeReceive(CompletionStatus.SUCCESS, arrival);
            settle();
            return true;
        }

        @Override
        public QueuePairState state() {
            return state;
        }

        @Override
        protected boolean takesSends() {
            return state != InfinibandQueuePairState.RESET;
        }

        @Override
        protected long stateDigest() {
            return Digest.mix(queues().send().retired(), queues().receive().retired());
        }
    }
}
