package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.PlainConnect;
import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.stream.StreamNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link ConnectAttempt} that chooses between RoCE and TCP. RoCE comes first: a program that accepts both would see a second
 * connection, which ends at once.
 *
 * <p><b>A peer that is silent.</b> After the patience, TCP connects as well, and the stream over RoCE is held: whatever the peer answers meanwhile,
 * a Verbena does not show it to its program. If TCP connects, the stream is dropped. If TCP does not, the stream goes on, since only RoCE can carry
 * the connection: such a peer has no TCP port, or a firewall drops its packets.
 *
 * <pre>
 *    patience            TCP connects: by TCP
 *   ----------> held ---> TCP fails: RoCE may take as long as the option setup states, then the failure of TCP is that of the connection
 *                  \---> TCP is silent, RoCE has answered: by RoCE
 * </pre>
 */
final class RoceAttempt implements PlainConnect.Outcome {

    /** As long as Linux repeats the first segment of a TCP connection (tcp_syn_retries). */
    private static final Duration AS_TCP = Duration.ofSeconds(127);

    private final ConnectAttempt home;
    private final Networks networks;
    private final InetSocketAddress remote;
    private final SetUpThread thread;
    private final Duration patience;

    // Of the thread.
    private SetUpThread.@Nullable Timer timer;
    private @Nullable PlainConnect tcp;
    private @Nullable IOException refusal;
    private String why;

    RoceAttempt(ConnectAttempt home, Networks networks, InetSocketAddress remote) {
        this.home = home;
        this.networks = networks;
        this.remote = remote;
        thread = networks.setUp();
        patience = networks.peers().patience(remote, networks.options().patience());
        why = "it did not answer by RoCE within " + patience.toMillis() + " ms";
    }

    /** Begins, by TCP if the RNIC cannot be opened or does not reach the peer. It may take a while. */
    void begin() throws IOException {
        Optional<StreamNetwork> streams = networks.roce().towards(remote.getAddress(), home.bound());
        if (streams.isEmpty()) {
            thread.execute(() -> home.attempt(() -> home.reconnect("no RNIC of this process reaches it")));
            return;
        }
        Duration setUp = setUp();
        home.dial(streams.get(), setUp.compareTo(AS_TCP) > 0 ? setUp : AS_TCP);
        thread.execute(() -> waitFor(patience, this::onSilent));
    }

    private Duration setUp() {
        return networks.options().streams().connectTimeout();
    }

    private void waitFor(Duration time, ConnectAttempt.Step next) {
        timer = thread.afterPatience(time.toNanos(), () -> home.attempt(next));
    }

    /** A connection that the peer has accepted is one for its program: it is not given up, though this thread has not noticed it. */
    private void onSilent() throws IOException {
        if (home.holdStream()) {
            PlainConnect beside = new PlainConnect(thread, home.openBeside(), this);
            tcp = beside;
            waitFor(networks.options().patience(), this::onSilentToo);
            beside.begin(remote);
        }
    }

    /** TCP has no answer either. */
    private void onSilentToo() {
        PlainConnect beside = tcp;
        if (beside == null) {
            return;
        }
        if (home.streamEstablished()) {
            tcp = null;
            beside.cancel();
            home.resumeStream();
        } else {
            waitFor(networks.options().patience(), this::onSilentToo);
        }
    }

    @Override
    public void onConnected() {
        tcp = null;
        stop();
        networks.peers().silent(remote);
        home.attempt(() -> {
            home.dropStream();
            home.explain(why);
            home.done(PlainCarrier.of(home.useBeside()));
        });
    }

    @Override
    public void onFailed(IOException e) {
        tcp = null;
        stop();
        refusal = e;
        if (home.resumeStream()) {
            timer = thread.after(setUp().toNanos(), () -> home.fail(e));
        } else {
            home.fail(e);
        }
    }

    /** The peer refuses by RoCE, or has not answered for as long as TCP waits. */
    void onRefused(String reason) {
        IOException refused = refusal;
        if (tcp != null) {
            why = reason; // and TCP has not answered yet
        } else if (refused != null) {
            home.fail(refused);
        } else {
            home.reconnect(reason);
        }
    }

    /** Ends what is under way. */
    void stop() {
        PlainConnect beside = tcp;
        tcp = null;
        if (beside != null) {
            beside.cancel();
        }
        SetUpThread.Timer running = timer;
        timer = null;
        if (running != null) {
            running.cancel();
        }
    }
}
