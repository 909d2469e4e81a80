package io.verbena.sockets.agent;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A program that knows sockets only, and prints the outcome of each of its cases: its output is the same whatever carries its
 * connections.
 *
 * <p>Over 500 lines: a table of cases, a few lines each.
 */
final class SocketCalls {

    /** What a case tries. */
    private interface Body {
        Object run(SocketCalls calls) throws Exception;
    }

    private interface Step {
        Object run() throws Exception;
    }

    private interface Change {
        void on(Thread waiting) throws Exception;
    }

    private record Pair(Socket client, Socket server, ServerSocket listener) {
        InputStream clientIn() throws Exception {
            return client.getInputStream();
        }

        OutputStream clientOut() throws Exception {
            return client.getOutputStream();
        }

        InputStream serverIn() throws Exception {
            return server.getInputStream();
        }

        OutputStream serverOut() throws Exception {
            return server.getOutputStream();
        }
    }

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private SocketCalls() {}

    public static void main(String[] arguments) throws Exception {
        Map<String, Body> cases = new LinkedHashMap<>();
        states(cases);
        streams(cases);
        ends(cases);
        connecting(cases);
        servers(cases);
        options(cases);
        waits(cases);
        wrongCalls(cases);
        for (Map.Entry<String, Body> each : cases.entrySet()) {
            if (arguments.length == 0 || each.getKey().contains(arguments[0])) {
                SocketCalls calls = new SocketCalls();
                System.out.println(
                        each.getKey() + " " + outcome(() -> each.getValue().run(calls)));
                calls.close();
            }
        }
        System.exit(0);
    }

    private void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** The result, or the type of the exception with its message. */
    private static String outcome(Step step) {
        try {
            return text(step.run());
        } catch (Throwable e) {
            return e.getClass().getName() + ": " + e.getMessage();
        }
    }

