package io.verbena.sockets.nio;

import static io.verbena.sockets.nio.Stage.tryOut;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cases about the sockets of channels. */
final class SocketCases {

    private SocketCases() {}

    static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        states(cases);
        connecting(cases);
        streams(cases);
        options(cases);
        serverSockets(cases);
        return cases;
    }

    private static List<Object> state(Socket socket) {
        return List.of(
                socket.isBound(),
                socket.isConnected(),
                socket.isClosed(),
                socket.isInputShutdown(),
                socket.isOutputShutdown(),
                socket.getPort() > 0,
                socket.getLocalPort() > 0,
                socket.getInetAddress() == null,
                socket.getRemoteSocketAddress() == null);
    }

    private static void states(Map<String, Stage.Body> cases) {
        cases.put("socket_new", s -> state(s.client().socket()));
        cases.put("socket_same", s -> {
            SocketChannel c = s.client();
            Socket first = c.socket();
            return first == c.socket() && first.getChannel() == c;
        });
        cases.put("socket_connected", s -> state(s.pair().client().socket()));
        cases.put("socket_accepted", s -> state(s.pair().server().socket()));
        cases.put("socket_halfClosed", s -> {
            SocketChannel c = s.pair().client();
            c.shutdownOutput();
            return state(c.socket());
        });
        cases.put("socket_shutdownBoth", s -> {
            Socket socket = s.pair().client().socket();
            socket.shutdownInput();
            socket.shutdownOutput();
            return state(socket) + tryOut(socket::getInputStream) + tryOut(socket::getOutputStream);
        });
        cases.put("socket_closed_isClosed", s -> {
            SocketChannel c = s.pair().client();
            c.socket().close();
            return c.isOpen() + " " + c.socket().isClosed();
        });
        cases.put(
                "socket_localAddressNew",
                s -> s.client().socket().getLocalAddress().isAnyLocalAddress());
    }

    private static void connecting(Map<String, Stage.Body> cases) {
        for (int timeout : List.of(0, 5_000)) {
            cases.put("socketConnect_timeout" + timeout, s -> {
                SocketChannel c = s.client();
                c.socket().connect(s.listening().getLocalAddress(), timeout);
                return c.isConnected();
            });
            cases.put("socketConnect_refused_timeout" + timeout, s -> {
                SocketChannel c = s.client();
                return tryOut(() -> {
                            c.socket().connect(s.nobody(), timeout);
                            return "";
                        })
                        + c.isOpen();
            });
            cases.put("socketConnect_nonBlocking_timeout" + timeout, s -> {
                SocketChannel c = s.client();
                c.configureBlocking(false);
                c.socket().connect(s.nobody(), timeout);
                return "";
            });
        }
        cases.put("socketConnect_negativeTimeout", s -> {
            s.client().socket().connect(s.nobody(), -1);
            return "";
        });
        cases.put("socketConnect_null", s -> {
            s.client().socket().connect(null);
            return "";
        });
        cases.put("socketConnect_closed", s -> {
            SocketChannel c = s.client();
            c.close();
            c.socket().connect(s.nobody());
            return "";
        });
        cases.put("socketConnect_twice", s -> {
            Stage.Pair pair = s.pair();
            pair.client().socket().connect(pair.listener().getLocalAddress());
            return "";
        });
        cases.put("socketConnect_unresolved", s -> {
            s.client().socket().connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1));
            return "";
        });
        cases.put("socketBind_thenPort", s -> {
            Socket socket = s.client().socket();
            socket.bind(s.here());
            return socket.isBound() + " " + (socket.getLocalPort() > 0);
        });
    }

    private static void streams(Map<String, Stage.Body> cases) {
        cases.put("socketStreams_notConnected", s -> {
            Socket socket = s.client().socket();
            return tryOut(socket::getInputStream) + tryOut(socket::getOutputStream);
        });
        cases.put("socketStreams_carryBytes", s -> {
            Stage.Pair pair = s.pair();
            pair.client().socket().getOutputStream().write("stream".getBytes());
            return new String(pair.server().socket().getInputStream().readNBytes(6));
        });
        cases.put("socketStreams_singleBytes_andEnd", s -> {
            Stage.Pair pair = s.pair();
            pair.client().socket().getOutputStream().write(200);
            pair.client().socket().getOutputStream().close();
            var in = pair.server().socket().getInputStream();
            return List.of(
                    in.read(), in.read(), in.read(new byte[0]), pair.client().isOpen());
        });
        cases.put("socketStreams_nonBlocking", s -> {
            SocketChannel c = s.pair().client();
            var in = c.socket().getInputStream();
            c.configureBlocking(false);
            return in.read();
        });
        for (boolean server : List.of(false, true)) {
            cases.put("socketRead_timesOut_thenWorks" + (server ? "_server" : ""), s -> {
                Stage.Pair pair = s.pair();
                SocketChannel one = server ? pair.server() : pair.client();
                SocketChannel other = server ? pair.client() : pair.server();
                one.socket().setSoTimeout(30);
                String first = tryOut(() -> one.socket().getInputStream().read());
                other.write(Stage.text("x"));
                one.socket().setSoTimeout(5_000);
                return first + one.socket().getInputStream().read();
            });
        }
        for (boolean blocking : List.of(false, true)) {
            String mode = blocking ? "" : "_nonBlocking";
            cases.put("socketStreams_closed" + mode, s -> {
                SocketChannel c = s.pair().client();
                var in = c.socket().getInputStream();
                var out = c.socket().getOutputStream();
                c.configureBlocking(blocking);
                c.close();
                return tryOut(in::read)
                        + tryOut(in::available)
                        + tryOut(() -> write(out))
                        + tryOut(() -> in.read(new byte[0]));
            });
            cases.put("socketStreams_shut" + mode, s -> {
                SocketChannel c = s.pair().client();
                var in = c.socket().getInputStream();
                var out = c.socket().getOutputStream();
                c.configureBlocking(blocking);
                c.shutdownInput().shutdownOutput();
                return tryOut(in::read) + tryOut(in::available) + tryOut(() -> write(out));
            });
        }
        for (boolean connected : List.of(false, true)) {
            cases.put("closedSocket_calls_" + (connected ? "connected" : "new"), s -> {
                Socket socket = (connected ? s.pair().client() : s.client()).socket();
                socket.close();
                return calls(s, socket);
            });
            cases.put("socket_calls_" + (connected ? "connected" : "new"), s -> {
                Socket socket = (connected ? s.pair().client() : s.client()).socket();
                return calls(s, socket);
            });
        }
        cases.put("socketUrgentData_notConnected", s -> {
            s.client().socket().sendUrgentData(1);
            return "";
        });
        cases.put("socketRead_available", s -> {
            Stage.Pair pair = s.pair();
            pair.client().write(Stage.text("four"));
            var in = pair.server().socket().getInputStream();
            in.read();
            return in.available();
        });
        cases.put("socketRead_closedByAnotherThread", s -> {
            Socket socket = s.pair().client().socket();
            var in = socket.getInputStream();
            return s.blocked(in::read, _ -> socket.close());
        });
    }

    /** Calls that return nothing. */
    private static String calls(Stage s, Socket socket) {
        return tryOut(() -> {
                    socket.bind(s.here());
                    return "";
                })
                + tryOut(() -> {
                    socket.shutdownInput();
                    return "";
                })
                + tryOut(() -> {
                    socket.shutdownOutput();
                    return "";
                })
                + tryOut(() -> {
                    socket.close();
                    return "";
                });
    }

    private static String write(OutputStream out) throws IOException {
        out.write(1);
        return "written";
    }

    private static void options(Map<String, Stage.Body> cases) {
        for (boolean connected : List.of(false, true)) {
            cases.put("socketOptions_" + (connected ? "connected" : "new"), s -> {
                Socket socket = (connected ? s.pair().client() : s.client()).socket();
                socket.setTcpNoDelay(true);
                socket.setSoLinger(true, 3);
                socket.setKeepAlive(true);
                socket.setSendBufferSize(30_000);
                socket.setReceiveBufferSize(30_000);
                socket.setReuseAddress(true);
                socket.setSoTimeout(12);
                socket.setTrafficClass(8);
                socket.setPerformancePreferences(1, 2, 3);
                return List.of(
                        socket.getTcpNoDelay(),
                        socket.getSoLinger(),
                        socket.getKeepAlive(),
                        socket.getSendBufferSize(),
                        socket.getReceiveBufferSize(),
                        socket.getReuseAddress(),
                        socket.getSoTimeout(),
                        socket.getTrafficClass());
            });
            cases.put("socketOptions_wrong_" + (connected ? "connected" : "new"), s -> {
                Socket socket = (connected ? s.pair().client() : s.client()).socket();
                return tryOut(() -> {
                            socket.setSoLinger(true, -3);
                            return "";
                        })
                        + tryOut(() -> {
                            socket.setSendBufferSize(0);
                            return "";
                        })
                        + tryOut(() -> {
                            socket.setSoTimeout(-1);
                            return "";
                        });
            });
        }
        cases.put("socketOptions_closed", s -> {
            Socket socket = s.client().socket();
            socket.close();
            return tryOut(socket::getTcpNoDelay) + tryOut(socket::getSoTimeout) + tryOut(socket::getSoLinger);
        });
        cases.put("socketLinger_off", s -> {
            Socket socket = s.client().socket();
            socket.setSoLinger(false, 5);
            return socket.getSoLinger();
        });
    }

    private static void serverSockets(Map<String, Stage.Body> cases) {
        cases.put("serverSocket_new", s -> {
            ServerSocket socket = s.server().socket();
            return List.of(socket.isBound(), socket.isClosed(), socket.getLocalPort(), socket.getInetAddress() == null);
        });
        cases.put("serverSocket_bind", s -> {
            var channel = s.server();
            channel.socket().bind(s.here(), 5);
            ServerSocket socket = channel.socket();
            return List.of(
                    socket.isBound(),
                    socket.getLocalPort() > 0,
                    socket.getLocalSocketAddress() == null,
                    socket.getChannel() == channel);
        });
        cases.put("serverSocket_accept", s -> {
            var channel = s.listening();
            s.client().connect(channel.getLocalAddress());
            Socket accepted = s.keep(channel.socket().accept());
            return accepted.isConnected() + " " + (accepted.getChannel() == null);
        });
        cases.put("serverSocket_acceptTimesOut", s -> {
            ServerSocket socket = s.listening().socket();
            socket.setSoTimeout(20);
            return socket.accept();
        });
        cases.put("serverSocket_acceptUnbound", s -> s.server().socket().accept());
        cases.put("serverSocket_acceptNonBlocking", s -> {
            var channel = s.listening();
            channel.configureBlocking(false);
            return channel.socket().accept();
        });
        for (int timeout : List.of(0, 5_000)) {
            cases.put("serverSocket_acceptNonBlocking_peerWaits_timeout" + timeout, s -> {
                var channel = s.listening();
                channel.configureBlocking(false);
                channel.socket().setSoTimeout(timeout);
                Selector selector = s.selector();
                SelectionKey key = channel.register(selector, SelectionKey.OP_ACCEPT);
                s.client().connect(channel.getLocalAddress());
                int ready = Stage.await(selector, key, SelectionKey.OP_ACCEPT);
                return ready + tryOut(() -> s.keep(channel.socket().accept()).isConnected());
            });
            cases.put("serverSocket_acceptNonBlocking_closed_timeout" + timeout, s -> {
                var channel = s.listening();
                channel.configureBlocking(false);
                channel.socket().setSoTimeout(timeout);
                channel.close();
                return channel.socket().accept();
            });
        }
        cases.put("serverSocket_options", s -> {
            ServerSocket socket = s.server().socket();
            socket.setReuseAddress(true);
            socket.setReceiveBufferSize(30_000);
            socket.setSoTimeout(9);
            return List.of(socket.getReuseAddress(), socket.getReceiveBufferSize(), socket.getSoTimeout());
        });
        cases.put("serverSocket_close", s -> {
            var channel = s.listening();
            channel.socket().close();
            return channel.isOpen() + " " + channel.socket().isClosed()
                    + tryOut(() -> channel.socket().accept());
        });
    }
}
