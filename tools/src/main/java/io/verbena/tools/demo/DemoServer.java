package io.verbena.tools.demo;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_ATOMIC;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The demo's server: gives memory, answers messages, and lets the RNIC do everything else. With an engine thread a CQ
 * handler answers; INLINE, the thread in {@link #serve} does. Only peers with the token are accepted.
 */
public final class DemoServer implements AutoCloseable {

    /** Bytes of the memory with atomic words. */
    static final int COUNTER_BYTES = 4096;

    /** A word of that memory. */
    static RemoteRegion word(RemoteRegion counters, int number) {
        return counters.slice((long) number * Long.BYTES, Long.BYTES);
    }

    private static final int MOST_CONNECTIONS = 80;
    private static final int CQ_ENTRIES = MOST_CONNECTIONS * 2 * ControlChannel.SLOTS;
    private static final Duration INLINE_WAIT = Duration.ofMillis(5);
    private static final Duration REQUEST_WAIT = Duration.ofMillis(100);

    private final Rnic rnic;
    private final boolean inline;
    private final byte[] token;
    private final ConnectionOptions connection;
    private final Path folder;
    private final Fault fault;
    private final StopSignal stop;

    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final MemoryRegion counters;
    private final Map<Integer, ControlChannel> channels = new ConcurrentHashMap<>();
    private volatile boolean left;
    private boolean stalled;
    private Optional<DemoMemory> memory = Optional.empty();

    /**
     * How to serve.
     *
     * @param progress of the RNIC
     * @param folder for files that back large memory
     * @param fault of this server, for the demonstration of a failure
     */
    public record Service(Progress progress, ConnectionOptions connection, Path folder, Fault fault) {}

    /** A server that does not listen yet. */
    public DemoServer(Rnic rnic, Service service, byte[] token, StopSignal stop) {
        this.rnic = rnic;
        this.inline = service.progress() == Progress.INLINE;
        this.token = token.clone();
        this.connection = service.connection();
        this.folder = service.folder();
        this.fault = service.fault();
        this.stop = stop;
        pd = rnic.allocateProtectionDomain();
        counters = pd.allocate(COUNTER_BYTES, LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        CompletionQueueOptions options = CompletionQueueOptions.capacity(CQ_ENTRIES);
        if (inline) {
            cq = rnic.createCompletionQueue(options);
            cursor = cq.cursor();
        } else {
            CqHandlerId handler = rnic.setCompletionHandler(this::onCompletion);
            cq = rnic.createCompletionQueue(options.withHandler(handler));
            cursor = cq.cursor();
            cq.requestNotification(Notification.SOLICITED);
        }
    }

    /** Serves until the last client has left or the process is to end. */
    public void serve(Listener listener) {
        while (!stop.raised() && !(left && channels.isEmpty())) {
            listener.nextRequest(inline && !channels.isEmpty() ? Duration.ZERO : REQUEST_WAIT)
                    .ifPresent(this::accept);
            if (inline) {
                cq.await(INLINE_WAIT);
                drain();
            }
        }
    }

    private void onCompletion(CompletionQueue notified) {
        drain();
        notified.requestNotification(Notification.SOLICITED);
    }

    private void accept(ConnectionRequest request) {
        if (channels.size() >= MOST_CONNECTIONS || !Arrays.equals(request.privateData(), token)) {
            request.reject(new byte[0]);
            return;
        }
        int reads = Math.clamp(request.outboundReads(), 1, rnic.query().maxInboundReads());
        QueuePair queuePair = pd.createQueuePair(QueuePairOptions.of(cq)
                .withDepths(ControlChannel.SLOTS, ControlChannel.SLOTS)
                .withElements(1, 1)
                .withReads(reads, 1));
        channels.put(queuePair.number(), new ControlChannel(pd, queuePair));
        request.startAccept(queuePair, connection);
    }

    private void drain() {
        while (cursor.next()) {
            ControlChannel channel = channels.get(cursor.queuePairNumber());
            if (channel == null) {
                continue;
            }
            if (!cursor.ok()) {
                left = true;
                channels.remove(cursor.queuePairNumber());
            } else if (cursor.opcode() == CompletionOpcode.RECEIVE) {
                onMessage(channel);
            } else {
                channel.onSent();
            }
        }
    }

    private void onMessage(ControlChannel channel) {
        try {
            ControlMessage message = channel.onReceived(cursor);
            misbehave(message);
            if (!stalled) {
                channel.send(answer(message));
            }
        } catch (Failure | IOException | VerbsException | OutOfMemoryError e) {
            channel.send(new ControlMessage.Problem("The server process: " + e.getMessage()));
        }
    }

    private ControlMessage answer(ControlMessage message) throws Failure, IOException {
        return switch (message) {
            case ControlMessage.Hello hello -> welcome(hello.length());
            case ControlMessage.Echo echo -> new ControlMessage.Echoed(echo.number());
            case ControlMessage.Check check ->
                new ControlMessage.Digest(Digests.sha256(contents(), ProgressBar.hidden(), stop));
            default ->
                throw new Failure(
                        "A client must not send a " + message.getClass().getSimpleName());
        };
    }

    private ControlMessage welcome(long length) throws Failure, IOException {
        if (length < 0) {
            throw new Failure("The length " + length + " is out of range");
        }
        DemoMemory fresh = DemoMemory.allocate(pd, length, folder, LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE);
        memory.ifPresent(DemoMemory::close);
        memory = Optional.of(fresh);
        return new ControlMessage.Welcome(fresh.remote(), counters.remote());
    }

    private MemorySegment contents() throws Failure {
        return memory.orElseThrow(() -> new Failure("The client sent no HELLO")).segment();
    }

    private void misbehave(ControlMessage message) {
        if (message instanceof ControlMessage.Echo) {
            stalled = fault == Fault.STALL;
            if (fault == Fault.DIE) {
                Runtime.getRuntime().halt(3);
            }
        }
        if (fault == Fault.CORRUPT && message instanceof ControlMessage.Check) {
            memory.map(DemoMemory::segment)
                    .filter(segment -> segment.byteSize() > 0)
                    .ifPresent(segment ->
                            segment.set(ValueLayout.JAVA_BYTE, 0, (byte) ~segment.get(ValueLayout.JAVA_BYTE, 0)));
        }
    }

    /** Gives the memory back. The rest ends with the RNIC. */
    @Override
    public void close() {
        memory.ifPresent(DemoMemory::close);
    }
}
