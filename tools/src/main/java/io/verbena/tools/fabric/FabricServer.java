package io.verbena.tools.fabric;

import io.verbena.base.Times;
import io.verbena.fabric.ibsim.ControlMessage;
import io.verbena.fabric.ibsim.DatagramMessage;
import io.verbena.fabric.ibsim.IbsimServer;
import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * The sockets of {@code verbena fabric serve}: control messages at one UDP port, the datagrams of each client at one of the ports that
 * follow it. Loopback only: the protocol has no protection.
 */
public final class FabricServer implements AutoCloseable {

    private static final int CONTROL = -1;
    private static final int BUFFER = 512;
    private static final int BATCH = 64;
    private static final int SOCKET_BUFFER = 4 << 20;

    private final IbsimServer server;
    private final Selector selector;
    private final DatagramChannel control;
    private final List<DatagramChannel> data = new ArrayList<>();
    final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
    private final MemorySegment message = MemorySegment.ofBuffer(buffer);
    private final IbsimServer.Outbox outbox = this::deliver;

    /**
     * Opens the sockets.
     *
     * @throws Failure if a port is in use
     */
    public FabricServer(IbsimServer server, int port) throws Failure, IOException {
        this.server = server;
        selector = Selector.open();
        try {
            control = open(port, CONTROL);
            for (int i = 0; i < IbsimServer.MOST_CLIENTS; i++) {
                data.add(open(port + 1 + i, i));
            }
        } catch (Failure | IOException e) {
            close();
            throw e;
        }
    }

    private DatagramChannel open(int port, int client) throws Failure, IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.register(selector, SelectionKey.OP_READ, client);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw new Failure(
                    "Cannot use the UDP port " + port + " of the " + (IbsimServer.MOST_CLIENTS + 1)
                            + " that are needed: " + e.getMessage() + "; choose others with --port",
                    e);
        }
    }

    /** Interrupts {@link #turn}. */
    public void wakeup() {
        selector.wakeup();
    }

    /** Waits for messages or for the time of the next trap, at most this long, and does what is to be done. */
    public void turn(long mostNs) throws IOException {
        long nowNs = System.nanoTime();
        long deadlineNs = Times.earlier(server.nextDeadlineNs(nowNs), Times.after(nowNs, mostNs));
        long waitNs = deadlineNs - nowNs;
        if (waitNs <= 0) {
            selector.selectNow();
        } else {
            selector.select(Math.max(1, waitNs / 1_000_000));
        }
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isValid() && key.attachment() instanceof Integer client) {
                if (client == CONTROL) {
                    control();
                } else {
                    datagrams(client);
                }
            }
        }
        selector.selectedKeys().clear();
        server.onTime(System.nanoTime(), outbox);
    }

    private void control() throws IOException {
        for (int i = 0; i < BATCH; i++) {
            buffer.clear();
            SocketAddress from;
            try {
                from = control.receive(buffer);
            } catch (PortUnreachableException e) {
                continue;
            }
            if (from == null) {
                return;
            }
            onControl(buffer.position(), from);
        }
    }

    /** Executes the message in the buffer. */
    void onControl(int length, SocketAddress from) throws IOException {
        // RFC 768: a source port of 0 means that no reply is expected, and none can be sent there.
        boolean answerable = from instanceof InetSocketAddress address && address.getPort() != 0;
        if (!answerable || !server.onControl(message, length)) {
            return;
        }
        connectSockets();
        try {
            control.send(buffer.clear().limit(ControlMessage.LENGTH), from);
        } catch (IOException e) {
            // The answer is lost, as any datagram may be. The client repeats its message, and other clients are not
            // affected.
        }
    }

    /** Connects the data socket of each client to the client's port, so that others cannot write to it and its end is noticed. */
    private void connectSockets() throws IOException {
        for (int i = 0; i < data.size(); i++) {
            DatagramChannel channel = data.get(i);
            int port = server.udpPort(i);
            boolean right =
                    channel.getRemoteAddress() instanceof InetSocketAddress peer ? peer.getPort() == port : port == 0;
            if (!right) {
                channel.disconnect();
                if (port != 0) {
                    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                }
            }
        }
    }

    private void datagrams(int client) {
        DatagramChannel channel = data.get(client);
        for (int i = 0; i < BATCH; i++) {
            try {
                buffer.clear();
                if (channel.receive(buffer) == null) {
                    return;
                }
                server.onDatagram(client, message, buffer.position(), outbox);
            } catch (IOException e) {
                server.disconnect(client);
                return;
            }
        }
    }

    private void deliver(int client, MemorySegment bytes) {
        DatagramChannel channel = data.get(client);
        ByteBuffer out = bytes.asByteBuffer().limit(DatagramMessage.LENGTH);
        try {
            if (channel.isConnected()) {
                channel.write(out);
            }
        } catch (IOException e) {
            // The client has ended without a word.
            server.disconnect(client);
        }
    }

    @Override
    public void close() throws IOException {
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
