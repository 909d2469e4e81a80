package io.verbena.tools.connections;

import io.verbena.text.PeerText;
import io.verbena.tools.base.Failure;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.StreamConversion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A chat between Alice and Bob over a TCP connection that turns into an RDMA connection in the middle of the conversation, and
 * is closed gracefully; or Bob declines, and the chat continues over TCP.
 */
public final class Upgrade {

    /** What it came to. */
    public record Figures(long connectNs, long switchNs, boolean rdma, boolean closedInGoodOrder) {}

    private static final int LINE = 256;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final ConnectionOptions OPTIONS =
            ConnectionOptions.defaults().withTimeout(PATIENCE);

    /** One who chats. */
    private static final class Chatter implements AutoCloseable {
        private final String name;
        private final Rnic rnic;
        private final ProtectionDomain domain;
        private final CompletionQueue cq;
        private final CompletionCursor cursor;
        private final MemoryRegion memory;
        private final QueuePair queuePair;

        Chatter(String name, Rnic rnic) {
            this.name = name;
            this.rnic = rnic;
            domain = rnic.allocateProtectionDomain();
            cq = rnic.createCompletionQueue(16);
            cursor = cq.cursor();
            memory = domain.allocate(2 * LINE, AccessRight.LOCAL_WRITE);
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(4, 4));
        }

