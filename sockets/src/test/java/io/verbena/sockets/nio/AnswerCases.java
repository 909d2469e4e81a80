package io.verbena.sockets.nio;

import static io.verbena.sockets.nio.Stage.tryOut;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What channels and their sockets answer about themselves, in each state. */
final class AnswerCases {

    private AnswerCases() {}

    private static final Pattern PORT = Pattern.compile("(:|port=)(\\d{4,5})\\b");

    /** Brings a channel into a state. */
    private interface State<C extends NetworkChannel> {
        C reach(Stage stage, Names names) throws Exception;
    }

    /** Names in place of the ports, which are others each time, and of the address of the stage. */
    private static final class Names {

        private final Map<Integer, String> ports = new TreeMap<>();
        private String address = "";

        void onAddress(String text) {
            address = text;
        }

        <C extends NetworkChannel> C name(String name, C channel) throws Exception {
            ports.put(((InetSocketAddress) channel.getLocalAddress()).getPort(), name);
            return channel;
        }

        Stage.Pair name(Stage.Pair pair) throws Exception {
            name("CLIENT", pair.client());
            name("LISTENER", pair.listener());
            return pair;
        }

        String in(Object answer) {
            if (answer instanceof Integer port && port > 1023) {
                return ports.getOrDefault(port, "a port");
            }
            return PORT.matcher(String.valueOf(answer))
                    .replaceAll(
                            match -> match.group(1) + ports.getOrDefault(Integer.parseInt(match.group(2)), "a port"))
                    .replace(address, "HERE")
                    .replace("127.0.0.1", "HERE")
                    .replace("localhost/", "/")
                    .replace("localhost", "HERE")
                    .replaceAll("[a-z][\\w.]*\\.([A-Z]\\w*)Channel(Impl)?\\b", "$1Channel")
                    .replace("[VerbenaServerChannel", "[ServerSocketChannel");
        }
    }

