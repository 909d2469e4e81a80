package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two ranks in one thread that share memory: what one writes is found by the other when it is about to sleep. */
class SleepingRankTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults()
            .withRnic(MessagingOptions.defaults().rnic().withProvider("shm"));
    private static final int LENGTH = 8;

    private final List<Rnic> rnics = new ArrayList<>();
    private final List<Communicator> ranks = new ArrayList<>();
    private final MemorySegment memory = Arena.ofAuto().allocate(LENGTH);

    /** What happens when a rank has looked for the last time and has not slept yet. */
    private Runnable beforeSleep = () -> {};

    /** What the ranks saw then. */
    private final List<Boolean> seen = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        List<Messenger> messengers = new ArrayList<>();
        List<SocketAddress> addresses = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            Rnic rnic = Rnic.open(OPTIONS.rnic());
            Messenger messenger = new Messenger(rank, 2, watched(rnic), OPTIONS, System::nanoTime, new Random(rank));
            addresses.add(messenger.endpoint().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
            messengers.add(messenger);
            rnics.add(rnic);
            ranks.add(new Communicator(rank, 2, rnic, messenger, OPTIONS));
        }
        messengers.forEach(messenger -> messenger.members().join(addresses, 7));
        for (int i = 0; i < 100; i++) { // the first messages do not go directly
            exchange(0);
            exchange(1);
        }
    }

    @AfterEach
    void close() {
        rnics.forEach(Rnic::close);
    }

    private Rnic watched(Rnic rnic) {
        return (Rnic) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Rnic.class}, (_, method, arguments) -> {
                    if (method.getName().equals("progress") && arguments != null && arguments.length == 2) {
                        Runnable action = beforeSleep;
                        beforeSleep = () -> {};
                        action.run();
                        seen.add(((BooleanSupplier) arguments[1]).getAsBoolean());
                    }
                    return invoke(rnic, method, arguments);
                });
    }

    private static Object invoke(Rnic rnic, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(rnic, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** A message of a rank to the other one. */
    private void exchange(int from) {
        Request receive = ranks.get(1 - from).irecv(memory, from, 0);
        Request send = ranks.get(from).isend(memory, 1 - from, 0);
        while (!receive.test() || !send.test()) {
            ranks.forEach(Communicator::progress);
        }
    }

    @Test
    void peerSendsBeforeTheRankSleeps_isSeen() {
        seen.clear();
        beforeSleep = () -> ranks.get(0).send(memory, 1, 0);
        assertEquals(LENGTH, ranks.get(1).recv(memory, 0, 0).count());
        assertEquals(List.of(true), seen);
    }

    @Test
    void peerFreesSlotsBeforeTheRankSleeps_isSeen() {
        List<Request> sends = new ArrayList<>();
        for (int i = 0; i < 5; i++) { // one more than the ring of the peer holds
            sends.add(ranks.get(0).isend(memory, 1, 0));
        }
        ranks.get(0).progress();
        seen.clear();
        beforeSleep = () -> ranks.get(1).progress();
        sends.getLast().await();
        assertEquals(List.of(true), seen);
    }

    @Test
    void nothingIsWritten_nothingIsSeen() {
        seen.clear();
        beforeSleep = () -> beforeSleep = () -> ranks.get(0).send(memory, 1, 0);
        ranks.get(1).recv(memory, 0, 0);
        assertEquals(List.of(false, true), seen);
    }
}
