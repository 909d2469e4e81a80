package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.PageFaultHandler;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every user callback with every possible failure: nothing else is affected, and the RNIC continues. */
class CallbackTest {

    /** What a callback does. */
    enum Behaviour {
        THROWS_RUNTIME_EXCEPTION,
        THROWS_ERROR,
        THROWS_CHECKED_EXCEPTION,
        LEAVES_INTERRUPT_STATUS,
        BLOCKS,
        CLOSES_THE_RNIC
    }

    /** Which callback. */
    enum Callback {
        CQ_READY,
        LISTENER_READY,
        FILTER,
        PROCESSOR,
        EVENT_ADDRESS,
        CQ_HANDLER,
        EVENT_LISTENER,
        CONNECTION_LISTENER,
        PAGE_FAULT_HANDLER
    }

    /** The RNIC whose callback it is. */
    enum Form {
        IWARP,
        ROCE;

        Rnic open(int engines) {
            RnicOptions options = RnicOptions.defaults().withEngines(engines);
            return switch (this) {
                case IWARP -> new IwarpProvider().open(options);
                case ROCE -> new RoceProvider().open(options);
            };
        }

        /**
         * Streams are converted on iWARP only. One engine of a RoCE RNIC receives the packets of all: a callback that blocks there delays every queue pair, and one that closes the RNIC there
         * leaves the peers to their own time-outs.
         */
        boolean has(Callback callback, Behaviour behaviour) {
            boolean onEngine = callback == Callback.PROCESSOR || callback == Callback.EVENT_ADDRESS;
            return switch (this) {
                case IWARP -> true;
                case ROCE ->
                    callback != Callback.FILTER
                            && (!onEngine || behaviour != Behaviour.BLOCKS && behaviour != Behaviour.CLOSES_THE_RNIC);
            };
        }
    }

