import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.DatagramPeer;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The other side of ucmatose, udaddy and mckey of rdma-core:
 *
 * <pre>
 * CmStranger ucmatose|udaddy server LOCAL CONNECTIONS MESSAGES BYTES
 * CmStranger ucmatose|udaddy client LOCAL CONNECTIONS MESSAGES BYTES PEER
 * CmStranger mckey receiver|sender LOCAL GROUP MESSAGES BYTES
 * </pre>
 *
 * It ends with 0 if every message was exchanged. Received datagrams must have the length and the immediate data that the program
 * of Linux sends: the number of its queue pair.
 */
final class CmStranger {

    private static final int UCMATOSE_PORT = 7471;
    private static final int UDADDY_PORT = 7174;

    /** Q_Key of datagram services of rdma_cm. */
    private static final int QKEY = 0x0123_4567;

    private static final int MULTICAST_NUMBER = 0xff_ffff;
    private static final int GLOBAL_HEADER_BYTES = 40;
    private static final int MEMORY_BYTES = 1 << 20;
    private static final int RECEIVED_OFFSET = 1 << 19;

    private final Side side;
    private final int messages;
    private final int bytes;
    private final List<QueuePair> queuePairs = new ArrayList<>();

    private CmStranger(Side side, int messages, int bytes) {
        this.side = side;
        this.messages = messages;
        this.bytes = bytes;
    }

