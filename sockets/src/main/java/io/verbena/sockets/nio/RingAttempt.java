package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.ring.channel.RingOffering;
import io.verbena.sockets.ring.channel.RingSocket;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes a connection, whose peer has agreed, a stream of rings. The steps run in the {@link SetUpThread}. */
final class RingAttempt implements Runnable, Consumer<SelectionKey> {

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
    private final long limitNs;
    private @Nullable SelectionKey key;
    private SetUpThread.@Nullable Timer timer;
    private boolean over;

    private RingAttempt(SetUpThread thread, SocketChannel tcp, RingOffering offering, Outcome outcome, long limitNs) {
        this.thread = thread;
        this.tcp = tcp;
        this.offering = offering;
        this.outcome = outcome;
        this.limitNs = limitNs;
    }

    /** Begins, in a thread that may take a while. */
    static void begin(Networks networks, SocketChannel tcp, Outcome outcome) throws IOException {
        RingOffering offering = RingOffering.begin(
                tcp,
                networks.hostMemory().orElseThrow(),
                networks.options().streams().mostBufferBytes(),
                ThreadLocalRandom.current());
        long limitNs = networks.options().streams().connectTimeout().toNanos();
        networks.setUp().execute(new RingAttempt(networks.setUp(), tcp, offering, outcome, limitNs));
    }

    /** The first step: watches the connection. */
    @Override
    public void run() {
        try {
            timer = thread.after(limitNs, new Limit());
            key = thread.watch(tcp, SelectionKey.OP_READ, this);
        } catch (IOException e) {
            fail(e);
        }
    }

    private final class Limit implements Runnable {
        @Override
        public void run() {
            fail(new IOException("it has not answered an offer of shared memory"));
        }
    }

    /** The connection can be read. */
    @Override
    public void accept(SelectionKey readable) {
        try {
            Optional<RingSocket> socket = offering.advance();
            if (socket.isPresent() || offering.refused()) {
                leave(new Report(socket, Optional.empty()));
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(IOException e) {
        if (!over) {
            leave(new Report(Optional.empty(), Optional.of(e)));
        }
    }

    private final class Report implements Runnable {
        private final Optional<RingSocket> socket;
        private final Optional<IOException> failure;

        Report(Optional<RingSocket> socket, Optional<IOException> failure) {
            this.socket = socket;
            this.failure = failure;
        }

        @Override
        public void run() {
            if (socket.isPresent()) {
                outcome.onRings(socket.get());
            } else if (failure.isPresent()) {
                outcome.onFailed(failure.get());
            } else {
                outcome.onRefused();
            }
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
