package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.FirstBytes;
import io.verbena.sockets.nio.opening.Front;
import io.verbena.sockets.nio.opening.ServerOpening;
import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.nio.opening.SocketFailure;
import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A peer from the moment at which TCP accepts it until the program takes it, or it has gone. Its first bytes are read and answered in the
 * {@link SetUpThread}.
 *
 * <p><b>When the program sees it.</b> As a stream over RDMA when that is established, as one of TCP with its first bytes, and a silent one after
 * a short time. A silent peer is watched further until the program takes it. After that an upgrade is declined, because the program can write at any moment.
 */
final class Arrival {

    private static final long MOST_RELEASE_MS = 10_000;
    private final Reception home;
    private final SocketChannel peer;
    private final ServerOpening opening;

    // Of the thread.
    private @Nullable SelectionKey key;
    private SetUpThread.@Nullable Timer silence;
    private SetUpThread.@Nullable Timer pause;
    private SetUpThread.@Nullable Timer slowness;
    private boolean silent;
    private volatile boolean over;
    private volatile boolean discarded;
    private boolean resets;

    private volatile @Nullable VerbenaSocketChannel channel;
    private volatile @Nullable StreamSocket stream;

    /** What it counts for; of the thread, and of {@link Reception#take}. */
    enum Place {
        /** One of those that the backlog states. */
        WAITS,
        /** Its set-up takes long: another limit counts it. */
        SLOW,
        NONE
    }

    private volatile Place place = Place.WAITS;

    Arrival(Reception home, SocketChannel peer, boolean agrees) {
        this.home = home;
        this.peer = peer;
        opening = new ServerOpening(agrees, home.acceptsRings());
    }

    Place place() {
        return place;
    }

    void place(Place next) {
        place = next;
    }

    // In the set-up thread.

    /** What may fail. */
    interface Step {
        void run() throws IOException;
    }

    /** A step that fails ends this peer, which gives its place to another one. */
    void step(Step step) {
        try {
            step.run();
        } catch (IOException _) {
            drop(); // it has left
        } catch (RuntimeException | Error e) {
            SetUpThread.log().log(Level.ERROR, "A peer is disconnected, because its set-up has failed.", e);
            drop();
        }
    }

    /** Begins. With {@code plain}, the first bytes are not examined. */
    void begin(boolean plain) throws IOException {
        peer.configureBlocking(false);
        if (plain) {
            opening.onTcpBesideRoce();
            show();
            return;
        }
        key = home.thread().watch(peer, SelectionKey.OP_READ, _ -> step(this::onReadable));
        silence = home.thread().afterPatience(home.silenceNs(), () -> step(this::onSilence));
        onReadable(); // the upgrade of a Verbena is often here already
    }

    private void onReadable() {
        if (over || !home.claim(this)) {
            return; // the program is taking it
        }
        ByteBuffer more = ByteBuffer.allocate(FirstBytes.MOST);
        try {
            int bytes = peer.read(more);
            opening.onBytes(more.flip());
            if (bytes < 0) {
                opening.onEnd();
            }
            byte[] reply = opening.takeReply();
            if (reply.length > 0) {
                peer.write(ByteBuffer.wrap(reply)); // nothing was sent before it, so that there is space
            }
        } catch (IOException _) {
            opening.onEnd(); // the program reads the error, if it is the one to read it
        }
        advance();
    }

    private void advance() {
        switch (opening.state()) {
            case WATCHED -> onPartial();
            case AGREED, DROPPING -> {
                stop(silence);
                watchSlowness();
            }
            case REQUEST -> {
                watchSlowness();
                leave(() -> home.thread().work(this::convert));
            }
            case PLAIN -> show();
            case GONE -> drop();
            case SHOWN -> {}
        }
    }

    private void watchSlowness() {
        if (slowness == null) {
            slowness = home.thread().after(home.slowNs(), () -> step(this::onSlow));
        }
    }

    private void onPartial() {
        if (!opening.partial()) {
            if (silent) {
                home.arrive(this);
            }
        } else if (pause == null) {
            pause = home.thread().after(Front.PAUSE_MS * 1_000_000L, () -> step(this::onPause));
        }
    }

    private void onPause() {
        if (!over && home.claim(this)) {
            opening.onPause();
            advance();
        }
    }

    private void onSilence() {
        if (!over && opening.state() == ServerOpening.State.WATCHED && !opening.partial()) {
            silent = true;
            home.onSilent();
            home.arrive(this); // and watched further
        }
    }

