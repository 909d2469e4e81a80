package io.verbena.sockets.nio;

import static io.verbena.sockets.nio.Stage.tryOut;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Each call that waits, and each change that another thread makes meanwhile. Where the change does not end a wait in a channel of the JDK,
 * what the call waits for comes after it.
 */
final class WaitCases {

    private WaitCases() {}

    /** More than TCP takes without a reader. */
    private static final int MORE_THAN_FITS = 16 << 20;

    /** As much as is written to our channels at once, and more than TCP takes without a reader. */
    private static final int FILE = 8 << 20;

    private static final int NEVER_MS = 100_000;

    /** A call that waits. */
    private interface Wait {
        Object run(Stage stage, Ends ends) throws Exception;
    }

    /** What another thread does. */
    private interface Change {
        Object run(Ends ends) throws Exception;
    }

    /** The channel whose call waits, and the one at the other side. */
    private record Ends(SocketChannel own, SocketChannel peer) {}

    private static final Map<String, Wait> READS = sorted(Map.of(
            "read", (_, e) -> e.own.read(ByteBuffer.allocate(9)),
            "scatter", (_, e) -> e.own.read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(8)}),
            "streamRead", (_, e) -> e.own.socket().getInputStream().read(new byte[9]),
            "streamReadWithin",
                    (_, e) -> {
                        e.own.socket().setSoTimeout(NEVER_MS);
                        return e.own.socket().getInputStream().read(new byte[9]);
                    },
            "transferFrom", (_, e) -> inFile(0, file -> file.transferFrom(e.own, 0, 1))));

    private static final Map<String, Wait> WRITES = sorted(Map.of(
            "write", (_, e) -> part(e.own.write(ByteBuffer.allocate(MORE_THAN_FITS))),
            "gather",
                    (_, e) -> part(e.own.write(
                            new ByteBuffer[] {ByteBuffer.allocate(10), ByteBuffer.allocate(MORE_THAN_FITS - 10)})),
            "streamWrite",
                    (_, e) -> {
                        e.own.socket().getOutputStream().write(new byte[MORE_THAN_FITS]);
                        return "all";
                    },
            "transferTo",
                    (_, e) -> inFile(FILE, file -> part(file.transferTo(0, FILE, e.own) + MORE_THAN_FITS - FILE))));

    private static final Map<String, Change> CHANGES = sorted(Map.of(
            "close", e -> closed(e.own),
            "socketClose",
                    e -> {
                        e.own.socket().close();
                        return "closed";
                    },
            "shutdownInput", e -> e.own.shutdownInput() == e.own,
            "shutdownOutput", e -> e.own.shutdownOutput() == e.own,
            "nonBlocking", e -> e.own.configureBlocking(false) == e.own,
            "peerCloses", e -> closed(e.peer),
            "peerShutsOutput", e -> e.peer.shutdownOutput() == e.peer,
            "peerResets",
                    e -> {
                        e.peer.setOption(StandardSocketOptions.SO_LINGER, 0);
                        return closed(e.peer);
                    }));

    /** In the same order in each JVM. */
    private static <V> Map<String, V> sorted(Map<String, V> any) {
        return new TreeMap<>(any);
    }

    static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        for (boolean accepted : List.of(false, true)) {
            READS.forEach((name, wait) ->
                    transfers(cases, name, wait, accepted, Set.of("shutdownOutput", "nonBlocking"), WaitCases::feed));
            WRITES.forEach((name, wait) -> transfers(
                    cases,
                    name,
                    wait,
                    accepted,
                    Set.of("shutdownInput", "nonBlocking", "peerShutsOutput"),
                    WaitCases::drain));
            selects(cases, accepted);
        }
        connects(cases);
        accepts(cases);
        return cases;
    }

    private static String closed(SocketChannel channel) throws Exception {
        channel.close();
        return "closed";
    }

    private static String part(long bytes) {
        return bytes <= 0 ? String.valueOf(bytes) : bytes < MORE_THAN_FITS ? "part" : "all";
    }

    private interface WithFile {
        Object run(FileChannel file) throws Exception;
    }

    private static Object inFile(int bytes, WithFile body) throws Exception {
        Path path = Files.createTempFile("verbena", ".bin");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (bytes > 0) {
                file.write(ByteBuffer.allocate(1), bytes - 1);
            }
            return body.run(file);
        } finally {
            Files.delete(path);
        }
    }

    /** What a reader waits for; a peer that has closed or shut its output writes nothing. */
    private static Object feed(@SuppressWarnings("unused") Stage s, Ends ends) throws Exception {
        return ends.peer.write(Stage.text("x"));
    }

    /** What a writer waits for, as long as the stage is there. */
    private static Object drain(Stage s, Ends ends) {
        return s.submit(() -> {
            ByteBuffer into = ByteBuffer.allocate(1 << 16);
            while (ends.peer.read(into.clear()) >= 0) {
                Thread.onSpinWait();
            }
            return into;
        });
    }

    private static void transfers(
            Map<String, Stage.Body> cases, String name, Wait wait, boolean accepted, Set<String> without, Wait finish) {
        String side = accepted ? "_accepted" : "";
        CHANGES.forEach((changeName, change) -> cases.put("wait_" + name + "_" + changeName + side, s -> {
            Ends ends = ends(s, accepted);
            return changed(
                            s,
                            () -> wait.run(s, ends),
                            () -> change.run(ends),
                            () -> without.contains(changeName) ? finish.run(s, ends) : "")
                    + " open " + ends.own.isOpen();
        }));
        cases.put("wait_" + name + "_interrupt" + side, s -> {
            Ends ends = ends(s, accepted);
            return s.blocked(() -> wait.run(s, ends), Thread::interrupt) + " open " + ends.own.isOpen();
        });
    }

    /** Both sides have decided what carries them. */
    private static Ends ends(Stage s, boolean accepted) throws Exception {
        Stage.Pair pair = s.pair();
        pair.client().write(Stage.text("c"));
        Stage.read(pair.server(), 1);
        pair.server().write(Stage.text("s"));
        Stage.read(pair.client(), 1);
        return accepted ? new Ends(pair.server(), pair.client()) : new Ends(pair.client(), pair.server());
    }

    /** The outcomes of a call that waits and of a change, after which the awaited comes. */
    private static String changed(Stage s, Stage.Step wait, Stage.Step change, Stage.Step finish) throws Exception {
        String[] changed = new String[1];
        Thread[] changer = new Thread[1];
        String waited = s.blocked(wait, _ -> {
            changer[0] = Thread.ofPlatform().start(() -> changed[0] = tryOut(change));
            Stage.awaitBlocked(changer[0]);
            tryOut(finish);
        });
        changer[0].join(10_000);
        return waited + " by " + changed[0];
    }

    private static void connects(Map<String, Stage.Body> cases) {
        Map<String, Wait> waits = sorted(Map.of(
                "connect", (_, e) -> e.own.connect(e.peer.getRemoteAddress()),
                "socketConnect",
                        (_, e) -> {
                            e.own.socket().connect(e.peer.getRemoteAddress());
                            return "connected";
                        },
                "socketConnectWithin",
                        (_, e) -> {
                            e.own.socket().connect(e.peer.getRemoteAddress(), NEVER_MS);
                            return "connected";
                        }));
        waits.forEach((name, wait) -> {
            for (String change : List.of("close", "socketClose", "shutdownInput", "shutdownOutput", "nonBlocking")) {
                cases.put("wait_" + name + "_" + change, s -> {
                    Ends ends = new Ends(s.client(), full(s));
                    Change step = Objects.requireNonNull(CHANGES.get(change));
                    return changed(s, () -> wait.run(s, ends), () -> step.run(ends), () -> closed(ends.own));
                });
            }
            cases.put("wait_" + name + "_interrupt", s -> {
                Ends ends = new Ends(s.client(), full(s));
                return s.blocked(() -> wait.run(s, ends), Thread::interrupt) + " open " + ends.own.isOpen();
            });
        });
        cases.put("wait_finishConnect_close", s -> {
            Ends ends = pending(s);
            ends.own.configureBlocking(true);
            return s.blocked(ends.own::finishConnect, _ -> ends.own.close());
        });
        cases.put("wait_finishConnect_interrupt", s -> {
            Ends ends = pending(s);
            ends.own.configureBlocking(true);
            return s.blocked(ends.own::finishConnect, Thread::interrupt);
        });
    }

    /** A channel that connects to a server which takes no more connections; the peer is another one of its clients. */
    static Ends pending(Stage s) throws Exception {
        Ends ends = new Ends(s.client(), full(s));
        ends.own.configureBlocking(false);
        ends.own.connect(ends.peer.getRemoteAddress());
        return ends;
    }

    /** A channel that {@link #pending connects}. */
    static SocketChannel connecting(Stage s) throws Exception {
        return pending(s).own;
    }

    /** A client of a server of the JDK whose queue is full: the kernel does not answer another one. */
    private static SocketChannel full(Stage s) throws Exception {
        ServerSocket server = s.keep(new ServerSocket());
        server.bind(s.here(), 1);
        SocketChannel first = s.keep(SocketChannel.open(server.getLocalSocketAddress()));
        s.keep(SocketChannel.open(server.getLocalSocketAddress()));
        SocketChannel third = s.keep(SocketChannel.open());
        third.configureBlocking(false);
        third.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
        return first;
    }

    private static void accepts(Map<String, Stage.Body> cases) {
        for (String name : List.of("accept", "socketAccept", "socketAcceptWithin")) {
            for (String change : List.of("close", "socketClose", "nonBlocking")) {
                cases.put("wait_" + name + "_" + change, s -> {
                    ServerSocketChannel server = s.listening();
                    var address = server.getLocalAddress();
                    return changed(
                                    s,
                                    () -> accept(s, server, name),
                                    () -> change(server, change),
                                    // After a close, the kernel may still accept one for the thread that waits.
                                    () -> change.equals("nonBlocking")
                                            ? s.client().connect(address)
                                            : "")
                            + " open " + server.isOpen();
                });
            }
            cases.put("wait_" + name + "_interrupt", s -> {
                ServerSocketChannel server = s.listening();
                return s.blocked(() -> accept(s, server, name), Thread::interrupt) + " open " + server.isOpen();
            });
        }
    }

    private static Object accept(Stage s, ServerSocketChannel server, String call) throws Exception {
        if (call.equals("accept")) {
            return s.keep(server.accept()).isOpen();
        }
        server.socket().setSoTimeout(call.endsWith("Within") ? NEVER_MS : 0);
        return s.keep(server.socket().accept()).isConnected();
    }

    private static Object change(ServerSocketChannel server, String change) throws Exception {
        switch (change) {
            case "close" -> server.close();
            case "socketClose" -> server.socket().close();
            default -> server.configureBlocking(false);
        }
        return change;
    }

    private static void selects(Map<String, Stage.Body> cases, boolean accepted) {
        String side = accepted ? "_accepted" : "";
        for (String change :
                List.of("close", "shutdownInput", "shutdownOutput", "peerCloses", "peerShutsOutput", "peerResets")) {
            cases.put("wait_select_" + change + side, s -> {
                Ends ends = ends(s, accepted);
                ends.own.configureBlocking(false);
                Selector selector = s.selector();
                SelectionKey key = ends.own.register(selector, SelectionKey.OP_READ);
                Change step = Objects.requireNonNull(CHANGES.get(change));
                return changed(
                                s,
                                selector::select,
                                () -> step.run(ends),
                                () -> Set.of("close", "shutdownOutput").contains(change) ? selector.wakeup() : "")
                        + " valid " + key.isValid()
                        + " keys " + selector.keys().size();
            });
        }
        for (String change : List.of("cancel", "interestNone", "interestWrite", "closeSelector", "blocking")) {
            cases.put("wait_select_" + change + side, s -> {
                Ends ends = ends(s, accepted);
                ends.own.configureBlocking(false);
                Selector selector = s.selector();
                SelectionKey key = ends.own.register(selector, SelectionKey.OP_READ);
                return changed(s, selector::select, () -> change(key, change), selector::wakeup) + " valid "
                        + key.isValid() + " open " + ends.own.isOpen();
            });
        }
    }

    private static Object change(SelectionKey key, String change) throws Exception {
        switch (change) {
            case "cancel" -> key.cancel();
            case "interestNone" -> key.interestOps(0);
            case "interestWrite" -> key.interestOps(SelectionKey.OP_WRITE);
            case "closeSelector" -> key.selector().close();
            default -> key.channel().configureBlocking(true);
        }
        return change;
    }
}
