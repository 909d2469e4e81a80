package io.verbena.storage.service;

import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.subsystem.Command;
import io.verbena.storage.subsystem.HostPath;
import io.verbena.storage.subsystem.QueueMemory;
import io.verbena.storage.subsystem.QueueOutput;
import io.verbena.storage.subsystem.TargetAddress;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.storage.subsystem.TargetQueue;
import io.verbena.storage.wire.CmReply;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.text.AddressText;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * One queue pair of a host: executes what the {@link TargetQueue} wants, and reports completions to it. All calls come from the thread
 * of the {@link DiskServer}.
 */
final class HostQueue implements QueueOutput {
    private static final long READ = 1L << 32;
    private static final long SEND = 2L << 32;
    private static final int READS_AT_ONCE = 16;

    private final DiskServer server;
    private final ProtectionDomain domain;
    private final int queueId;
    private final int slots;
    private QueueBuffers buffers;
    private final CompletionQueue completions;
    private final CompletionCursor cursor;
    private final QueuePair queuePair;
    private final WorkRequest request;
    private Optional<Connection> connection = Optional.empty();
    private final TargetQueue queue;
    private final MemorySegment response = MemorySegment.ofArray(new byte[CompletionEntry.LENGTH]);
    private volatile boolean armed;
    private boolean batch;
    private boolean closing;
    private boolean closed;

    HostQueue(DiskServer server, Rnic rnic, ConnectionRequest from, CmRequest parameters, int readsOfHost) {
        this.server = server;
        queueId = parameters.queueId();
        slots = parameters.sendQueueSizeMinusOne() + 1;
        TargetLimits limits = server.target().limits();
        ArrayDeque<Runnable> undo = new ArrayDeque<>();
        try {
            domain = rnic.allocateProtectionDomain();
            undo.push(domain::close);
            buffers = QueueBuffers.first(domain, queueId, limits);
            undo.push(buffers::close);
            int sends = 3 * limits.buffers(queueId, slots);
            completions = rnic.createCompletionQueue(sends + slots);
            undo.push(completions::close);
            cursor = completions.cursor();
            queuePair = domain.createQueuePair(QueuePairOptions.of(completions)
                    .withDepths(sends, slots)
                    .withReads(readsOfHost, READS_AT_ONCE)
                    .withElements(1, 1));
            undo.push(queuePair::close);
            request = queuePair.newWorkRequest();
            receive(0);
            completions.onReady(this::signalled);
            // The last step: the target counts the queue, and its end takes it back.
            queue = server.target().open(queueId, slots, buffers.shape(), this, path(from), server.nowNs());
        } catch (RuntimeException | Error e) {
            undo.forEach(Runnable::run);
            throw e;
        }
    }

    private static HostPath path(ConnectionRequest from) {
        InetSocketAddress local = (InetSocketAddress) from.localAddress();
        TargetAddress address =
                new TargetAddress(AddressText.shortened(local.getAddress().getHostAddress()), local.getPort());
        String network = PeerNetwork.of(from.remoteAddress()).name();
        return from.remoteAddress() instanceof InetSocketAddress peer && peer.getAddress() != null
                ? new HostPath(network, peer.getAddress().getHostAddress(), address)
                : new HostPath(network, address);
    }

    /** Accepts the connection, whose receive for the Connect has been posted. */
    void accept(ConnectionRequest from, ConnectionOptions accepted) {
        byte[] reply = new byte[CmReply.LENGTH];
        new CmReply().wrap(MemorySegment.ofArray(reply), 0).receiveQueueSize(slots);
        ConnectionOptions options = accepted.withPrivateData(reply);
        Connection started = from.startAccept(queuePair, options);
        connection = Optional.of(started);
        started.onStateChange((_, state) -> onState(state));
    }

    private void onState(ConnectionState state) {
        if (state == ConnectionState.CLOSING || state.ended()) {
            server.execute(this::close);
        }
    }

    private void signalled() {
        armed = false;
        server.wake();
    }

    // ---- Completions

    /** Takes what has completed. Returns whether there was anything. */
    boolean poll() {
        boolean any = false;
        while (!closing && cursor.next()) {
            any = true;
            if (!cursor.ok()) {
                close(); // the queue pair has failed, and with it the queue
            } else {
                completed(cursor.wrId());
            }
        }
        if (!any && !closing && !armed) {
            armed = true;
            completions.requestNotification(Notification.NEXT);
        }
        return any;
    }

    private void completed(long id) {
        int index = (int) id;
        if ((id & READ) != 0) {
            queue.onFetched(queue.command(index), true, server.nowNs());
        } else if ((id & SEND) != 0) {
            queue.onSent(queue.command(index), server.nowNs());
        } else {
            queue.onCapsule(index, (int) cursor.byteCount(), server.nowNs());
        }
    }

    /** Data of one command stay within its buffer: the engine has checked the length that the host asked for. */
    private boolean fits(int lengthBytes) {
        return lengthBytes > 0 && lengthBytes <= buffers.shape().bufferBytes();
    }