    private void onSlow() {
        if (over) {
            return;
        }
        home.slow(this);
        if (opening.state() != ServerOpening.State.REQUEST) {
            slowness = home.thread().afterPatience(home.patienceNs(), this::onStopped);
        }
    }

    /** The peer was stopped, or its host has gone. It can continue later, as over TCP. */
    private void onStopped() {
        if (home.crowded()) {
            drop();
        } else {
            onSlow();
        }
    }

    /** The stream is one of TCP. */
    private void show() {
        if (!over) {
            over = true;
            leave(() -> home.arrive(this));
        }
    }

    /** Ends the watch. {@code then} runs when no selector has the channel. */
    private void leave(Runnable then) {
        stop(silence);
        stop(pause);
        SelectionKey watched = key;
        key = null;
        if (watched != null) {
            home.thread().forget(watched, then);
        } else {
            then.run();
        }
    }

    private static void stop(SetUpThread.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Ends it, unless the program can take it. */
    private void drop() {
        if (!over) {
            discard();
        }
    }

    /** The listening channel is closed: the peer is reset, as TCP does it with those that were not accepted. */
    void reset() {
        resets = true;
        discard();
    }

    private void discard() {
        over = true;
        discarded = true;
        stop(slowness);
        home.gone(this);
        leave(this::close);
    }

    // In a thread that may take a while.

    private void convert() {
        try {
            PlainCarrier plain = PlainCarrier.accepted(peer, opening);
            VerbenaSocketChannel ownChannel = home.channel(plain);
            channel = ownChannel;
            if (ownChannel.convertToRings(plain)) {
                home.thread().execute(this::onRings);
                return;
            }
            StreamSocket begun = ownChannel.convert(plain);
            stream = begun;
            begun.onReady(() -> home.thread().execute(() -> step(() -> onStream(begun))));
            home.thread().execute(() -> step(() -> onStream(begun)));
        } catch (IOException _) {
            home.thread().execute(() -> step(this::drop));
        } catch (RuntimeException | Error e) {
            home.thread().execute(() -> step(this::drop));
            if (!discarded) { // else its channel was closed meanwhile
                throw e; // for the log
            }
        }
    }

    /** In the set-up thread. */
    private void onRings() {
        if (!over) {
            over = true;
            stop(slowness);
            home.arrive(this);
        }
    }

    /** In the set-up thread. */
    private void onStream(StreamSocket begun) {
        if (discarded) {
            close(); // it was discarded while it was converted
        }
        if (over) {
            return;
        }
        try {
            if (!begun.finishConnect() || over) { // asking may signal, and then this has run within itself
                return;
            }
        } catch (IOException e) {
            drop();
            return;
        }
        over = true;
        stop(slowness);
        VerbenaSocketChannel ownChannel = channel;
        if (ownChannel != null) {
            begun.onReady(ownChannel.keys::signal);
            home.arrive(this);
        }
    }

    // In the thread of the program, after it was taken from the queue.

    /** The channel for the program; nothing if the peer has gone. */
    @Nullable
    VerbenaSocketChannel take() throws IOException {
        VerbenaSocketChannel ownChannel = channel;
        if (ownChannel != null) {
            StreamSocket established = stream;
            if (established == null) {
                return ownChannel.wasReset() ? null : ownChannel;
            }
            return !established.wasReset() ? ownChannel : null;
        }
        if (!over) {
            release();
        }
        if (opening.state() == ServerOpening.State.GONE) {
            close();
            return null;
        }
        peer.configureBlocking(true);
        PlainCarrier plain = PlainCarrier.accepted(peer, opening);
        plain.onSpokenFirst(home::onSpokenFirst);
        return home.channel(plain);
    }

    /** Waits until the set-up thread no longer reads. */
    private void release() {
        CountDownLatch released = new CountDownLatch(1);
        home.thread().execute(() -> {
            over = true;
            leave(released::countDown);
        });
        boolean interrupted = false;
        long startNs = System.nanoTime();
        while (released.getCount() > 0 && System.nanoTime() - startNs < MOST_RELEASE_MS * 1_000_000) {
            try {
                released.await(MOST_RELEASE_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Disconnects the peer. */
    void close() {
        VerbenaSocketChannel ownChannel = channel;
        SocketChannel closing = ownChannel == null ? peer : ownChannel;
        SocketFailure.orNull(() -> {
            if (resets) {
                closing.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            closing.close();
            return "";
        });
    }
}