        @Override
        public void close() {
            queuePair.close();
        }
    }

    private final Consumer<String> out;

    private Upgrade(Consumer<String> out) {
        this.out = out;
    }

    /**
     * Has the conversation.
     *
     * @param declined whether Bob turns the switch down
     * @param out receives each line
     */
    public static Figures run(Rnic here, Rnic there, boolean declined, Consumer<String> out)
            throws IOException, Failure {
        return new Upgrade(out).chat(here, there, declined);
    }

    private Figures chat(Rnic here, Rnic there, boolean declined) throws IOException, Failure {
        try (ServerSocketChannel server = ServerSocketChannel.open();
                Chatter alice = new Chatter("Alice", here);
                Chatter bob = new Chatter("Bob", there)) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            long startNs = System.nanoTime();
            try (SocketChannel hers = SocketChannel.open(server.getLocalAddress());
                    SocketChannel his = server.accept()) {
                long connectNs = System.nanoTime() - startNs;
                say("TCP", alice, "Hello Bob.", hers, his);
                say("TCP", bob, "Hello Alice. This is a plain TCP connection, is it not?", his, hers);
                say("TCP", alice, "Not for long. Shall we switch to RDMA?", hers, his);
                return declined ? stay(alice, bob, hers, his, connectNs) : go(alice, bob, hers, his, connectNs);
            }
        }
    }

    private Figures go(Chatter alice, Chatter bob, SocketChannel hers, SocketChannel his, long connectNs)
            throws IOException, Failure {
        String yes = "Go ahead. I am listening for FPDUs already.";
        out.accept("      -- Bob hands his stream to his RNIC, together with his last line");
        long switchNs = System.nanoTime();
        Connection bobs = bob.rnic.takeOver(
                bob.queuePair,
                his,
                StreamConversion.asResponder()
                        .withLastStreamMessage(padded(yes))
                        .withOptions(OPTIONS));
        out.accept(line("TCP", bob, hear(hers)));
        out.accept("      -- Alice has read it and hands over hers: MPA Request, MPA Reply, RTR frame");
        Connection alices = alice.rnic.takeOver(
                alice.queuePair, hers, StreamConversion.asInitiator().withOptions(OPTIONS));
        alices.awaitEstablished(PATIENCE);
        bobs.awaitEstablished(PATIENCE);
        long tookNs = System.nanoTime() - switchNs;
        sayByRdma(alice, bob, "The same TCP connection, but now every line is an RDMA Send.");
        sayByRdma(bob, alice, "And it lands in my memory without a read call of mine.");
        sayByRdma(alice, bob, "That is all I wanted to show. Good bye.");
        alices.disconnect();
        boolean closed = alices.awaitClosed(PATIENCE)
                && bobs.awaitClosed(PATIENCE)
                && alices.state() == ConnectionState.CLOSED
                && bobs.state() == ConnectionState.CLOSED;
        out.accept("      -- Alice disconnected: both sides are " + alices.state() + " and " + bobs.state()
                + ", their queue pairs " + alice.queuePair.state() + " and " + bob.queuePair.state());
        return new Figures(connectNs, tookNs, true, closed);
    }

    private Figures stay(Chatter alice, Chatter bob, SocketChannel hers, SocketChannel his, long connectNs)
            throws IOException {
        long switchNs = System.nanoTime();
        byte[] word = "not today".getBytes(StandardCharsets.US_ASCII);
        StreamConversion no = StreamConversion.asResponder()
                .withRejection(any -> Optional.of(word))
                .withOptions(OPTIONS);
        Connection bobs = bob.rnic.takeOver(bob.queuePair, his, no);
        Connection alices = alice.rnic.takeOver(
                alice.queuePair, hers, StreamConversion.asInitiator().withOptions(OPTIONS));
        try {
            alices.awaitEstablished(PATIENCE);
        } catch (ConnectionException e) {
            out.accept("      -- Alice is notified: " + e.getMessage() + " Bob's word: '"
                    + PeerText.shown(new String(e.privateData(), StandardCharsets.US_ASCII)) + "'");
        }
        bobs.awaitClosed(PATIENCE);
        long tookNs = System.nanoTime() - switchNs;
        ReturnedStream back = alices.returnedStream().orElseThrow(() -> new IOException("the stream was not returned"));
        ReturnedStream his2 = bobs.returnedStream().orElseThrow(() -> new IOException("the stream was not returned"));
        say("TCP", alice, "Then we go on as we were.", back.stream(), his2.stream());
        say("TCP", bob, "Nothing was lost.", his2.stream(), back.stream());
        return new Figures(connectNs, tookNs, false, true);
    }

    // Streaming mode: lines of a fixed length.

    private void say(String kind, Chatter who, String words, SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(padded(words));
        while (bytes.hasRemaining()) {
            from.write(bytes);
        }
        out.accept(line(kind, who, hear(to)));
    }

    private static String hear(SocketChannel stream) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LINE);
        while (bytes.hasRemaining()) {
            if (stream.read(bytes) < 0) {
                throw new IOException("the stream ended in the middle of a line");
            }
        }
        return PeerText.shown(new String(bytes.array(), StandardCharsets.UTF_8).strip());
    }

    private static byte[] padded(String words) {
        return String.format("%-" + LINE + "s", words).getBytes(StandardCharsets.UTF_8);
    }

    private static String line(String kind, Chatter who, String words) {
        return String.format("[%-4s] %-6s %s", kind, who.name + ":", words);
    }

    // RDMA mode.

    private void sayByRdma(Chatter from, Chatter to, String words) throws Failure {
        byte[] bytes = padded(words);
        MemorySegment.copy(bytes, 0, from.memory.segment(), ValueLayout.JAVA_BYTE, 0, LINE);
        to.queuePair.postReceive(1, to.memory, LINE, LINE);
        from.queuePair.postSend(2, from.memory, 0, LINE, WrFlags.SIGNALLED);
        complete(from);
        complete(to);
        byte[] heard = to.memory.segment().asSlice(LINE, LINE).toArray(ValueLayout.JAVA_BYTE);
        out.accept(line("RDMA", from, PeerText.shown(new String(heard, StandardCharsets.UTF_8).strip())));
    }

    private static void complete(Chatter who) throws Failure {
        if (!who.cursor.next() && !(who.cq.await(PATIENCE) && who.cursor.next())) {
            throw new Failure("No completion arrived within " + PATIENCE.toSeconds() + " seconds");
        }
        if (!who.cursor.ok()) {
            throw new Failure("A message failed: " + who.cursor.status() + ", " + who.cursor.reason());
        }
    }
}