    // ---- What the engine wants

    @Override
    public void fetch(Command command, long address, int key, int lengthBytes) {
        assert fits(lengthBytes);
        request.read(address, key).element(buffers.data(), bufferOffset(command), lengthBytes);
        post(READ | command.index(), WrFlags.SIGNALLED);
    }

    @Override
    public void put(Command command, long address, int key, int lengthBytes) {
        assert fits(lengthBytes);
        request.write(address, key).element(buffers.data(), bufferOffset(command), lengthBytes);
        post(0, WrFlags.UNSIGNALLED);
    }

    @Override
    public void run(Command command) {
        try {
            if (command.slow()) {
                server.runAside(() -> {
                    DeviceStatus status = onDevice(command);
                    server.execute(() -> ran(command, status));
                });
                return;
            }
        } catch (RuntimeException | Error e) {
            failed(e); // no other thread executes the command
            ran(command, DeviceStatus.FAILED);
            return;
        }
        ran(command, onDevice(command));
    }

    /** Every command has a result, whatever the device of a user throws. */
    private DeviceStatus onDevice(Command command) {
        try {
            return command.runOnDevice();
        } catch (RuntimeException | Error e) {
            failed(e);
            return DeviceStatus.FAILED;
        } finally {
            // An interrupt that a device leaves would close the channels that this thread uses next.
            Thread.interrupted();
        }
    }

    @Override
    public void failed(Throwable cause) {
        DiskServer.LOG.log(Level.ERROR, "A disk threw; the command of the host fails with an internal error.", cause);
    }

    private void ran(Command command, DeviceStatus status) {
        queue.onRun(command, status);
        release();
    }

    @Override
    public void respond(Command command, CompletionEntry entry, boolean invalidate, int key) {
        receive(command.slot());
        entry.copyTo(response, 0, CompletionEntry.LENGTH);
        WorkRequest send = invalidate ? request.sendWithInvalidate(key) : request.send();
        send.inlineData(response, 0, CompletionEntry.LENGTH);
        post(SEND | command.index(), WrFlags.SIGNALLED);
    }

    @Override
    public Optional<QueueMemory> grow(QueueMemory first) {
        QueueBuffers all;
        try {
            all = QueueBuffers.allocate(domain, queueId, slots, server.target().limits());
        } catch (VerbsException | OutOfMemoryError e) {
            DiskServer.LOG.log(Level.WARNING, "There is no memory for a queue of a host, which is refused.", e);
            return Optional.empty();
        }
        // No transfer uses the first memory: its only receive took the Connect.
        buffers.close();
        buffers = all;
        for (int slot = 1; slot < slots; slot++) {
            receive(slot);
        }
        return Optional.of(all.shape());
    }

    /** The engine may be inside this queue: the rest happens in {@link #tearDown}. */
    @Override
    public void close() {
        if (!closing) {
            closing = true;
            server.closing(this);
        }
    }

    private long bufferOffset(Command command) {
        return (long) command.index() * buffers.shape().bufferBytes();
    }

    private void receive(int slot) {
        int bytes = buffers.shape().capsuleBytes();
        require(queuePair.postReceive(slot, buffers.capsules(), (long) slot * bytes, bytes));
    }

    /** Begins a batch, which {@link #ring} ends: the RNIC sends what a round of the server has posted at once. */
    private void post(long id, WrFlags flags) {
        if (!batch) {
            batch = true;
            queuePair.startBatch();
        }
        require(queuePair.post(request.id(id).flags(flags)));
    }

    void ring() {
        if (batch) {
            batch = false;
            queuePair.ringDoorbell();
        }
    }

    private static void require(boolean posted) {
        if (!posted) {
            throw new IllegalStateException("A work queue of a host is full, although its entries are counted.");
        }
    }

    // ---- The end

    /** Ends the connection. A host that has vanished does not answer the end: the other hosts do not wait for it. */
    void tearDown() {
        try {
            ring();
        } catch (RuntimeException | Error e) {
            DiskServer.LOG.log(Level.WARNING, "The last answers to a host were not sent.", e);
        }
        try {
            server.runAside(this::end);
        } catch (RuntimeException | Error e) {
            DiskServer.LOG.log(Level.WARNING, "The end of a connection is not executed by another thread.", e);
            end();
        }
    }

    private void end() {
        try {
            connection.ifPresent(Connection::close);
        } finally {
            try {
                queuePair.close();
            } finally {
                server.execute(this::onEnded);
            }
        }
    }

    /** No transfer touches the memory any more. */
    private void onEnded() {
        closed = true;
        queue.onClosed();
        release();
    }

    /** Frees the memory, unless a device in another thread uses it. */
    private void release() {
        if (closed && queue.drained()) {
            closed = false;
            buffers.close();
            completions.close();
            domain.close();
        }
    }
}
