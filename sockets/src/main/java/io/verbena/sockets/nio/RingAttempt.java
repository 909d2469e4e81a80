package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.ring.channel.RingOffering;
import io.verbena.sockets.ring.channel.RingSocket;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Makes a connection, whose peer has agreed, a stream of rings. The steps run in the {@link SetUpThread}. */
final class RingAttempt {

    /** What becomes of it. One of them is called, once. */
    interface Outcome {
        void onRings(RingSocket socket);

        /** The peer cannot open the memory, and expects a request for RDMA on the connection. */
        void onRefused();

        void onFailed(IOException e);
    }

    private final SetUpThread thread;
    private final SocketChannel tcp;
    private final RingOffering offering;
    private final Outcome outcome;
    private @Nullable SelectionKey key;
    private SetUpThread.@Nullable Timer timer;
    private boolean over;

    private RingAttempt(SetUpThread thread, SocketChannel tcp, RingOffering offering, Outcome outcome) {
        this.thread = thread;
        this.tcp = tcp;
        this.offering = offering;
        this.outcome = outcome;
    }

    /** Begins, in a thread that may take a while. */
    static void begin(Networks networks, SocketChannel tcp, Outcome outcome) throws IOException {
        RingOffering offering = RingOffering.begin(
                tcp,
                networks.hostMemory().orElseThrow(),
                networks.options().streams().mostBufferBytes(),
                ThreadLocalRandom.current());
        RingAttempt attempt = new RingAttempt(networks.setUp(), tcp, offering, outcome);
        long limitNs = networks.options().streams().connectTimeout().toNanos();
        networks.setUp().execute(() -> attempt.watch(limitNs));
    }

    private void watch(long limitNs) {
        try {
            timer = thread.after(limitNs, () -> fail(new IOException("it has not answered an offer of shared memory")));
            key = thread.watch(tcp, SelectionKey.OP_READ, _ -> onReadable());
        } catch (IOException e) {
            fail(e);
        }
    }

    private void onReadable() {
        try {
            Optional<RingSocket> socket = offering.advance();
            if (socket.isPresent()) {
                leave(() -> outcome.onRings(socket.get()));
            } else if (offering.refused()) {
                leave(outcome::onRefused);
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(IOException e) {
        if (!over) {
            leave(() -> outcome.onFailed(e));
        }
    }

    /** {@code then} runs when no selector has the channel. */
    private void leave(Runnable then) {
        over = true;
        offering.close();
        SetUpThread.Timer limit = timer;
        if (limit != null) {
            limit.cancel();
        }
        SelectionKey watched = key;
        if (watched != null) {
            thread.forget(watched, then);
        } else {
            then.run();
        }
    }
}
