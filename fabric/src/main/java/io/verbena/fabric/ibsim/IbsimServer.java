package io.verbena.fabric.ibsim;

import io.verbena.fabric.ibsim.ControlMessage.Type;
import io.verbena.fabric.mad.NodeInfo;
import io.verbena.fabric.mad.Notice;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.management.Delivery;
import io.verbena.fabric.management.Delivery.Outcome;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The simulator's side of ibsim's protocol: attaches clients to nodes of a fabric and moves their datagrams. Messages of any
 * content are safe; those that are not valid are answered with an error or discarded.
 */
public final class IbsimServer {

    /** Maximum number of clients at a time. */
    public static final int MOST_CLIENTS = 32;

    private static final long CLIENT_SHIFT = 48;
    private static final long WITHOUT_CLIENT = (1L << CLIENT_SHIFT) - 1;
    private static final int P_KEYS_SHOWN = 32;

    /** Where datagrams for clients go. */
    public interface Outbox {
        /**
         * Sends a message to a client.
         *
         * @param message valid during the call
         */
        void send(int client, MemorySegment message);
    }

    /** Figures since the start. */
    public record Figures(long datagrams, long answered, long forwarded, long lost) {}

    private static final class Client {
        final int node;
        final int port;
        final int udpPort;
        boolean manager;
        long lastUse;

        Client(int node, int port, int udpPort) {
            this.node = node;
            this.port = port;
            this.udpPort = udpPort;
        }
    }

    private final ManagedFabric fabric;
    private final List<Optional<Client>> clients = new ArrayList<>();
    private final ControlMessage control = new ControlMessage();
    private final DatagramMessage datagram = new DatagramMessage();
    private final MadHeader mad = new MadHeader();
    private final MemorySegment trap = MemorySegment.ofArray(new byte[DatagramMessage.LENGTH]);
    private long uses;
    private long answered;
    private long forwarded;
    private long lost;
    private long datagrams;

    /** A server without clients. */
    public IbsimServer(ManagedFabric fabric) {
        this.fabric = fabric;
        for (int i = 0; i < MOST_CLIENTS; i++) {
            clients.add(Optional.empty());
        }
    }

    /** Figures since the start. */
    public Figures figures() {
        return new Figures(datagrams, answered, forwarded, lost);
    }

    /** The UDP port at which a connected client receives; 0 if there is none with this number. */
    public int udpPort(int client) {
        return client(client).map(known -> known.udpPort).orElse(0);
    }

    private Optional<Client> client(int number) {
        return number >= 0 && number < MOST_CLIENTS ? clients.get(number) : Optional.empty();
    }

    // --------------------------------------------------------------------------------------------------------------
    // control

    /**
     * Executes a control message and turns it into its answer.
     *
     * @return whether there is an answer: none to bytes that are not a control message
     */
    public boolean onControl(MemorySegment message, long length) {
        control.wrap(message, 0);
        if (length != ControlMessage.LENGTH || control.magic() != ControlMessage.MAGIC) {
            return false;
        }
        Type type = control.type().orElse(Type.ERROR);
        if (type == Type.CONNECT) {
            connect();
            return true;
        }
        Optional<Client> client = client(control.client());
        if (client.isEmpty() || type == Type.ERROR) {
            control.type(Type.ERROR);
            return true;
        }
        execute(type, client.get(), message);
        return true;
    }

