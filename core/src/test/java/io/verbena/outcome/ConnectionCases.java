package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePair;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Listening, connecting, accepting and rejecting. */
final class ConnectionCases {

    private ConnectionCases() {}

    static final List<Case> ALL = List.of(
            of(
                    "connect to a host name without an address",
                    "ConnectionException FAILED",
                    s -> answer(() ->
                            s.a.rnic.connect(s.a.qp, InetSocketAddress.createUnresolved("no-such-host.invalid", 7)))),
            of("connect where nothing listens", "ConnectionException REFUSED", s -> {
                Listener listener = s.listen();
                var there = listener.localAddress();
                listener.close();
                return answer(() -> s.a.rnic.connect(s.a.qp, there));
            }),
            of("connect from an address of another machine", "ConnectionException FAILED", s -> {
                ConnectionOptions options = ConnectionOptions.defaults()
                        .withLocalAddress(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.77"), 0));
                Listener listener = s.listen();
                return answer(() -> s.a.rnic.connect(s.a.qp, listener.localAddress(), options));
            }),
            of("connect again after a refusal", "9 RECEIVE SUCCESS", s -> {
                Listener gone = s.listen();
                var there = gone.localAddress();
                gone.close();
                answer(() -> s.a.rnic.connect(s.a.qp, there));
                s.connect();
                s.b.receive(9, 8);
                s.a.send(1, 8);
                return s.b.takes(1);
            }),
            of("connect a connected queue pair", "IllegalStateException", s -> {
                s.connect();
                Listener listener = s.listen();
                return attempt(
                        () -> s.a.rnic.startConnect(s.a.qp, listener.localAddress(), ConnectionOptions.defaults()));
            }),
            of("connect a queue pair of another RNIC", "IllegalArgumentException", s -> {
                Listener listener = s.listen();
                return attempt(
                        () -> s.a.rnic.startConnect(s.b.qp, listener.localAddress(), ConnectionOptions.defaults()));
            }),
            of("connect a closed queue pair", "IllegalStateException", s -> {
                s.a.qp.close();
                Listener listener = s.listen();
                return attempt(
                        () -> s.a.rnic.startConnect(s.a.qp, listener.localAddress(), ConnectionOptions.defaults()));
            }),
            of("connect with too much private data", "IllegalArgumentException", s -> {
                Listener listener = s.listen();
                return attempt(() -> s.a.rnic.startConnect(
                        s.a.qp,
                        listener.localAddress(),
                        ConnectionOptions.defaults().withPrivateData(new byte[1_000])));
            }),
            of("connect with the maximum of private data", "true", s -> {
                int most = s.a.rnic.query().maxPrivateDataBytes();
                byte[] data = new byte[most];
                data[most - 1] = 5;
                ConnectionRequest request =
                        s.request(ConnectionOptions.defaults().withPrivateData(data));
                return answer(() -> request.privateData().length == most && request.privateData()[most - 1] == 5);
            }),
            of("connect without time", "IllegalArgumentException", s -> {
                Listener listener = s.listen();
                return attempt(() -> s.a.rnic.startConnect(
                        s.a.qp,
                        listener.localAddress(),
                        ConnectionOptions.defaults().withTimeout(Duration.ZERO)));
            }),
            of("connect without an answer in time", "ConnectionException TIMED_OUT", s -> {
                Listener listener = s.listen();
                return answer(() -> s.a.rnic.connect(
                        s.a.qp,
                        listener.localAddress(),
                        ConnectionOptions.defaults().withTimeout(Duration.ofMillis(30))));
            }),
            of("a rejection", "ConnectionException REJECTED REJECTED 2", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                request.reject(new byte[] {5, 6});
                return answer(() -> {
                            s.fromA().awaitEstablished(Scene.PATIENCE);
                            return "established";
                        })
                        + " " + s.fromA().state() + " " + s.fromA().privateData().length;
            }),
            of("a rejection with too much data", "IllegalArgumentException", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                return attempt(() -> request.reject(new byte[1_000]));
            }),
            of("reject twice", "IllegalStateException", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                request.reject(new byte[0]);
                return attempt(() -> request.reject(new byte[0]));
            }),
            of("accept after a rejection", "IllegalStateException", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                request.reject(new byte[0]);
                return attempt(() -> request.startAccept(s.b.qp, ConnectionOptions.defaults()));
            }),
            of("accept twice", "IllegalStateException", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                request.startAccept(s.b.qp, ConnectionOptions.defaults());
                return attempt(() -> request.startAccept(s.b.pd.createQueuePair(s.b.cq), ConnectionOptions.defaults()));
            }),
            of("accept with a queue pair of another RNIC", "IllegalArgumentException", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                QueuePair other = s.closing(s.a.pd.createQueuePair(s.a.cq));
                return attempt(() -> request.startAccept(other, ConnectionOptions.defaults()));
            }),
            of("accept with a connected queue pair", "IllegalStateException", s -> {
                s.connect();
                Listener listener = s.listen();
                QueuePair second = s.closing(s.a.pd.createQueuePair(s.a.cq));
                s.closing(s.a.rnic.startConnect(second, listener.localAddress(), ConnectionOptions.defaults()));
                ConnectionRequest request = listener.nextRequest(Scene.PATIENCE).orElseThrow();
                return attempt(() -> request.startAccept(s.b.qp, ConnectionOptions.defaults()));
            }),
            of("accept with private data", "3", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                request.startAccept(s.b.qp, ConnectionOptions.defaults().withPrivateData(new byte[] {1, 2, 3}));
                s.fromA().awaitEstablished(Scene.PATIENCE);
                return answer(() -> s.fromA().privateData().length);
            }),
            of("accept with too much private data", "IllegalArgumentException", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                return attempt(() ->
                        request.startAccept(s.b.qp, ConnectionOptions.defaults().withPrivateData(new byte[1_000])));
            }),
            of("the agreed numbers of Reads", "2 5 5 2", s -> {
                s.a.with(it -> it.withReads(3, 9));
                s.b.with(it -> it.withReads(5, 2));
                s.connect();
                return answer(() -> s.a.qp.query().inboundReads() + " "
                        + s.a.qp.query().outboundReads() + " " + s.b.qp.query().inboundReads() + " "
                        + s.b.qp.query().outboundReads());
            }),
            of("the numbers of Reads of a request", "3 9", s -> {
                s.a.with(it -> it.withReads(3, 9));
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                return answer(() -> request.inboundReads() + " " + request.outboundReads());
            }),
            of("wait for a request that does not come", "false", s -> {
                Listener listener = s.listen();
                return answer(() -> listener.nextRequest(Duration.ofMillis(2)).isPresent());
            }),
            of("wait for a request at a closed listener", "Optional.empty", s -> {
                Listener listener = s.listen();
                listener.close();
                return answer(() -> listener.nextRequest(Duration.ofMillis(2)));
            }),
            of("close a listener twice", "done", s -> {
                Listener listener = s.listen();
                return attempt(() -> {
                    listener.close();
                    listener.close();
                });
            }),
            of("listen at a used address", "IOException", s -> {
                Listener listener = s.listen();
                return attempt(() -> s.closing(s.b.rnic.listen(listener.localAddress())));
            }),
            of(
                    "listen at a host name without an address",
                    "IOException",
                    s -> attempt(() -> s.b.rnic.listen(InetSocketAddress.createUnresolved("no-such-host.invalid", 7)))),
            of(
                    "listen at an address of another machine",
                    "IOException",
                    s -> attempt(() -> s.b.rnic.listen(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.77"), 0)))),
            of(
                    "listen without a backlog",
                    "IllegalArgumentException",
                    s -> attempt(() -> s.b.rnic.listen(
                            Scene.anyPort(), ListenOptions.defaults().withBacklog(0)))),
            of("the addresses of a connection", "true", s -> {
                s.connect();
                return answer(() -> s.fromA().localAddress().equals(s.fromB().remoteAddress())
                        && s.fromA().remoteAddress().equals(s.fromB().localAddress()));
            }),
            of("the connection of a queue pair", "true", s -> {
                s.connect();
                return answer(() -> s.a.qp.connection().orElseThrow() == s.fromA()
                        && s.fromA().queuePair() == s.a.qp);
            }),
            of(
                    "a connection that is to survive its transport",
                    "true true",
                    s -> answer(() -> {
                        s.connect(ConnectionOptions.defaults().surviving());
                        return s.fromA().survives() + " " + s.fromB().survives();
                    })),
            of(
                    "a connection that only one side wants to survive its transport",
                    "false false",
                    s -> answer(() -> {
                        ConnectionRequest request =
                                s.request(ConnectionOptions.defaults().surviving());
                        Connection accepted = request.accept(s.b.qp);
                        s.fromA().awaitEstablished(Scene.PATIENCE);
                        return s.fromA().survives() + " " + accepted.survives();
                    })),
            of("an alternate path", "UnsupportedOperationException", s -> {
                s.connect();
                return attempt(() ->
                        s.fromA().proposeAlternatePath(AddressHandleAttributes.to(InetAddress.getLoopbackAddress())));
            }));
}
