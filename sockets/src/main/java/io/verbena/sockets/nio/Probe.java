package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.ClientOpening;
import io.verbena.sockets.nio.opening.FirstBytes;
import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.nio.opening.SocketFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks by a connection of its own whether a peer is a Verbena, after it has sent bytes that answer no upgrade. A Verbena does not show this
 * connection to its program. All of it happens in the {@link SetUpThread}.
 */
final class Probe {

    /** What the peer is. */
    enum Outcome {
        VERBENA,
        /** Nothing listens there any more: the peer has accepted the last one that it wants. */
        REFUSED,
        /** The peer answers something else, or ends the connection. */
        PLAIN,
        /** There was no answer in time. */
        SILENT
    }

    private final Networks networks;
    private final InetSocketAddress remote;
    private final Consumer<Outcome> outcome;
    private final ClientOpening opening =
            new ClientOpening(ThreadLocalRandom.current().nextLong());
    private @Nullable SocketChannel tcp;
    private boolean over;

    Probe(Networks networks, InetSocketAddress remote, Consumer<Outcome> outcome) {
        this.networks = networks;
        this.remote = remote;
        this.outcome = outcome;
    }

    void begin() {
        networks.setUp().afterPatience(networks.options().patience().toNanos() / 2, () -> end(Outcome.SILENT));
        try {
            SocketChannel channel = networks.jdk().openSocketChannel();
            tcp = channel;
            channel.configureBlocking(false);
            boolean connected = channel.connect(remote);
            SelectionKey key = networks.setUp()
                    .watch(channel, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this::onReady);
            if (connected) {
                ask(key);
            }
        } catch (IOException e) {
            onFailure(e);
        }
    }

    private void onReady(SelectionKey key) {
        try {
            SocketChannel channel = (SocketChannel) key.channel();
            if (key.isConnectable()) {
                channel.finishConnect();
                ask(key);
                return;
            }
            ByteBuffer more = ByteBuffer.allocate(FirstBytes.MOST);
            if (channel.read(more) < 0) {
                end(Outcome.PLAIN);
                return;
            }
            opening.onBytes(more.flip());
            switch (opening.state()) {
                case ASKED -> {}
                case AGREED, DECLINED, FOREIGN -> end(Outcome.VERBENA);
                default -> end(Outcome.PLAIN);
            }
        } catch (IOException e) {
            onFailure(e);
        }
    }

    private void ask(SelectionKey key) throws IOException {
        key.interestOps(SelectionKey.OP_READ);
        ((SocketChannel) key.channel()).write(ByteBuffer.wrap(opening.probe()));
    }

    private void onFailure(IOException e) {
        end(e instanceof ConnectException ? Outcome.REFUSED : Outcome.PLAIN);
    }

    private void end(Outcome found) {
        if (over) {
            return;
        }
        over = true;
        SocketChannel channel = tcp;
        if (channel != null) {
            SocketFailure.orNull(() -> {
                channel.close();
                return "";
            });
        }
        outcome.accept(found);
    }
}
