package io.verbena.sockets.nio.opening;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** Connects a channel of the JDK by TCP alone. All of it is done by the {@link SetUpThread}. */
public final class PlainConnect {

    private final SetUpThread thread;
    private final SocketChannel channel;
    private final Outcome outcome;
    private @Nullable SelectionKey key;

    /** What comes of it. */
    public interface Outcome {
        /** The channel is connected, and no selector has it. */
        void onConnected();

        /** It is not, and is closed. */
        void onFailed(IOException e);
    }

    private interface Step {
        void run() throws IOException;
    }

    public PlainConnect(SetUpThread thread, SocketChannel channel, Outcome outcome) {
        this.thread = thread;
        this.channel = channel;
        this.outcome = outcome;
    }

    public void begin(InetSocketAddress remote) {
        step(() -> {
            channel.configureBlocking(false);
            if (channel.connect(remote) || channel.finishConnect()) { // within one host it is already
                outcome.onConnected();
            } else {
                key = thread.watch(channel, SelectionKey.OP_CONNECT, this::onReady);
            }
        });
    }

    private void onReady(SelectionKey ready) {
        step(() -> {
            channel.finishConnect();
            key = null;
            thread.forget(ready, outcome::onConnected);
        });
    }

    private void step(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            cancel();
            outcome.onFailed(e);
        }
    }

    /** Ends it, and closes the channel. */
    public void cancel() {
        SelectionKey watched = key;
        key = null;
        if (watched != null) {
            thread.forget(watched, () -> {}); // the system closes the socket when no selector has it
        }
        SocketFailure.orNull(() -> {
            channel.close();
            return "";
        });
    }
}
