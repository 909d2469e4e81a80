import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * The other side of {@code qperf -cm 1}, tests rc_lat and rc_rdma_read_bw:
 *
 * <pre>
 * QperfStranger server LOCAL
 * QperfStranger client LOCAL TEST BYTES PEER
 * </pre>
 *
 * A test lasts as many seconds as its request says. Both sides exchange the request, the port of rdma_cm, addresses, and
 * results over TCP, in structures whose integers are little-endian.
 */
final class QperfStranger {

    private static final int TCP_PORT = 19_765;
    private static final int REQUEST_BYTES = 200;
    private static final int NODE_BYTES = 40;
    private static final int RESULT_BYTES = 256;
    private static final int RC_LAT = 16;
    private static final int RC_RDMA_READ_BW = 17;

    /** Offsets in the request. */
    private static final int TEST = 6;

    private static final int MESSAGE_BYTES = 24;
    private static final int SECONDS = 60;
    private static final int PATIENCE_SECONDS = 64;
    private static final int USE_CM = 68;

    private static final int MEMORY_BYTES = 1 << 20;
    private static final int TARGET = 1 << 19;
    private static final int WINDOW = 16;

    private final Side side;
    private final Socket control;
    private final boolean client;
    private int test;
    private int bytes;
    private int seconds;
    private long messages;

    private QperfStranger(Side side, Socket control, boolean client) throws IOException {
        this.side = side;
        this.control = control;
        this.client = client;
        control.setSoTimeout((int) Side.PATIENCE.toMillis());
        control.setTcpNoDelay(true);
    }

    public static void main(String[] arguments) throws Exception {
        try (Side side = new Side(arguments[1], MEMORY_BYTES)) {
            InetAddress local = side.local.getAddress();
            if (arguments[0].equals("server")) {
                try (ServerSocket listener = new ServerSocket(TCP_PORT, 1, local)) {
                    Side.ready();
                    listener.setSoTimeout((int) Side.PATIENCE.toMillis());
                    new QperfStranger(side, listener.accept(), false).serve();
                }
            } else {
                int test = arguments[2].equals("rc_lat") ? RC_LAT : RC_RDMA_READ_BW;
                Socket control = new Socket(arguments[4], TCP_PORT);
                new QperfStranger(side, control, true).request(test, Integer.parseInt(arguments[3]));
            }
        }
        System.exit(0);
    }