    private void execute(Type type, Client client, MemorySegment message) {
        MemorySegment data = message.asSlice(ControlMessage.DATA, ControlMessage.DATA_LENGTH);
        switch (type) {
            case DISCONNECT -> disconnect(control.client());
            case GET_PORT -> {
                data.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) fabric.lid(client.node, client.port));
                data.set(ValueLayout.JAVA_BYTE, 2, (byte) fabric.portState(client.node, client.port));
            }
            case GET_VENDOR -> {
                Node node = fabric.topology().node(client.node);
                control.data(0, node.identity().vendor())
                        .data(1, node.identity().device())
                        .data(2, 0);
                data.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, 1);
            }
            case GET_GID -> {
                MemorySegment info = portInfo(client, 0);
                MemorySegment.copy(info, 8, data, 0, 8);
                nodeGuid(client, data, 8);
            }
            case GET_GUID -> nodeGuid(client, data, 0);
            case GET_NODE_INFO -> {
                data.fill((byte) 0);
                fabric.nodeInfo(client.node, client.port, data, 0);
                nodeGuid(client, data, 12);
            }
            case GET_PORT_INFO -> data.copyFrom(portInfo(client, data.get(ValueLayout.JAVA_BYTE, 0) & 0xff));
            case SET_IS_SM -> {
                client.manager = control.data(0) != 0;
                fabric.manager(client.node, client.port, client.manager);
            }
            case GET_P_KEYS -> {
                data.fill((byte) 0);
                byte[] keys = fabric.pKeys(client.node, client.port);
                MemorySegment.copy(MemorySegment.ofArray(keys), 0, data, 0, Math.min(keys.length, 2 * P_KEYS_SHOWN));
            }
            case ERROR, CONNECT -> throw new AssertionError("handled before");
        }
    }

    /**
     * The shim computes the GUID of the port as the GUID of the node plus the port number, which is not so for every adapter. Only
     * its own view of its node is affected.
     */
    private void nodeGuid(Client client, MemorySegment data, long offset) {
        Node node = fabric.topology().node(client.node);
        long guid = node.isSwitch() ? node.guid() : node.address(client.port).guid() - client.port;
        MemorySegment scratch = MemorySegment.ofArray(new byte[NodeInfo.LENGTH]);
        new NodeInfo().wrap(scratch, 0).nodeGuid(guid);
        MemorySegment.copy(scratch, 12, data, offset, 8);
    }

    private MemorySegment portInfo(Client client, int asked) {
        Node node = fabric.topology().node(client.node);
        return fabric.portInfo(client.node, asked == 0 || asked > node.ports() ? client.port : asked);
    }

    private void connect() {
        int udpPort = control.data(0);
        boolean manager = control.data(2) != 0;
        Optional<Node> node = attachment(control.nodeName());
        int number = free();
        if (node.isEmpty() || number < 0 || udpPort <= 0 || udpPort > 0xffff) {
            control.type(Type.ERROR);
            return;
        }
        Client client = new Client(node.get().index(), port(node.get()), udpPort);
        client.manager = manager;
        client.lastUse = ++uses;
        disconnect(number);
        clients.set(number, Optional.of(client));
        control.data(0, number);
        if (control.nodeName().isEmpty()) {
            control.nodeName(node.get().name());
        }
    }

    /** The node with a name, or the first adapter that has a cable. */
    private Optional<Node> attachment(String name) {
        if (!name.isEmpty()) {
            return fabric.topology()
                    .find(name)
                    .or(() -> fabric.topology().nodes().stream()
                            // A client can only send 31 bytes of a name.
                            .filter(node -> name.length() >= 31 && node.name().startsWith(name))
                            .findFirst());
        }
        return fabric.topology().nodes(NodeKind.ADAPTER).stream()
                .filter(node -> fabric.topology().cableAt(node.index(), port(node)) >= 0)
                .findFirst()
                .or(() -> Optional.of(fabric.topology().node(0)));
    }

    /** A switch is attached to at its port 0, other nodes at their first port with a cable. */
    private int port(Node node) {
        if (node.isSwitch()) {
            return 0;
        }
        for (int port = 1; port <= node.ports(); port++) {
            if (fabric.topology().cableAt(node.index(), port) >= 0) {
                return port;
            }
        }
        return 1;
    }

    /** A free number. If there is none, the client that was silent for longest and is no manager loses its own. */
    private int free() {
        int oldest = -1;
        long use = Long.MAX_VALUE;
        for (int i = 0; i < MOST_CLIENTS; i++) {
            Optional<Client> client = clients.get(i);
            if (client.isEmpty()) {
                return i;
            }
            if (!client.get().manager && client.get().lastUse < use) {
                use = client.get().lastUse;
                oldest = i;
            }
        }
        return oldest;
    }

    /** Removes a client: it said so, or its socket is gone. */
    public void disconnect(int number) {
        Optional<Client> client = client(number);
        if (client.isPresent()) {
            clients.set(number, Optional.empty());
            if (client.get().manager) {
                fabric.manager(client.get().node, client.get().port, false);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------------------
    // datagrams

    /** Moves a datagram of a client: through the fabric, and to the client that receives it or its response. */
    public void onDatagram(int number, MemorySegment message, long length, Outbox outbox) {
        Optional<Client> known = client(number);
        if (known.isEmpty() || length != DatagramMessage.LENGTH) {
            return;
        }
        datagrams++;
        Client client = known.get();
        client.lastUse = ++uses;
        datagram.wrap(message, 0);
        MemorySegment bytes = message.asSlice(DatagramMessage.MAD, DatagramMessage.MAD_LENGTH);
        mad.wrap(bytes, 0);
        boolean response = mad.response();
        boolean repress = mad.method() == Smp.TRAP_REPRESS;
        int dlid = datagram.dlid();
        if (!response && !repress) {
            // The number of the client returns in the response, which may come from another client.
            mad.transactionId(mad.transactionId() & WITHOUT_CLIENT | (long) number << CLIENT_SHIFT);
        }
        if (mad.mgmtClass() != Smp.CLASS_DIRECTED && datagram.slid() == 0) {
            datagram.slid(fabric.lid(client.node, client.port));
        }
        Delivery delivery = fabric.send(client.node, client.port, dlid, bytes);
        switch (delivery.outcome()) {
            case ANSWERED -> {
                answered++;
                datagram.dlid(datagram.slid()).slid(dlid).status(0);
                int from = datagram.sourceQp();
                datagram.sourceQp(datagram.destinationQp()).destinationQp(from);
                outbox.send(number, message);
            }
            case FORWARDED -> forward(number, delivery, response, message, outbox);
            case CONSUMED -> forwarded++;
            case LOST -> lose(number, response || repress, message, outbox);
        }
    }

    private void forward(int number, Delivery delivery, boolean response, MemorySegment message, Outbox outbox) {
        int receiver = receiver(delivery, response);
        if (receiver < 0) {
            lose(number, response, message, outbox);
            return;
        }
        forwarded++;
        outbox.send(receiver, message);
    }

    private int receiver(Delivery delivery, boolean response) {
        int named = (int) (mad.transactionId() >>> CLIENT_SHIFT);
        for (int i = 0; i < MOST_CLIENTS; i++) {
            Optional<Client> client = clients.get(i);
            boolean there =
                    client.isPresent() && client.get().node == delivery.node() && client.get().port == delivery.port();
            if (there && (response ? i == named : client.get().manager)) {
                return i;
            }
        }
        return -1;
    }

    /** The client learns at once that there will be no response. */
    private void lose(int number, boolean response, MemorySegment message, Outbox outbox) {
        lost++;
        if (!response) {
            datagram.status(DatagramMessage.TIMED_OUT);
            outbox.send(number, message);
        }
    }

    // ----------------------------------------------------------------------------------------------------------------
    // traps

    /** Sends the traps that are due to the subnet manager. */
    public void onTime(long nowNs, Outbox outbox) {
        MemorySegment bytes = trap.asSlice(DatagramMessage.MAD, DatagramMessage.MAD_LENGTH);
        Optional<Delivery> delivery = fabric.pollTrap(nowNs, bytes);
        while (delivery.isPresent()) {
            mad.wrap(bytes, 0);
            int receiver = delivery.get().outcome() == Outcome.FORWARDED ? receiver(delivery.get(), false) : -1;
            if (receiver >= 0) {
                int issuer = new Notice().wrap(bytes, SmpHeader.DATA).issuerLid();
                datagram.wrap(trap, 0)
                        .dlid(fabric.lid(delivery.get().node(), delivery.get().port()))
                        .slid(issuer)
                        .destinationQp(0)
                        .sourceQp(0)
                        .status(0)
                        .length(DatagramMessage.MAD_LENGTH);
                outbox.send(receiver, trap);
            }
            delivery = fabric.pollTrap(nowNs, bytes);
        }
    }

    /** When {@link #onTime} has something to do. */
    public long nextDeadlineNs(long nowNs) {
        return fabric.nextDeadlineNs(nowNs);
    }
}