    private static String text(Object value) {
        return value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value);
    }

    private <T extends AutoCloseable> T keep(T resource) {
        opened.push(resource);
        return resource;
    }

    private Socket client() {
        return keep(new Socket());
    }

    private static InetSocketAddress here() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private ServerSocket listening() throws Exception {
        return keep(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    }

    private Pair pair() throws Exception {
        ServerSocket listener = listening();
        Socket client = keep(new Socket(listener.getInetAddress(), listener.getLocalPort()));
        return new Pair(client, keep(listener.accept()), listener);
    }

    private static SocketAddress nobody() throws Exception {
        try (ServerSocket gone = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            return gone.getLocalSocketAddress();
        }
    }

    // States.

    private static List<Object> state(Socket of) {
        return List.of(
                of.isBound(),
                of.isConnected(),
                of.isClosed(),
                of.isInputShutdown(),
                of.isOutputShutdown(),
                of.getPort() > 0,
                of.getLocalPort() > 0,
                String.valueOf(of.getInetAddress()),
                of.getRemoteSocketAddress() == null,
                of.getLocalSocketAddress() == null,
                String.valueOf(of.getLocalAddress()),
                of.getChannel() == null,
                of.toString().replaceAll("port=[1-9][0-9]*", "port=N"));
    }

    private static List<Object> state(ServerSocket of) {
        return List.of(
                of.isBound(),
                of.isClosed(),
                of.getLocalPort() > 0,
                String.valueOf(of.getInetAddress()),
                of.getLocalSocketAddress() == null,
                of.getChannel() == null,
                of.toString().replaceAll("port=[1-9][0-9]*", "port=N"));
    }

    private static void states(Map<String, Body> cases) {
        cases.put("state_new", c -> state(c.client()));
        cases.put("state_client", c -> state(c.pair().client()));
        cases.put("state_server", c -> state(c.pair().server()));
        cases.put("state_listener", c -> state(c.listening()));
        cases.put("state_newListener", c -> state(c.keep(new ServerSocket())));
        cases.put("state_ports", c -> {
            Pair pair = c.pair();
            return (pair.client().getPort() == pair.server().getLocalPort())
                    + " " + (pair.server().getPort() == pair.client().getLocalPort())
                    + " " + (pair.client().getPort() == pair.listener().getLocalPort());
        });
        cases.put("state_name", c -> {
            Socket client = c.client();
            client.connect(new InetSocketAddress("localhost", c.listening().getLocalPort()));
            return client.getInetAddress()
                    + client.getRemoteSocketAddress().toString().replaceAll(":[0-9]+", "");
        });
        for (boolean half : List.of(false, true)) {
            cases.put("state_shut_" + half, c -> {
                Socket client = c.pair().client();
                client.shutdownOutput();
                if (!half) {
                    client.shutdownInput();
                }
                return state(client)
                        + outcome(() -> client.getInputStream().available())
                        + outcome(() -> {
                            client.shutdownOutput();
                            return "";
                        })
                        + outcome(() -> {
                                    client.shutdownInput();
                                    return "";
                                })
                                .replaceAll("@.*", "");
            });
        }
        for (boolean connected : List.of(false, true)) {
            cases.put("state_closed_" + connected, c -> {
                Socket client = connected ? c.pair().client() : c.client();
                client.close();
                client.close();
                return state(client);
            });
        }
        cases.put("state_listenerClosed", c -> {
            ServerSocket listener = c.listening();
            listener.close();
            listener.close();
            return state(listener) + outcome(listener::accept);
        });
    }

    // Streams.

    private static void streams(Map<String, Body> cases) {
        for (int size : List.of(1, 100, 8_192, 8_193, 70_000, 1_000_000)) {
            for (boolean toServer : List.of(false, true)) {
                cases.put("stream_" + size + "_" + toServer, c -> {
                    Pair pair = c.pair();
                    byte[] sent = new byte[size];
                    for (int i = 0; i < size; i++) {
                        sent[i] = (byte) (i * 31);
                    }
                    OutputStream out = toServer ? pair.clientOut() : pair.serverOut();
                    InputStream in = toServer ? pair.serverIn() : pair.clientIn();
                    Future<Object> writing = inBackground(() -> {
                        out.write(sent);
                        out.flush();
                        return "";
                    });
                    boolean same = Arrays.equals(sent, in.readNBytes(size));
                    writing.get(30, TimeUnit.SECONDS);
                    return same;
                });
            }
        }
        cases.put("stream_single", c -> {
            Pair pair = c.pair();
            pair.clientOut().write(200);
            pair.clientOut().write(new byte[] {1, 2, 3, 4}, 1, 2);
            pair.clientOut().write(new byte[0]);
            pair.client().shutdownOutput();
            InputStream in = pair.serverIn();
            return List.of(in.read(), in.read(new byte[0]), in.read(), in.read(), in.read(), in.read());
        });
        cases.put("stream_same", c -> {
            Pair pair = c.pair();
            InputStream in = pair.clientIn();
            OutputStream out = pair.clientOut();
            return in.equals(pair.clientIn()) + " " + out.equals(pair.clientOut());
        });
        cases.put("stream_available", c -> {
            Pair pair = c.pair();
            int before = pair.serverIn().available();
            pair.clientOut().write(new byte[5]);
            int first = pair.serverIn().read();
            int left = pair.serverIn().available();
            return before + " " + first + " " + left;
        });
        cases.put("stream_serverSpeaksFirst", c -> {
            Pair pair = c.pair();
            pair.serverOut().write(7);
            int greeting = pair.clientIn().read();
            pair.clientOut().write(8);
            return greeting + " " + pair.serverIn().read();
        });
        cases.put("stream_notConnected", c -> {
            Socket client = c.client();
            return outcome(client::getInputStream) + outcome(client::getOutputStream);
        });
        cases.put("stream_wrongRange", c -> {
            Pair pair = c.pair();
            return outcome(() -> pair.clientIn().read(new byte[2], 1, 2)).replaceAll("@.*", "")
                    + outcome(() -> {
                        pair.clientOut().write(new byte[2], -1, 2);
                        return "";
                    });
        });
        cases.put("stream_bothDirections", c -> {
            Pair pair = c.pair();
            byte[] sent = new byte[300_000];
            Future<Object> there = inBackground(() -> {
                pair.clientOut().write(sent);
                return pair.clientIn().readNBytes(sent.length).length;
            });
            Future<Object> back = inBackground(() -> {
                pair.serverOut().write(sent);
                return 0;
            });
            int length = pair.serverIn().readNBytes(sent.length).length;
            back.get(30, TimeUnit.SECONDS);
            return length + " " + there.get(30, TimeUnit.SECONDS);
        });
        cases.put("stream_transferTo", c -> {
            Pair pair = c.pair();
            pair.clientOut().write(new byte[100]);
            pair.client().shutdownOutput();
            return pair.serverIn().transferTo(OutputStream.nullOutputStream());
        });
    }

    private static Future<Object> inBackground(Step step) {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<Object> result = thread.submit(step::run);
        thread.shutdown();
        return result;
    }

    // Ends.

    private static void ends(Map<String, Body> cases) {
        cases.put("end_halfClose_answer", c -> {
            Pair pair = c.pair();
            pair.clientOut().write(1);
            pair.client().shutdownOutput();
            int request = pair.serverIn().read();
            int end = pair.serverIn().read();
            pair.serverOut().write(2);
            return request + " " + end + " " + pair.clientIn().read();
        });
        cases.put("end_close_readerReadsEnd_alwaysAgain", c -> {
            Pair pair = c.pair();
            pair.client().close();
            InputStream in = pair.serverIn();
            return in.read() + " " + in.read() + " " + in.available();
        });
        cases.put("end_readAfterEnd_andClose", c -> {
            Pair pair = c.pair();
            pair.client().close();
            InputStream in = pair.serverIn();
            int end = in.read();
            pair.server().close();
            return end + outcome(in::read) + outcome(in::available);
        });
        cases.put("end_closed_calls", c -> {
            Pair pair = c.pair();
            InputStream in = pair.clientIn();
            OutputStream out = pair.clientOut();
            in.close();
            return outcome(in::read)
                    + outcome(in::available)
                    + outcome(() -> {
                        out.write(1);
                        return "";
                    })
                    + pair.client().isClosed();
        });
        cases.put("end_closeOfOutputStream_closesTheSocket", c -> {
            Pair pair = c.pair();
            pair.clientOut().close();
            return pair.client().isClosed() + " " + pair.serverIn().read();
        });
        cases.put("end_shutInput_readsEnd", c -> {
            Pair pair = c.pair();
            InputStream in = pair.clientIn();
            pair.client().shutdownInput();
            return in.read() + " " + in.available();
        });
        cases.put("end_shutOutput_writeFails", c -> {
            Pair pair = c.pair();
            OutputStream out = pair.clientOut();
            pair.client().shutdownOutput();
            return outcome(() -> {
                out.write(1);
                return "";
            });
        });
        cases.put("end_linger0_peerReadsReset", c -> {
            Pair pair = c.pair();
            pair.clientOut().write(1);
            int first = pair.serverIn().read();
            pair.client().setSoLinger(true, 0);
            pair.client().close();
            return first
                    + outcome(() -> pair.serverIn().read())
                    + outcome(() -> pair.serverIn().read());
        });
    }

    // Connecting.

    private static void connecting(Map<String, Body> cases) {
        for (int timeout : List.of(0, 20_000)) {
            cases.put("connect_" + timeout, c -> {
                Socket client = c.client();
                client.connect(c.listening().getLocalSocketAddress(), timeout);
                return state(client);
            });
            cases.put("connect_refused_" + timeout, c -> {
                Socket client = c.client();
                SocketAddress nobody = nobody();
                return outcome(() -> {
                            client.connect(nobody, timeout);
                            return "";
                        })
                        + state(client);
            });
        }
        cases.put(
                "connect_constructorRefused",
                c -> new Socket(InetAddress.getLoopbackAddress(), ((InetSocketAddress) nobody()).getPort()).toString());
        cases.put("connect_twice", c -> {
            Pair pair = c.pair();
            pair.client().connect(pair.listener().getLocalSocketAddress());
            return "";
        });
        cases.put("connect_closed", c -> {
            Socket client = c.client();
            client.close();
            client.connect(nobody());
            return "";
        });
        cases.put("connect_unresolved", c -> {
            Socket client = c.client();
            return outcome(() -> {
                        client.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1));
                        return "";
                    })
                    + client.isClosed();
        });
        cases.put("connect_null", c -> {
            c.client().connect(null);
            return "";
        });
        cases.put("connect_negative", c -> {
            c.client().connect(nobody(), -1);
            return "";
        });
        cases.put("connect_bound", c -> {
            Socket client = c.client();
            client.bind(here());
            int port = client.getLocalPort();
            client.connect(c.listening().getLocalSocketAddress());
            return (port == client.getLocalPort()) + " " + state(client);
        });
        cases.put("connect_constructorBinds", c -> {
            ServerSocket listener = c.listening();
            Socket client = c.keep(new Socket(
                    InetAddress.getLoopbackAddress(), listener.getLocalPort(), InetAddress.getLoopbackAddress(), 0));
            return state(client);
        });
        cases.put("bind_twice", c -> {
            Socket client = c.client();
            client.bind(here());
            client.bind(here());
            return "";
        });
        cases.put("bind_null", c -> {
            Socket client = c.client();
            client.bind(null);
            return state(client);
        });
        cases.put("bind_used", c -> {
            c.client().bind(c.listening().getLocalSocketAddress());
            return "";
        });
        cases.put("bind_closed", c -> {
            Socket client = c.client();
            client.close();
            client.bind(here());
            return "";
        });
        cases.put("noProxy", c -> {
            Socket client = c.keep(new Socket(java.net.Proxy.NO_PROXY));
            client.connect(c.listening().getLocalSocketAddress());
            return state(client);
        });
        cases.put("subclass", c -> {
            Socket client = c.keep(new Socket() {
                @Override
                public String toString() {
                    return "mine";
                }
            });
            client.connect(c.listening().getLocalSocketAddress());
            return client + " " + client.isConnected();
        });
    }

    // Servers.

    private static void servers(Map<String, Body> cases) {
        cases.put("accept_timesOut_thenWorks", c -> {
            ServerSocket listener = c.listening();
            listener.setSoTimeout(30);
            String first = outcome(listener::accept);
            listener.setSoTimeout(20_000);
            c.client().connect(listener.getLocalSocketAddress());
            return first + c.keep(listener.accept()).isConnected();
        });
        cases.put("accept_unbound", c -> c.keep(new ServerSocket()).accept());
        cases.put("accept_intoSubclass", c -> {
            ServerSocket listener = c.keep(new ServerSocket() {
                @Override
                public Socket accept() throws java.io.IOException {
                    Socket into = new Socket();
                    implAccept(into);
                    return into;
                }
            });
            listener.bind(here());
            Socket client = c.client();
            client.connect(listener.getLocalSocketAddress());
            client.getOutputStream().write(9);
            Socket accepted = c.keep(listener.accept());
            return accepted.getInputStream().read() + " " + state(accepted);
        });
        cases.put("accept_inOrder", c -> {
            ServerSocket listener = c.listening();
            StringBuilder got = new StringBuilder();
            for (int i = 0; i < 5; i++) {
                Socket client = c.client();
                client.connect(listener.getLocalSocketAddress());
                client.getOutputStream().write(i);
                got.append(c.keep(listener.accept()).getInputStream().read());
            }
            return got;
        });
        cases.put("listen_twice", c -> {
            c.listening().bind(here());
            return "";
        });
        cases.put(
                "listen_portInUse",
                c -> new ServerSocket(c.listening().getLocalPort(), 50, InetAddress.getLoopbackAddress()));
        cases.put("listen_wrongPort", c -> new ServerSocket(70_000));
        cases.put("listen_again", c -> {
            ServerSocket listener = c.listening();
            int port = listener.getLocalPort();
            listener.close();
            return state(c.keep(new ServerSocket(port, 1, InetAddress.getLoopbackAddress())));
        });
        cases.put("listen_anyAddress", c -> {
            ServerSocket listener = c.keep(new ServerSocket(0));
            Socket client = c.keep(new Socket("localhost", listener.getLocalPort()));
            return state(listener) + String.valueOf(client.isConnected());
        });
        cases.put("listen_unresolved", c -> {
            c.keep(new ServerSocket()).bind(InetSocketAddress.createUnresolved("nowhere.invalid", 0));
            return "";
        });
        cases.put("listener_options", c -> {
            ServerSocket listener = c.keep(new ServerSocket());
            listener.setReuseAddress(true);
            listener.setReceiveBufferSize(8_192);
            listener.setPerformancePreferences(1, 2, 3);
            listener.bind(here());
            return listener.getReuseAddress() + " " + listener.getReceiveBufferSize() + " " + listener.getSoTimeout()
                    + " "
                    + new TreeSet<>(listener.supportedOptions().stream()
                            .map(SocketOption::name)
                            .toList());
        });
        cases.put("listener_tos", c -> {
            ServerSocket listener = c.listening();
            listener.setOption(StandardSocketOptions.IP_TOS, 16);
            return listener.getOption(StandardSocketOptions.IP_TOS);
        });
        cases.put("listener_wrongOptions", c -> {
            ServerSocket listener = c.listening();
            return outcome(() -> listener.getOption(StandardSocketOptions.TCP_NODELAY))
                    + outcome(() -> listener.setOption(StandardSocketOptions.SO_RCVBUF, -1))
                    + outcome(() -> {
                        listener.setSoTimeout(-1);
                        return "";
                    });
        });
    }

    // Options.

    private static void options(Map<String, Body> cases) {
        for (boolean connected : List.of(false, true)) {
            cases.put("options_defaults_" + connected, c -> {
                Socket of = connected ? c.pair().client() : c.client();
                return List.of(
                        of.getTcpNoDelay(),
                        of.getSoLinger(),
                        of.getSoTimeout(),
                        of.getKeepAlive(),
                        of.getOOBInline(),
                        of.getTrafficClass(),
                        of.getReuseAddress());
            });
            cases.put("options_set_" + connected, c -> {
                Socket of = connected ? c.pair().client() : c.client();
                of.setTcpNoDelay(true);
                of.setSoLinger(true, 5);
                of.setSoTimeout(700);
                of.setKeepAlive(true);
                of.setOOBInline(true);
                of.setTrafficClass(16);
                of.setReuseAddress(true);
                of.setPerformancePreferences(1, 2, 3);
                List<Object> set = List.of(
                        of.getTcpNoDelay(),
                        of.getSoLinger(),
                        of.getSoTimeout(),
                        of.getKeepAlive(),
                        of.getOOBInline(),
                        of.getTrafficClass(),
                        of.getReuseAddress());
                of.setSoLinger(false, 0);
                return set + " " + of.getSoLinger();
            });
            cases.put("options_supported_" + connected, c -> {
                Socket of = connected ? c.pair().client() : c.client();
                return new TreeSet<>(
                        of.supportedOptions().stream().map(SocketOption::name).toList());
            });
            cases.put("options_named_" + connected, c -> {
                Socket of = connected ? c.pair().client() : c.client();
                of.setOption(StandardSocketOptions.TCP_NODELAY, true).setOption(StandardSocketOptions.SO_LINGER, 3);
                return of.getOption(StandardSocketOptions.TCP_NODELAY)
                        + " " + of.getOption(StandardSocketOptions.SO_LINGER)
                        + outcome(() -> of.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1));
            });
            cases.put("options_wrong_" + connected, c -> {
                Socket of = connected ? c.pair().client() : c.client();
                return outcome(() -> {
                            of.setSoTimeout(-1);
                            return "";
                        })
                        + outcome(() -> {
                            of.setSoLinger(true, -1);
                            return "";
                        })
                        + outcome(() -> {
                            of.setSendBufferSize(0);
                            return "";
                        })
                        + outcome(() -> {
                            of.setTrafficClass(256);
                            return "";
                        });
            });
        }
        cases.put("options_numbersOfTheOldInterface", c -> SocketOptions.SO_TIMEOUT);
    }

    // Waits, and what another thread does meanwhile.

    /** Runs a step in a thread, changes something while it waits, and returns the outcome of the step and the status of the thread. */
    private static String waiting(boolean virtual, Step step, Change change) throws Exception {
        AtomicReference<String> result = new AtomicReference<>("still waiting");
        Runnable body =
                () -> result.set(outcome(step) + " " + Thread.currentThread().isInterrupted());
        Thread thread =
                virtual ? Thread.ofVirtual().start(body) : Thread.ofPlatform().start(body);
        awaitWaiting(thread);
        change.on(thread);
        thread.join(20_000);
        return result.get();
    }

    /** Methods in which a thread waits; that of an engine is {@code pause}, and that of rings in the shared memory {@code futexWait}. */
    private static final List<String> WAITS = List.of("park", "parkNanos", "pause", "futexWait");

    /** Until the thread is parked, drives an engine, or is in native code in several looks: a thread in a system call is runnable. */
    private static void awaitWaiting(Thread thread) {
        long startNs = System.nanoTime();
        int seen = 0;
        while (seen < 30 && thread.isAlive() && System.nanoTime() - startNs < 5_000_000_000L) {
            StackTraceElement[] stack = thread.getStackTrace();
            boolean waits = stack.length > 0
                    && (stack[0].isNativeMethod()
                            || Arrays.stream(stack).anyMatch(frame -> WAITS.contains(frame.getMethodName())));
            seen = waits ? seen + 1 : 0;
            Thread.yield();
        }
    }

    private static void waits(Map<String, Body> cases) {
        for (boolean virtual : List.of(false, true)) {
            String kind = virtual ? "_virtual" : "";
            cases.put("wait_read_close" + kind, c -> {
                Pair pair = c.pair();
                return waiting(
                        virtual, pair.clientIn()::read, _ -> pair.client().close());
            });
            cases.put("wait_readOfAccepted_close" + kind, c -> {
                Pair pair = c.pair();
                return waiting(
                        virtual, pair.serverIn()::read, _ -> pair.server().close());
            });
            cases.put("wait_read_shutdownInput" + kind, c -> {
                Pair pair = c.pair();
                return waiting(
                        virtual, pair.clientIn()::read, _ -> pair.client().shutdownInput());
            });
            cases.put("wait_read_peerCloses" + kind, c -> {
                Pair pair = c.pair();
                return waiting(
                        virtual, pair.clientIn()::read, _ -> pair.server().close());
            });
            cases.put("wait_read_peerWrites" + kind, c -> {
                Pair pair = c.pair();
                return waiting(
                        virtual, pair.clientIn()::read, _ -> pair.serverOut().write(5));
            });
            cases.put("wait_accept_close" + kind, c -> {
                ServerSocket listener = c.listening();
                return waiting(virtual, listener::accept, _ -> listener.close());
            });
            cases.put("wait_write_close" + kind, c -> {
                Pair pair = c.pair();
                return waiting(
                        virtual,
                        () -> writeForEver(pair.clientOut()),
                        _ -> pair.client().close());
            });
            for (boolean server : List.of(false, true)) {
                cases.put("wait_readInterrupted_thenBytes" + kind + (server ? "_server" : ""), c -> {
                    Pair pair = c.pair();
                    Socket reader = server ? pair.server() : pair.client();
                    OutputStream out = server ? pair.clientOut() : pair.serverOut();
                    return waiting(virtual, reader.getInputStream()::read, thread -> {
                                thread.interrupt();
                                awaitWaiting(thread);
                                outcome(
                                        () -> { // a virtual thread has closed its socket
                                            out.write(6);
                                            return "";
                                        });
                            })
                            + reader.isClosed();
                });
            }
            cases.put("wait_readInterruptedBefore" + kind, c -> {
                Pair pair = c.pair();
                pair.serverOut().write(6);
                return waiting(
                                virtual,
                                () -> {
                                    Thread.currentThread().interrupt();
                                    return pair.clientIn().readNBytes(2).length;
                                },
                                _ -> outcome(() -> {
                                    pair.serverOut().write(7);
                                    return "";
                                }))
                        + pair.client().isClosed();
            });
            cases.put("wait_acceptInterrupted_thenClient" + kind, c -> {
                ServerSocket listener = c.listening();
                return waiting(virtual, () -> c.keep(listener.accept()).isConnected(), thread -> {
                            thread.interrupt();
                            awaitWaiting(thread);
                            Socket client = c.client();
                            outcome(() -> {
                                client.connect(listener.getLocalSocketAddress());
                                return "";
                            });
                        })
                        + listener.isClosed();
            });
            cases.put("wait_timedReadInterrupted_timesOut" + kind, c -> {
                Socket client = c.pair().client();
                client.setSoTimeout(1_000);
                return waiting(virtual, client.getInputStream()::read, Thread::interrupt) + client.isClosed();
            });
            cases.put("wait_readTimesOut_thenBytes" + kind, c -> {
                Pair pair = c.pair();
                return waiting(
                        virtual,
                        () -> {
                            pair.client().setSoTimeout(30);
                            String first = outcome(pair.clientIn()::read);
                            pair.serverOut().write(4);
                            pair.client().setSoTimeout(20_000);
                            return first + pair.clientIn().read();
                        },
                        _ -> {});
            });
            cases.put("wait_acceptTimesOut" + kind, c -> {
                ServerSocket listener = c.listening();
                listener.setSoTimeout(30);
                return waiting(virtual, listener::accept, _ -> {});
            });
            cases.put("wait_connectInterruptedBefore" + kind, c -> {
                ServerSocket listener = c.listening();
                Socket client = c.client();
                return waiting(
                                virtual,
                                () -> {
                                    Thread.currentThread().interrupt();
                                    client.connect(listener.getLocalSocketAddress());
                                    return client.isConnected();
                                },
                                _ -> {})
                        .replaceAll("Socket.*|true true|false true", "")
                        .isEmpty();
            });
        }
    }

    private static Object writeForEver(OutputStream out) throws Exception {
        byte[] much = new byte[1 << 20];
        while (true) {
            out.write(much);
        }
    }

    /** Each call on a closed socket. */
    private static void wrongCalls(Map<String, Body> cases) {
        Map<String, java.util.function.Function<Socket, Step>> calls = new LinkedHashMap<>();
        calls.put("getInputStream", s -> s::getInputStream);
        calls.put("getOutputStream", s -> s::getOutputStream);
        calls.put("getTcpNoDelay", s -> s::getTcpNoDelay);
        calls.put("getSoLinger", s -> s::getSoLinger);
        calls.put("getSoTimeout", s -> s::getSoTimeout);
        calls.put("getKeepAlive", s -> s::getKeepAlive);
        calls.put("getOOBInline", s -> s::getOOBInline);
        calls.put("getTrafficClass", s -> s::getTrafficClass);
        calls.put("getReuseAddress", s -> s::getReuseAddress);
        calls.put("getSendBufferSize", s -> s::getSendBufferSize);
        calls.put("getReceiveBufferSize", s -> s::getReceiveBufferSize);
        calls.put("supportedOptions", s -> () -> s.supportedOptions().isEmpty());
        calls.put("getOption", s -> () -> s.getOption(StandardSocketOptions.SO_KEEPALIVE));
        calls.put("setOption", s -> () -> s.setOption(StandardSocketOptions.SO_KEEPALIVE, true));
        calls.put("urgent", s -> () -> {
            s.sendUrgentData(1);
            return "";
        });
        calls.forEach((name, call) -> {
            for (boolean connected : List.of(false, true)) {
                cases.put("closed_" + name + "_" + connected, c -> {
                    Socket of = connected ? c.pair().client() : c.client();
                    of.close();
                    return outcome(call.apply(of));
                });
            }
        });
        cases.put("factory_ofTheProgram_canBeSet", c -> {
            Socket.setSocketImplFactory(null);
            return Objects.requireNonNull(c.client()).isBound();
        });
        cases.put("exception_isASocketException", c -> {
            try {
                c.client().connect(nobody());
                return "";
            } catch (SocketException e) {
                return e.getClass();
            }
        });
    }
}
