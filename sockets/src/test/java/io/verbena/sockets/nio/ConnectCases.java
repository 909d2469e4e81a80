package io.verbena.sockets.nio;

import static io.verbena.sockets.nio.Stage.tryOut;

import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cases about opening, binding, connecting, accepting and closing. */
final class ConnectCases {

    private ConnectCases() {}

    static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        opening(cases);
        binding(cases);
        connecting(cases);
        nonBlocking(cases);
        accepting(cases);
        closing(cases);
        return cases;
    }

    private static void opening(Map<String, Stage.Body> cases) {
        cases.put("open_state", s -> {
            SocketChannel c = s.client();
            return List.of(
                    c.isOpen(),
                    c.isBlocking(),
                    c.isConnected(),
                    c.isConnectionPending(),
                    c.isRegistered(),
                    c.validOps());
        });
        cases.put("open_addressesAreNull", s -> {
            SocketChannel c = s.client();
            return c.getLocalAddress() + " " + c.getRemoteAddress();
        });
        cases.put("openServer_state", s -> {
            ServerSocketChannel c = s.server();
            return List.of(c.isOpen(), c.isBlocking(), c.isRegistered(), c.validOps(), c.getLocalAddress() == null);
        });
        for (StandardProtocolFamily family : StandardProtocolFamily.values()) {
            cases.put(
                    "open_family" + family,
                    s -> s.keep(s.provider.openSocketChannel(family)).isOpen());
            cases.put(
                    "openServer_family" + family,
                    s -> s.keep(s.provider.openServerSocketChannel(family)).isOpen());
        }
        cases.put("open_familyNull", s -> s.provider.openSocketChannel(null));
        cases.put("openServer_familyNull", s -> s.provider.openServerSocketChannel(null));
        cases.put("open_providerIsOurs", s -> s.client().provider() == s.provider);
        cases.put("pipe_carriesBytes", s -> {
            var pipe = s.provider.openPipe();
            s.keep(pipe.sink()).write(Stage.text("pipe"));
            ByteBuffer into = ByteBuffer.allocate(4);
            return s.keep(pipe.source()).read(into);
        });
        cases.put("datagrams_arrive", s -> {
            var a = s.keep(s.provider.openDatagramChannel());
            var b = s.keep(s.provider.openDatagramChannel(StandardProtocolFamily.INET));
            b.bind(s.here());
            a.send(Stage.text("hello"), b.getLocalAddress());
            ByteBuffer into = ByteBuffer.allocate(10);
            b.receive(into);
            return into.position();
        });
        for (String op : List.of("read", "write", "remote", "shutIn", "shutOut", "finish")) {
            cases.put("notConnected_" + op, s -> onChannel(s.client(), op));
            cases.put("closed_" + op, s -> {
                SocketChannel c = s.client();
                c.close();
                return onChannel(c, op);
            });
            cases.put("connectedThenClosed_" + op, s -> {
                SocketChannel c = s.pair().client();
                c.close();
                return onChannel(c, op);
            });
        }
    }

    private static Object onChannel(SocketChannel c, String op) throws Exception {
        return switch (op) {
            case "read" -> c.read(ByteBuffer.allocate(1));
            case "write" -> c.write(ByteBuffer.allocate(1));
            case "remote" -> String.valueOf(c.getRemoteAddress());
            case "shutIn" -> c.shutdownInput().isOpen();
            case "shutOut" -> c.shutdownOutput().isOpen();
            default -> c.finishConnect();
        };
    }

    private static void binding(Map<String, Stage.Body> cases) {
        cases.put("bind_thenLocalAddress", s -> {
            SocketChannel c = s.client();
            c.bind(s.here());
            return ((InetSocketAddress) c.getLocalAddress()).getPort() > 0;
        });
        cases.put("bind_twice", s -> s.client().bind(s.here()).bind(s.here()));
        cases.put("bind_null", s -> ((InetSocketAddress) s.client().bind(null).getLocalAddress()).getPort() > 0);
        cases.put("bind_unresolved", s -> s.client().bind(InetSocketAddress.createUnresolved("nowhere.invalid", 1)));
        cases.put("bind_unix", s -> s.client().bind(UnixDomainSocketAddress.of(Path.of("no"))));
        cases.put("bind_afterConnect", s -> s.pair().client().bind(s.here()));
        cases.put("bind_inUse", s -> s.server().bind(s.listening().getLocalAddress()));
        cases.put("bind_thenConnect_keepsPort", s -> {
            ServerSocketChannel listener = s.listening();
            SocketChannel c = s.client();
            c.bind(s.here());
            int port = ((InetSocketAddress) c.getLocalAddress()).getPort();
            c.connect(listener.getLocalAddress());
            SocketChannel peer = s.keep(listener.accept());
            return port == ((InetSocketAddress) peer.getRemoteAddress()).getPort();
        });
        cases.put("serverBind_twice", s -> s.listening().bind(s.here()));
        cases.put("serverBind_closed", s -> {
            ServerSocketChannel server = s.server();
            server.close();
            return server.bind(s.here());
        });
        cases.put("server_closed_portIsFreeAtOnce", s -> {
            ServerSocketChannel server = s.listening();
            var address = server.getLocalAddress();
            server.close();
            return s.server().bind(address).isOpen();
        });
    }

    private static void connecting(Map<String, Stage.Body> cases) {
        cases.put("connect_returnsTrue", s -> s.client().connect(s.listening().getLocalAddress()));
        cases.put("connect_state", s -> {
            SocketChannel c = s.pair().client();
            return List.of(c.isConnected(), c.isConnectionPending(), c.finishConnect(), c.isBlocking());
        });
        cases.put("connect_addressesMatch", s -> {
            Stage.Pair pair = s.pair();
            return List.of(
                    pair.client().getLocalAddress().equals(pair.server().getRemoteAddress()),
                    pair.client().getRemoteAddress().equals(pair.server().getLocalAddress()),
                    pair.client().getRemoteAddress().equals(pair.listener().getLocalAddress()));
        });
        cases.put("connect_twice", s -> {
            Stage.Pair pair = s.pair();
            return pair.client().connect(pair.listener().getLocalAddress());
        });
        cases.put("connect_refused", s -> s.client().connect(s.nobody()));
        cases.put("connect_refused_closes", s -> {
            SocketChannel c = s.client();
            return tryOut(() -> c.connect(s.nobody())) + c.isOpen();
        });
        cases.put("connect_null", s -> s.client().connect(null));
        cases.put(
                "connect_unresolved",
                s -> s.client().connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1)));
        cases.put("connect_unix", s -> s.client().connect(UnixDomainSocketAddress.of(Path.of("no"))));
        cases.put("connect_closed", s -> {
            SocketChannel c = s.client();
            c.close();
            return c.connect(s.listening().getLocalAddress());
        });
        cases.put("connect_interrupted", s -> {
            SocketChannel c = s.client();
            Thread.currentThread().interrupt();
            String outcome = tryOut(() -> c.connect(s.nobody()));
            return outcome.endsWith("ClosedByInterruptException") + " " + Thread.interrupted() + c.isOpen();
        });
    }

    private static void nonBlocking(Map<String, Stage.Body> cases) {
        cases.put("nonBlockingConnect_finishes", s -> {
            SocketChannel c = s.client();
            c.configureBlocking(false);
            ServerSocketChannel listener = s.listening();
            boolean done = c.connect(listener.getLocalAddress());
            while (!done) {
                done = c.finishConnect();
            }
            return List.of(c.isConnected(), c.isConnectionPending(), c.isBlocking());
        });
        cases.put("nonBlockingConnect_refused", s -> {
            SocketChannel c = s.client();
            c.configureBlocking(false);
            String outcome = tryOut(() -> {
                boolean done = c.connect(s.nobody());
                while (!done) {
                    done = c.finishConnect();
                }
                return done;
            });
            return outcome + c.isOpen();
        });
        cases.put("nonBlockingConnect_byKey", s -> {
            SocketChannel c = s.client();
            c.configureBlocking(false);
            Selector selector = s.selector();
            SelectionKey key = c.register(selector, 0);
            ServerSocketChannel listener = s.listening();
            if (c.connect(listener.getLocalAddress())) {
                return List.of(8, true, true);
            }
            key.interestOps(SelectionKey.OP_CONNECT);
            return List.of(Stage.await(selector, key, SelectionKey.OP_CONNECT), c.finishConnect(), c.isConnected());
        });
        cases.put("nonBlockingConnect_thenBlockingFinish", s -> {
            SocketChannel c = s.client();
            c.configureBlocking(false);
            c.connect(s.listening().getLocalAddress());
            c.configureBlocking(true);
            return c.finishConnect();
        });
    }

    private static void accepting(Map<String, Stage.Body> cases) {
        cases.put("accept_unbound", s -> s.server().accept());
        cases.put("accept_closed", s -> {
            ServerSocketChannel server = s.listening();
            server.close();
            return server.accept();
        });
        cases.put("accept_nonBlocking_nobody", s -> {
            ServerSocketChannel server = s.listening();
            server.configureBlocking(false);
            return server.accept();
        });
        cases.put("accept_channelIsBlocking", s -> {
            SocketChannel c = s.pair().server();
            return List.of(c.isBlocking(), c.isConnected(), c.isOpen(), c.provider() == s.provider);
        });
        cases.put("accept_fiveClients", s -> {
            ServerSocketChannel server = s.listening();
            for (int i = 0; i < 5; i++) {
                s.client().connect(server.getLocalAddress());
            }
            int accepted = 0;
            while (accepted < 5) {
                s.keep(server.accept());
                accepted++;
            }
            return accepted;
        });
        cases.put("accept_clientHasGone", s -> {
            ServerSocketChannel server = s.listening();
            SocketChannel c = s.client();
            c.connect(server.getLocalAddress());
            c.write(Stage.text("bye"));
            c.close();
            return Stage.read(s.keep(server.accept()), 10);
        });
        cases.put("accept_serverCloses_clientReads", s -> {
            ServerSocketChannel server = s.listening();
            SocketChannel c = s.client();
            c.connect(server.getLocalAddress());
            server.close();
            return Stage.read(c, 10);
        });
        cases.put("accept_closedByAnotherThread", s -> {
            ServerSocketChannel server = s.listening();
            return s.blocked(server::accept, _ -> server.close());
        });
        cases.put("accept_interrupted", s -> {
            ServerSocketChannel server = s.listening();
            return s.blocked(server::accept, Thread::interrupt) + server.isOpen();
        });
        cases.put("accept_byKey", s -> {
            ServerSocketChannel server = s.listening();
            server.configureBlocking(false);
            Selector selector = s.selector();
            SelectionKey key = server.register(selector, SelectionKey.OP_ACCEPT);
            s.client().connect(server.getLocalAddress());
            int ready = Stage.await(selector, key, SelectionKey.OP_ACCEPT);
            SocketChannel peer = s.keep(server.accept());
            return List.of(ready, peer.isConnected(), server.accept() == null);
        });
    }

    private static void closing(Map<String, Stage.Body> cases) {
        cases.put("close_twice", s -> {
            SocketChannel c = s.pair().client();
            c.close();
            c.close();
            return c.isOpen() + " " + c.isConnected();
        });
        cases.put("close_peerReadsEnd", s -> {
            Stage.Pair pair = s.pair();
            pair.client().close();
            return Stage.read(pair.server(), 1);
        });
        cases.put("close_unsentDataArrive", s -> {
            Stage.Pair pair = s.pair();
            var received = s.submit(() -> Stage.read(pair.server(), 1_000_001).length());
            Stage.writeAll(pair.client(), ByteBuffer.allocate(1_000_000));
            pair.client().close();
            return received.get();
        });
        cases.put("close_linger0_peerReadsReset", s -> {
            Stage.Pair pair = s.pair();
            pair.client().setOption(java.net.StandardSocketOptions.SO_LINGER, 0);
            pair.client().write(Stage.text("x"));
            Stage.read(pair.server(), 1);
            pair.client().close();
            return pair.server().read(ByteBuffer.allocate(1));
        });
        cases.put("close_registered_peerReadsEnd", s -> {
            Stage.Pair pair = s.pair();
            pair.client().configureBlocking(false);
            pair.client().register(s.selector(), SelectionKey.OP_READ);
            pair.client().close();
            return Stage.read(pair.server(), 1);
        });
    }
}