    public static void main(String[] arguments) throws Exception {
        try (Side side = new Side(arguments[2], MEMORY_BYTES)) {
            CmStranger program =
                    new CmStranger(side, Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]));
            String peer = arguments.length > 6 ? arguments[6] : "";
            switch (arguments[0] + " " + arguments[1]) {
                case "ucmatose server" -> program.connectionServer(Integer.parseInt(arguments[3]));
                case "ucmatose client" -> program.connectionClient(Integer.parseInt(arguments[3]), peer);
                case "udaddy server" -> program.datagramServer(Integer.parseInt(arguments[3]));
                case "udaddy client" -> program.datagramClient(Integer.parseInt(arguments[3]), peer);
                case "mckey receiver" -> program.receiveMulticast(InetAddress.ofLiteral(arguments[3]));
                case "mckey sender" -> program.sendMulticast(InetAddress.ofLiteral(arguments[3]));
                default -> throw new IllegalArgumentException("there is no program " + String.join(" ", arguments));
            }
            System.out.println("exchanged");
        }
        System.exit(0);
    }

    private QueuePair connected() {
        QueuePair queuePair = side.queuePair(TransportService.RELIABLE_CONNECTION);
        for (int i = 0; i < messages; i++) {
            queuePair.postReceive(i, side.memory, RECEIVED_OFFSET, bytes);
        }
        queuePairs.add(queuePair);
        return queuePair;
    }

    private void send(QueuePair queuePair) {
        for (int i = 0; i < messages; i++) {
            queuePair.postSend(i, side.memory, 0, bytes, WrFlags.SIGNALLED);
        }
    }

    // The server of ucmatose sends first, then both sides disconnect.
    private void connectionServer(int connections) throws Exception {
        List<Connection> accepted = new ArrayList<>();
        try (Listener listener = side.listen(UCMATOSE_PORT)) {
            for (int i = 0; i < connections; i++) {
                ConnectionRequest request = Side.next(listener);
                accepted.add(request.startAccept(connected(), ConnectionOptions.defaults()));
            }
            for (Connection connection : accepted) {
                connection.awaitEstablished(Side.PATIENCE);
            }
            queuePairs.forEach(this::send);
            side.take(CompletionOpcode.SEND, connections * messages);
            side.take(CompletionOpcode.RECEIVE, connections * messages);
            accepted.forEach(Connection::disconnect);
            accepted.forEach(Side::closed);
        }
    }

    private void connectionClient(int connections, String peer) throws Exception {
        List<Connection> opened = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            opened.add(side.rnic.startConnect(
                    connected(), new InetSocketAddress(peer, UCMATOSE_PORT), ConnectionOptions.defaults()));
        }
        for (Connection connection : opened) {
            connection.awaitEstablished(Side.PATIENCE);
        }
        side.take(CompletionOpcode.RECEIVE, connections * messages);
        queuePairs.forEach(this::send);
        side.take(CompletionOpcode.SEND, connections * messages);
        opened.forEach(Side::closed);
    }

    // Datagrams: the client sends first, and the server answers each of them when all have arrived.

    private QueuePair datagrams(int receives) {
        QueuePair queuePair = side.queuePair(TransportService.UNRELIABLE_DATAGRAM);
        PathAttributes path =
                PathAttributes.to(AddressHandleAttributes.to(side.local.getAddress())).withPartition(0, QKEY);
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
        for (int i = 0; i < receives; i++) {
            queuePair.postReceive(i, side.memory, RECEIVED_OFFSET, GLOBAL_HEADER_BYTES + bytes);
        }
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        queuePairs.add(queuePair);
        return queuePair;
    }

    private void send(QueuePair queuePair, AddressHandle to, int number, int qkey) {
        for (int i = 0; i < messages; i++) {
            queuePair.post(queuePair
                    .newWorkRequest()
                    .sendWithImmediate(queuePair.number())
                    .gather(side.memory, 0, bytes)
                    .to(to, number, qkey)
                    .flags(WrFlags.SIGNALLED)
                    .id(i));
        }
    }

    /** The next datagram; the cursor shows it. Completed Sends are passed. */
    private void nextDatagram() {
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < Side.PATIENCE.toNanos()) {
            while (side.cursor.next()) {
                if (!side.cursor.ok()) {
                    throw new IllegalStateException(side.cursor.opcode() + ": " + side.cursor.reason());
                }
                if (side.cursor.opcode() == CompletionOpcode.RECEIVE) {
                    checkDatagram();
                    return;
                }
            }
            side.cq.await(Duration.ofMillis(100));
        }
        throw new IllegalStateException("no datagram arrived in " + Side.PATIENCE);
    }

    private void checkDatagram() {
        if (side.cursor.byteCount() != GLOBAL_HEADER_BYTES + bytes
                || !side.cursor.hasGlobalHeader()
                || (int) side.cursor.immediate() != side.cursor.sourceQueuePairNumber()) {
            throw new IllegalStateException("a datagram of " + side.cursor.byteCount() + " bytes from queue pair "
                    + side.cursor.sourceQueuePairNumber() + " with immediate data " + side.cursor.immediate());
        }
    }

    private void datagramServer(int connections) throws Exception {
        AddressHandle back = null;
        int[] numbers = new int[connections];
        try (Listener listener = side.listen(UDADDY_PORT)) {
            for (int i = 0; i < connections; i++) {
                ConnectionRequest request = Side.next(listener);
                InetAddress from = ((InetSocketAddress) request.remoteAddress()).getAddress();
                back = side.domain.createAddressHandle(AddressHandleAttributes.to(from));
                request.acceptDatagrams(datagrams(messages), QKEY, new byte[0]);
            }
            for (int i = 0; i < connections * messages; i++) {
                nextDatagram();
                numbers[queuePairs.indexOf(side.cursor.queuePair())] = side.cursor.sourceQueuePairNumber();
            }
            for (int i = 0; i < connections; i++) {
                send(queuePairs.get(i), java.util.Objects.requireNonNull(back), numbers[i], QKEY);
            }
            side.take(CompletionOpcode.SEND, connections * messages);
        }
    }

    private void datagramClient(int connections, String peer) throws Exception {
        for (int i = 0; i < connections; i++) {
            DatagramPeer found =
                    side.rnic.lookUp(new InetSocketAddress(peer, UDADDY_PORT), ConnectionOptions.defaults());
            QueuePair queuePair = datagrams(messages);
            AddressHandle to = side.domain.createAddressHandle(found.address());
            send(queuePair, to, found.queuePairNumber(), found.qkey());
        }
        for (int i = 0; i < connections * messages; i++) {
            nextDatagram();
        }
    }

    private void receiveMulticast(InetAddress group) throws Exception {
        datagrams(messages).joinGroup(group);
        Side.ready();
        for (int i = 0; i < messages; i++) {
            nextDatagram();
        }
        queuePairs.getFirst().leaveGroup(group);
    }

    private void sendMulticast(InetAddress group) {
        AddressHandle to = side.domain.createAddressHandle(AddressHandleAttributes.to(group));
        send(datagrams(0), to, MULTICAST_NUMBER, QKEY);
        side.take(CompletionOpcode.SEND, messages);
    }
}