    private final List<Rnic> open = new ArrayList<>();
    private final List<SocketChannel> channels = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger over = new AtomicInteger();
    private final ConcurrentLinkedQueue<AsyncEventType> events = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() throws IOException {
        release.countDown();
        open.forEach(Rnic::close);
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    static Stream<Arguments> table() {
        return Stream.of(Form.values())
                .flatMap(form -> Stream.of(Callback.values())
                        .flatMap(callback -> Stream.of(Behaviour.values())
                                .filter(behaviour -> form.has(callback, behaviour))
                                .map(behaviour -> Arguments.of(form, callback, behaviour))));
    }

    private Rnic opened(Rnic rnic) {
        open.add(rnic);
        return rnic;
    }

    /** Does it. Declares nothing, as Kotlin does. */
    private void act(Behaviour behaviour, Rnic rnic) {
        ran.incrementAndGet();
        try {
            switch (behaviour) {
                case THROWS_RUNTIME_EXCEPTION -> throw new IllegalStateException("on purpose");
                case THROWS_ERROR -> throw new AssertionError("on purpose");
                case THROWS_CHECKED_EXCEPTION ->
                    throw CallbackTest.<RuntimeException>sneak(new Exception("on purpose"));
                case LEAVES_INTERRUPT_STATUS -> Thread.currentThread().interrupt();
                case BLOCKS -> awaitRelease();
                case CLOSES_THE_RNIC -> rnic.close();
            }
        } finally {
            over.incrementAndGet();
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E sneak(Throwable e) throws E {
        throw (E) e;
    }

    private void awaitRelease() {
        boolean interrupted = false;
        while (true) {
            try {
                release.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest
    @MethodSource("table")
    void callback_misbehaves_nobodyElseIsHarmed(Form form, Callback callback, Behaviour behaviour) throws IOException {
        Rnic rnic = opened(form.open(2));
        Rnic peer = opened(form.open(1));
        // Queue pairs are assigned to the engines in turn: the first bystander is on the engine of the victim.
        Site[] near = {new Site(rnic), new Site(rnic)};
        Site victim = new Site(rnic);
        Site[] far = {new Site(peer), new Site(peer)};
        Site other = new Site(peer);
        Site.connect(near[0], far[0]);
        Site.connect(near[1], far[1]);
        if (callback != Callback.EVENT_LISTENER) {
            rnic.onAsyncEvent(event -> events.add(event.type()));
        }
        provoke(callback, behaviour, victim, other);
        Until.holds("the callback ran", () -> ran.get() > 0);
        if (behaviour == Behaviour.CLOSES_THE_RNIC) {
            Until.holds("close returned", () -> over.get() > 0);
            for (Site each : far) {
                assertTrue(each.queuePair.connection().orElseThrow().awaitClosed(Site.PATIENCE));
            }
            return;
        }
        int engineOfVictim = 0;
        for (int i = 0; i < near.length; i++) {
            // A callback on an engine must not block: it delays that engine only.
            if (behaviour != Behaviour.BLOCKS || i != engineOfVictim) {
                Site.exchange(near[i], far[i], 5000, i);
            }
        }
        release.countDown();
        for (int i = 0; i < near.length; i++) {
            Site.exchange(near[i], far[i], 5000, i + 7);
        }
        assertTrue(events.stream()
                .noneMatch(type -> type == AsyncEventType.RNIC_FATAL || type == AsyncEventType.QP_FATAL));
        rnic.close();
        peer.close();
    }

    private void provoke(Callback callback, Behaviour behaviour, Site victim, Site other) throws IOException {
        Rnic rnic = victim.rnic;
        Runnable bad = () -> act(behaviour, rnic);
        switch (callback) {
            case CQ_READY -> {
                Site.connect(victim, other);
                victim.cq.onReady(bad);
                complete(victim, other);
            }
            case LISTENER_READY -> {
                Listener listener = rnic.listen(StreamProbe.loopback(0));
                listener.onReady(bad);
                other.rnic.startConnect(other.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            }
            case FILTER ->
                convert(victim, other, word -> {
                    bad.run();
                    return Optional.empty();
                });
            case PROCESSOR -> handled(victim, other, (id, work) -> bad.run(), cq -> {});
            case EVENT_ADDRESS -> handled(victim, other, new Addressing(bad), cq -> {});
            case CQ_HANDLER -> {
                Site.connect(victim, other);
                victim.cq.handler(Optional.of(rnic.setCompletionHandler(cq -> bad.run())));
                complete(victim, other);
            }
            case EVENT_LISTENER -> {
                Site.connect(victim, other);
                rnic.onAsyncEvent(event -> bad.run());
                other.queuePair.close();
            }
            case CONNECTION_LISTENER -> {
                Site.connect(victim, other);
                Connection connection = victim.queuePair.connection().orElseThrow();
                connection.onStateChange((which, state) -> bad.run());
            }
            case PAGE_FAULT_HANDLER -> {
                Site.connect(victim, other);
                AddressSpace space = rnic.openVirtualMemory(
                                VirtualMemoryOptions.defaults().withFrameBytes(1 << 16))
                        .createAddressSpace("unmapped");
                space.onPageFault(fault -> {
                    bad.run();
                    return PageFaultHandler.Answer.REFUSED;
                });
                MemoryRegion nothing = victim.domain.register(space, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
                other.queuePair.postWrite(3, other.memory, 0, 8, nothing.remote(), 1L << 40, WrFlags.SIGNALLED);
            }
        }
    }

    private static void handled(Site victim, Site other, HandlerProcessor processor, CqHandler handler)
            throws IOException {
        Site.connect(victim, other);
        victim.cq.handler(Optional.of(victim.rnic.setCompletionHandler(handler, processor)));
        complete(victim, other);
    }

    private static void complete(Site victim, Site other) {
        victim.cq.requestNotification(Notification.NEXT);
        victim.queuePair.postReceive(1, victim.memory, 0, 8);
        assertTrue(other.queuePair.postSend(2, other.memory, 0, 8, WrFlags.SIGNALLED));
    }

    private void convert(Site victim, Site other, Function<byte[], Optional<byte[]>> filter) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(StreamProbe.loopback(0));
            SocketChannel left = SocketChannel.open(server.getLocalAddress());
            SocketChannel right = server.accept();
            channels.add(left);
            channels.add(right);
            victim.rnic.takeOver(
                    victim.queuePair, right, StreamConversion.asResponder().withRejection(filter));
            other.rnic.takeOver(other.queuePair, left, StreamConversion.asInitiator());
        }
    }

    /** A processor of the application that gives addresses. */
    private record Addressing(Runnable bad) implements HandlerProcessor {

        @Override
        public void signal(CqHandlerId handler, Runnable work) {
            bad.run();
        }

        @Override
        public Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
            return Optional.of(new EventAddress() {
                @Override
                public void signal() {
                    bad.run();
                }

                @Override
                public void options(HandlerOptions wanted) {}

                @Override
                public void detach() {}
            });
        }
    }
}
