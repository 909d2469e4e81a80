package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.tools.files.FileMessage.Entry;
import io.verbena.tools.files.FileMessage.Numbered;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/** A server that speaks the file protocol and answers what a test wants, true or not. */
public final class ScriptedServer implements AutoCloseable {

    private static final Duration SLICE = Duration.ofMillis(20);

    private final Rnic rnic = Rnic.open();
    private final Listener listener;
    private final Function<FileMessage, FileMessage> script;
    private final Thread accepting;
    private volatile boolean closed;

    ScriptedServer(Function<FileMessage, FileMessage> script) throws IOException {
        this.script = script;
        listener = rnic.listen(FileSite.ANY);
        accepting = Thread.ofVirtual().start(this::accept);
    }

    /** Answers every question with a problem. */
    public static ScriptedServer refusing(String sentence) throws IOException {
        return new ScriptedServer(question -> new FileMessage.Problem(sentence));
    }

    /** Lists names without end, or one. */
    public static ScriptedServer listing(int total, String name) throws IOException {
        int count = Math.min(total, 64);
        List<Entry> entries = IntStream.range(0, count)
                .mapToObj(any -> new Entry(5, false, name))
                .toList();
        return new ScriptedServer(question -> new FileMessage.Names(total, entries));
    }

    /** Opens a file. */
    public static ScriptedServer opening(long bytes, long registered) throws IOException {
        return new ScriptedServer(question ->
                new FileMessage.Opened(new FileAttributes(bytes, 1, 1, false), 1, new RemoteRegion(0, registered, 7)));
    }

    /** As people write it. */
    public String address() {
        return "127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private void accept() {
        while (!closed) {
            Optional<ConnectionRequest> request = listener.nextRequest(SLICE);
            request.ifPresent(found -> Thread.ofVirtual().start(() -> serve(found)));
        }
    }

    private void serve(ConnectionRequest request) {
        ProtectionDomain pd = rnic.allocateProtectionDomain();
        CompletionQueue cq = rnic.createCompletionQueue(256);
        CompletionCursor cursor = cq.cursor();
        try (QueuePair queuePair = pd.createQueuePair(MessagePort.fit(QueuePairOptions.of(cq), 0));
                MessagePort port = new MessagePort(pd, queuePair)) {
            Connection connection =
                    request.startAccept(queuePair, ConnectionOptions.defaults().withPrivateData(Greeting.bytes()));
            while (!closed) {
                if (!cursor.next()) {
                    cq.await(SLICE);
                } else if (!cursor.ok()) {
                    break;
                } else if (cursor.opcode() == CompletionOpcode.RECEIVE) {
                    Numbered question = port.onReceived(cursor);
                    port.send(new Numbered(question.number(), script.apply(question.message())));
                }
            }
            connection.close();
        } catch (Failure e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        accepting.join();
        listener.close();
        rnic.close();
    }
}
