package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A program interrupts all threads of its JVM, as containers do with threads that an application has left. Those of this project work on, and none
 * keeps the status, with which no wait would wait.
 */
@Timeout(60)
class InterruptedThreadsTest {

    private static final int ROUNDS = 20;
    private static final int MOST_EXCHANGES = 5_000;

    private static Stream<Thread> ours() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().startsWith("verbena"));
    }

    private static void interruptAll() {
        ours().forEach(Thread::interrupt);
    }

    private static List<String> interrupted() {
        return ours().filter(Thread::isInterrupted).map(Thread::getName).toList();
    }

    @ParameterizedTest
    @CsvSource({"shm, SHARED_MEMORY", "iwarp, IWARP", "roce, ROCE"})
    void allThreadsAreInterrupted_connectionsCarryBytes(String carrier, SocketTransport expected) throws Exception {
        InetAddress address = carrier.equals("roce") ? Stage.freeAddress() : InetAddress.getLoopbackAddress();
        try (Stage stage = new Stage(Life.provider(carrier), address)) {
            ServerSocketChannel listener = stage.listening();
            SelectorProvider clients = Life.provider(carrier);
            Stage.Pair first = connect(stage, clients, listener);
            for (int i = 0; i < ROUNDS; i++) {
                interruptAll();
                exchange(first);
                Stage.Pair next = connect(stage, clients, listener);
                interruptAll();
                exchange(next);
                assertEquals(
                        List.of(expected, expected),
                        List.of(Stage.transport(next.client()), Stage.transport(next.server())));
                exchange(connect(stage, JdkProvider.find(), listener));
            }
            for (int i = 0; i < MOST_EXCHANGES && !interrupted().isEmpty(); i++) {
                exchange(first);
            }
            assertEquals(List.of(), interrupted());
        }
    }

    private static Stage.Pair connect(Stage stage, SelectorProvider clients, ServerSocketChannel listener)
            throws IOException {
        SocketChannel client = stage.keep(clients.openSocketChannel());
        interruptAll();
        client.connect(listener.getLocalAddress());
        return new Stage.Pair(client, stage.keep(listener.accept()), listener);
    }

    private static void exchange(Stage.Pair pair) throws IOException {
        Stage.writeAll(pair.client(), Stage.text("hello"));
        assertEquals("hello", Stage.read(pair.server(), 5));
        Stage.writeAll(pair.server(), Stage.text("answer"));
        assertEquals("answer", Stage.read(pair.client(), 6));
    }
}