    private static ByteBuffer structure(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private ByteBuffer read(int length) throws IOException {
        byte[] read = control.getInputStream().readNBytes(length);
        if (read.length < length) {
            throw new IOException("qperf closed its connection after " + read.length + " of " + length + " bytes");
        }
        return ByteBuffer.wrap(read).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void write(ByteBuffer structure) throws IOException {
        control.getOutputStream().write(structure.array());
    }

    private void sendSync(String when) throws IOException {
        control.getOutputStream().write(("synchronization " + when + " test").getBytes(StandardCharsets.US_ASCII));
    }

    private void receiveSync(String when) throws IOException {
        byte[] expected = ("synchronization " + when + " test").getBytes(StandardCharsets.US_ASCII);
        if (!Arrays.equals(expected, read(expected.length).array())) {
            throw new IOException("qperf did not synchronize " + when + " the test");
        }
    }

    private void serve() throws Exception {
        ByteBuffer request = read(REQUEST_BYTES);
        test = request.getShort(TEST);
        bytes = request.getInt(MESSAGE_BYTES);
        seconds = request.getInt(SECONDS);
        if (request.getInt(USE_CM) == 0 || test != RC_LAT && test != RC_RDMA_READ_BW) {
            throw new IOException("qperf requests test " + test + " without rdma_cm or one that is not known here");
        }
        QueuePair queuePair = side.queuePair(TransportService.RELIABLE_CONNECTION);
        try (Listener listener = side.rnic.listen(side.local)) {
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            write(structure(4).putInt(port));
            run(Side.next(listener).accept(queuePair, ConnectionOptions.defaults()));
        }
    }

    private void request(int wanted, int size) throws Exception {
        test = wanted;
        bytes = size;
        seconds = 1;
        ByteBuffer request = structure(REQUEST_BYTES);
        request.putShort(2, (short) 4).putShort(4, (short) 11).putShort(TEST, (short) test);
        request.putInt(MESSAGE_BYTES, bytes).putInt(SECONDS, seconds).putInt(PATIENCE_SECONDS, 5);
        write(request.putInt(USE_CM, 1));
        int port = read(4).getInt();
        QueuePair queuePair = side.queuePair(TransportService.RELIABLE_CONNECTION);
        InetAddress peer = ((InetSocketAddress) control.getRemoteSocketAddress()).getAddress();
        run(side.rnic.connect(queuePair, new InetSocketAddress(peer, port)));
    }

    private void run(Connection connection) throws Exception {
        ByteBuffer node = structure(NODE_BYTES).putLong(side.memory.address()).putInt(24, side.memory.rkey());
        write(node);
        ByteBuffer theirs = read(NODE_BYTES);
        QueuePair queuePair = connection.queuePair();
        if (test == RC_LAT) {
            queuePair.postReceive(0, side.memory, TARGET, bytes);
        }
        sendSync("before");
        receiveSync("before");
        long endNs = System.nanoTime() + seconds * 1_000_000_000L;
        if (test == RC_LAT) {
            pingPong(queuePair, endNs);
        } else if (client) {
            readMemory(queuePair, theirs.getLong(0), theirs.getInt(24), endNs);
        }
        endOfTest();
        if (client) {
            connection.disconnect();
        }
        Side.closed(connection);
        if (messages == 0 && (client || test == RC_LAT)) {
            throw new IOException("no message was exchanged in " + seconds + " s");
        }
        System.out.println(messages + " messages of " + bytes + " bytes in " + seconds + " s");
    }

    /** A side that ends first leaves the last message of the other unanswered, so the end is not an error. */
    private void pingPong(QueuePair queuePair, long endNs) {
        boolean sends = client;
        while (System.nanoTime() - endNs < 0) {
            if (sends) {
                queuePair.postSend(1, side.memory, 0, bytes, WrFlags.SIGNALLED);
            }
            sends = false;
            while (!sends && System.nanoTime() - endNs < 0) {
                if (!side.cursor.next()) {
                    side.cq.await(Duration.ofMillis(10));
                    continue;
                }
                require();
                if (side.cursor.opcode() == CompletionOpcode.RECEIVE) {
                    queuePair.postReceive(0, side.memory, TARGET, bytes);
                    messages++;
                    sends = true;
                }
            }
        }
    }

    private void readMemory(QueuePair queuePair, long address, int rkey, long endNs) {
        int pending = 0;
        while (pending > 0 || System.nanoTime() - endNs < 0) {
            while (pending < WINDOW && System.nanoTime() - endNs < 0) {
                queuePair.postRead(2, side.memory, TARGET, bytes, address, rkey, WrFlags.SIGNALLED);
                pending++;
            }
            side.take(CompletionOpcode.READ, 1);
            messages++;
            pending--;
        }
    }

    private void require() {
        if (!side.cursor.ok()) {
            throw new IllegalStateException(side.cursor.opcode() + ": " + side.cursor.reason());
        }
    }

    private void endOfTest() throws IOException, InterruptedException {
        if (client) {
            read(RESULT_BYTES);
            sendSync("after");
        } else {
            long left = seconds * 1_000L;
            if (test == RC_RDMA_READ_BW) {
                Thread.sleep(left);
            }
            ByteBuffer result = structure(RESULT_BYTES).putInt(0, 1).putInt(4, 100);
            // A duration of the result, in ticks: qperf divides by it.
            result.putLong(12 + 9 * 8, seconds * 100L);
            // Bytes and messages received by this side.
            result.putLong(12 + 18 * 8 + 24, messages * bytes).putLong(12 + 18 * 8 + 32, messages);
            write(result);
            receiveSync("after");
        }
    }
}