    static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        clientStates().forEach((name, state) -> {
            cases.put("answers_channel_" + name, s -> answers(s, state, AnswerCases::ofChannel));
            cases.put("answers_socket_" + name, s -> answers(s, state, AnswerCases::ofSocket));
            cases.put("answers_options_" + name, s -> answers(s, state, AnswerCases::ofOptions));
        });
        serverStates().forEach((name, state) -> {
            cases.put("answers_serverChannel_" + name, s -> answers(s, state, AnswerCases::ofServer));
            cases.put("answers_serverSocket_" + name, s -> answers(s, state, AnswerCases::ofServerSocket));
        });
        return cases;
    }

    private interface Question<C> {
        void ask(C channel, Map<String, Stage.Step> questions);
    }

    private static <C extends NetworkChannel> Object answers(Stage s, State<C> state, Question<C> of) throws Exception {
        Names names = new Names();
        names.onAddress(s.here().getAddress().getHostAddress());
        C channel = state.reach(s, names);
        Map<String, Stage.Step> questions = new TreeMap<>();
        of.ask(channel, questions);
        StringBuilder answers = new StringBuilder();
        questions.forEach((name, step) -> answers.append(name)
                .append('=')
                .append(tryOut(() -> names.in(step.run())))
                .append('\n'));
        return answers;
    }

    private static void ofChannel(SocketChannel c, Map<String, Stage.Step> q) {
        q.put("toString", c::toString);
        q.put("local", c::getLocalAddress);
        q.put("remote", c::getRemoteAddress);
        q.put("isOpen", c::isOpen);
        q.put("isConnected", c::isConnected);
        q.put("isConnectionPending", c::isConnectionPending);
        q.put("isBlocking", c::isBlocking);
        q.put("isRegistered", c::isRegistered);
        q.put("validOps", c::validOps);
        q.put("supported", () -> c.supportedOptions().size());
    }

    private static void ofSocket(SocketChannel c, Map<String, Stage.Step> q) {
        Socket k = c.socket();
        q.put("toString", k::toString);
        q.put("inet", k::getInetAddress);
        q.put("host", () -> new InetSocketAddress(k.getInetAddress(), 0).getHostString());
        q.put("port", k::getPort);
        q.put("localInet", k::getLocalAddress);
        q.put("localPort", k::getLocalPort);
        q.put("local", k::getLocalSocketAddress);
        q.put("remote", k::getRemoteSocketAddress);
        q.put("isBound", k::isBound);
        q.put("isConnected", k::isConnected);
        q.put("isClosed", k::isClosed);
        q.put("isInputShutdown", k::isInputShutdown);
        q.put("isOutputShutdown", k::isOutputShutdown);
        q.put("input", () -> k.getInputStream() != null);
        q.put("output", () -> k.getOutputStream() != null);
        q.put("available", () -> k.getInputStream().available());
        q.put("channel", () -> k.getChannel() == c);
    }

    /** The sizes of buffers are what the kernel has given to a TCP connection. */
    private static void ofOptions(SocketChannel c, Map<String, Stage.Step> q) {
        Socket k = c.socket();
        q.put("urgentInline", k::getOOBInline);
        q.put("noDelay", k::getTcpNoDelay);
        q.put("linger", k::getSoLinger);
        q.put("timeout", k::getSoTimeout);
        q.put("keepAlive", k::getKeepAlive);
        q.put("trafficClass", k::getTrafficClass);
        q.put("reuse", k::getReuseAddress);
        q.put("sendBuffer", () -> k.getSendBufferSize() > 0);
        q.put("receiveBuffer", () -> k.getReceiveBufferSize() > 0);
        q.put("supported", () -> k.supportedOptions().size());
        q.put("setUrgentInline", () -> {
            k.setOOBInline(true);
            return k.getOOBInline();
        });
        q.put("setTimeout", () -> {
            k.setSoTimeout(5);
            return k.getSoTimeout();
        });
        q.put("timeoutNegative", () -> {
            k.setSoTimeout(-5);
            return k.getSoTimeout();
        });
        for (var option : List.of(
                StandardSocketOptions.SO_LINGER, StandardSocketOptions.IP_TOS, StandardSocketOptions.SO_SNDBUF)) {
            for (Integer wrong : List.of(-1, -2, 70_000, Integer.MAX_VALUE)) {
                if (option != StandardSocketOptions.SO_SNDBUF || wrong < 0) {
                    q.put(option + "_" + wrong, () -> k.setOption(option, wrong).getOption(option));
                }
            }
            q.put(option + "_null", () -> k.setOption(option, null).getOption(option));
        }
        q.put("linger_70000", () -> {
            k.setSoLinger(true, 70_000);
            return k.getSoLinger();
        });
        q.put("trafficClass_256", () -> {
            k.setTrafficClass(256);
            return k.getTrafficClass();
        });
        q.put("trafficClass_-1", () -> {
            k.setTrafficClass(-1);
            return k.getTrafficClass();
        });
        q.put("receiveBuffer_0", () -> {
            k.setReceiveBufferSize(0);
            return "set";
        });
    }

    private static Map<String, State<SocketChannel>> clientStates() {
        Map<String, State<SocketChannel>> states = new LinkedHashMap<>();
        states.put("new", (s, _) -> s.client());
        states.put("nonBlocking", (s, _) -> {
            SocketChannel c = s.client();
            c.configureBlocking(false);
            return c;
        });
        states.put("bound", (s, n) -> n.name("CLIENT", s.client().bind(s.here())));
        states.put("closed", (s, _) -> closed(s.client()));
        states.put("boundClosed", (s, n) -> closed(n.name("CLIENT", s.client().bind(s.here()))));
        states.put("refused", (s, _) -> {
            SocketChannel c = s.client();
            tryOut(() -> c.connect(s.nobody()));
            return c;
        });
        states.put("connecting", (s, _) -> WaitCases.connecting(s));
        states.put("connectingClosed", (s, _) -> closed(WaitCases.connecting(s)));
        connectedStates(states);
        endedStates(states);
        return states;
    }

    private static void connectedStates(Map<String, State<SocketChannel>> states) {
        states.put("connected", (s, n) -> n.name(s.pair()).client());
        states.put("accepted", (s, n) -> n.name(s.pair()).server());
        states.put("connectedByName", (s, n) -> n.name("CLIENT", byName(s, n)));
        states.put("connectedByNameClosed", (s, n) -> closed(n.name("CLIENT", byName(s, n))));
        states.put("connectedToWildcard", (s, n) -> {
            var listener = n.name("LISTENER", s.server().bind(new InetSocketAddress(0)));
            SocketChannel c = s.client();
            c.connect(new InetSocketAddress("0.0.0.0", listener.socket().getLocalPort()));
            s.keep(listener.accept());
            return n.name("CLIENT", c);
        });
        states.put("boundConnected", (s, n) -> {
            var listener = n.name("LISTENER", s.listening());
            SocketChannel c = s.client().bind(s.here());
            c.connect(listener.getLocalAddress());
            s.keep(listener.accept());
            return n.name("CLIENT", c);
        });
        states.put("registered", (s, n) -> {
            SocketChannel c = n.name(s.pair()).client();
            c.configureBlocking(false);
            c.register(s.selector(), SelectionKey.OP_READ);
            return c;
        });
        states.put("readable", (s, n) -> {
            Stage.Pair pair = n.name(s.pair());
            pair.client().write(Stage.text("xyz"));
            Stage.read(pair.server(), 1);
            return pair.server();
        });
    }

    /** With the name of a host, which is kept, and not looked up. */
    private static SocketChannel byName(Stage s, Names names) throws Exception {
        var listener = names.name("LISTENER", s.listening());
        InetAddress named =
                InetAddress.getByAddress("name.example", s.here().getAddress().getAddress());
        SocketChannel c = s.client();
        c.configureBlocking(false);
        boolean done = c.connect(new InetSocketAddress(named, listener.socket().getLocalPort()));
        while (!done) {
            done = c.finishConnect();
        }
        return c;
    }

    private static void endedStates(Map<String, State<SocketChannel>> states) {
        states.put("inputShut", (s, n) -> n.name(s.pair()).client().shutdownInput());
        states.put("outputShut", (s, n) -> n.name(s.pair()).client().shutdownOutput());
        states.put(
                "bothShut", (s, n) -> n.name(s.pair()).client().shutdownInput().shutdownOutput());
        states.put(
                "acceptedBothShut",
                (s, n) -> n.name(s.pair()).server().shutdownOutput().shutdownInput());
        states.put("peerClosed", (s, n) -> {
            Stage.Pair pair = n.name(s.pair());
            pair.server().close();
            Stage.read(pair.client(), 1);
            return pair.client();
        });
        states.put("reset", (s, n) -> {
            Stage.Pair pair = n.name(s.pair());
            pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.client().close();
            tryOut(() -> pair.server().read(ByteBuffer.allocate(1)));
            return pair.server();
        });
        states.put("connectedClosed", (s, n) -> closed(n.name(s.pair()).client()));
        states.put("acceptedClosed", (s, n) -> closed(n.name(s.pair()).server()));
        states.put("shutClosed", (s, n) -> closed(n.name(s.pair()).client().shutdownInput()));
    }

    private static <C extends NetworkChannel> C closed(C channel) throws Exception {
        channel.close();
        return channel;
    }

    private static Map<String, State<ServerSocketChannel>> serverStates() {
        Map<String, State<ServerSocketChannel>> states = new LinkedHashMap<>();
        states.put("new", (s, _) -> s.server());
        states.put("bound", (s, n) -> n.name("LISTENER", s.listening()));
        states.put("wildcard", (s, n) -> n.name("LISTENER", s.server().bind(new InetSocketAddress(0))));
        states.put("nonBlocking", (s, n) -> {
            ServerSocketChannel c = n.name("LISTENER", s.listening());
            c.configureBlocking(false);
            return c;
        });
        states.put("registered", (s, n) -> {
            ServerSocketChannel c = n.name("LISTENER", s.listening());
            c.configureBlocking(false);
            c.register(s.selector(), SelectionKey.OP_ACCEPT);
            return c;
        });
        states.put("closed", (s, _) -> closed(s.server()));
        states.put("boundClosed", (s, n) -> closed(n.name("LISTENER", s.listening())));
        states.put("nonBlockingClosed", (s, n) -> {
            ServerSocketChannel c = n.name("LISTENER", s.listening());
            c.configureBlocking(false);
            return closed(c);
        });
        return states;
    }

    private static void ofServer(ServerSocketChannel c, Map<String, Stage.Step> q) {
        q.put("toString", c::toString);
        q.put("local", c::getLocalAddress);
        q.put("isOpen", c::isOpen);
        q.put("isBlocking", c::isBlocking);
        q.put("isRegistered", c::isRegistered);
        q.put("validOps", c::validOps);
        q.put("supported", () -> c.supportedOptions().size());
        q.put("reuse", () -> c.getOption(StandardSocketOptions.SO_REUSEADDR));
        q.put("receiveBuffer_-1", () -> c.setOption(StandardSocketOptions.SO_RCVBUF, -1) == c);
        q.put("receiveBuffer_null", () -> c.setOption(StandardSocketOptions.SO_RCVBUF, null) == c);
    }

    private static void ofServerSocket(ServerSocketChannel c, Map<String, Stage.Step> q) {
        ServerSocket k = c.socket();
        q.put("toString", k::toString);
        q.put("inet", k::getInetAddress);
        q.put("localPort", k::getLocalPort);
        q.put("local", k::getLocalSocketAddress);
        q.put("isBound", k::isBound);
        q.put("isClosed", k::isClosed);
        q.put("timeout", k::getSoTimeout);
        q.put("reuse", k::getReuseAddress);
        q.put("receiveBuffer", () -> k.getReceiveBufferSize() > 0);
        q.put("channel", () -> k.getChannel() == c);
        q.put("supported", () -> k.supportedOptions().size());
        q.put("setTimeout", () -> {
            k.setSoTimeout(5);
            return k.getSoTimeout();
        });
        q.put("timeoutNegative", () -> {
            k.setSoTimeout(-5);
            return k.getSoTimeout();
        });
        q.put("receiveBuffer_0", () -> {
            k.setReceiveBufferSize(0);
            return "set";
        });
        q.put("zAccept", k::accept); // the last one: with the time limit that was set
    }
}
