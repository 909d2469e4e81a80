import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One connection to {@code rping -s -P}, ended in one way: {@code Closings WAY ADDRESS PORT [crc] [no-p2p]}. It prints how it
 * ended and fails when that is not as the way wants.
 */
final class Closings {

    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int BYTES = 64;

    private final Rnic rnic;
    private final MemoryRegion memory;
    private final QueuePair queuePair;
    private final CompletionQueue cq;
    private final CompletionCursor cursor;
    private final List<String> seen = new ArrayList<>();

    private Closings(boolean crc) {
        rnic = Rnic.open(RnicOptions.defaults().withCrc(crc));
        ProtectionDomain domain = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(64);
        cursor = cq.cursor();
        memory = domain.allocate(4096, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
        for (int i = 0; i < 4; i++) {
            queuePair.postReceive(100 + i, memory, 256, BYTES);
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> options = List.of(arguments);
        Closings run = new Closings(options.contains("crc"));
        InetSocketAddress to = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        int code = run.run(arguments[0], to, !options.contains("no-p2p"));
        run.rnic.close();
        System.exit(code);
    }

    private int run(String way, InetSocketAddress to, boolean peerToPeer) throws Exception {
        byte[] privateData = way.equals("private-data") ? new byte[100] : new byte[0];
        ConnectionOptions options = ConnectionOptions.defaults()
                .withTimeout(PATIENCE)
                .withPeerToPeer(peerToPeer)
                .withKeepAlive(way.equals("keep-alive") ? Duration.ofSeconds(2) : ConnectionOptions.KEEP_ALIVE)
                .withPrivateData(privateData);
        Connection connection = rnic.connect(queuePair, to, options);
        switch (way) {
            // Without peer-to-peer mode the first FPDU is ours to send; the offer of a buffer is rping's first message.
            case "graceful", "private-data" -> {
                round();
                connection.disconnect();
            }
            case "abort" -> {
                round();
                queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            }
            case "bad-key-here" -> {
                round();
                queuePair.postRead(1, memory, 0, 8, 0x1234, 0x777, WrFlags.SIGNALLED);
            }
            case "bad-key-there" -> offer(memory.rkey() + 1);
            case "work-pending" -> {
                offer(memory.rkey());
                connection.disconnect();
            }
            case "keep-alive" -> {
                round();
                // Silence for five bounds: the kernel must answer the probes.
                boolean ended = connection.awaitClosed(Duration.ofSeconds(10));
                note("after ten silent seconds: " + connection.state());
                if (ended) {
                    return verdict(way, connection);
                }
                connection.disconnect();
            }
            default -> throw new IllegalArgumentException("no way of closing is called " + way);
        }
        connection.awaitClosed(PATIENCE);
        return verdict(way, connection);
    }

    /** One round of rping: offer, its Read, its answer; offer, its Write, its answer. */
    private void round() {
        for (int half = 0; half < 2; half++) {
            offer(memory.rkey());
            if (!awaitReceive()) {
                note("rping did not answer");
            }
        }
    }

    /** Tells rping where our buffer is. */
    private void offer(int key) {
        var big = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        var small = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        memory.segment().set(big, 512, memory.address() + 1024);
        memory.segment().set(small, 520, key);
        memory.segment().set(small, 524, BYTES);
        queuePair.postSend(7, memory, 512, 16, WrFlags.UNSIGNALLED);
    }

    private boolean awaitReceive() {
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - endNs < 0) {
            while (cursor.next()) {
                if (cursor.ok() && cursor.wrId() >= 100) {
                    return true;
                }
                note("completion " + cursor.wrId() + " " + cursor.status());
                if (!cursor.ok()) {
                    return false;
                }
            }
            cq.await(Duration.ofSeconds(1));
        }
        return false;
    }

    private void note(String line) {
        seen.add(line);
        System.out.println(line);
    }

    private int verdict(String way, Connection connection) {
        while (cursor.next()) {
            note("completion " + cursor.opcode() + " " + cursor.wrId() + " " + cursor.status());
        }
        for (AsyncEvent event : rnic.pollAsyncEvents(Duration.ofMillis(200))) {
            note("event " + event.type() + ": " + event.sentence());
        }
        note("ended " + connection.state() + ", " + queuePair.state() + ": " + connection.reason());
        List<String> wanted = switch (way) {
            case "graceful", "private-data", "keep-alive" -> List.of("event CLOSE_COMPLETE", "ended CLOSED, IDLE");
            case "abort" -> List.of("RECEIVE 102 FLUSHED", "ended FAILED, ERROR");
            case "bad-key-here" -> List.of("READ 1 REMOTE_ACCESS", "event TERMINATE_RECEIVED", "ended FAILED, ERROR");
            case "bad-key-there" -> List.of("event QP_ACCESS_ERROR", "RECEIVE 100 FLUSHED", "ended FAILED, ERROR");
            // The Read of rping may be here before our FIN is there, or not: both ends are right, in the middle is wrong.
            case "work-pending" -> List.of("ended ");
            default -> List.of();
        };
        for (String each : wanted) {
            if (seen.stream().noneMatch(line -> line.startsWith(each) || line.contains(each))) {
                System.err.println(way + ": missing is '" + each + "'");
                return 1;
            }
        }
        return connection.state().ended() ? 0 : 1;
    }
}
