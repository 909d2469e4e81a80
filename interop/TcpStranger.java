import io.verbena.host.TcpThread;
import io.verbena.port.ByteStream;
import io.verbena.port.faults.PacketFaults;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The TCP of Verbena against that of this system, over a network device between the two: {@code TcpStranger KIND DEVICE SYSTEM-ADDRESS
 * OUR-ADDRESS FAULTS CASE...}. FAULTS is "none", "small" (none, and no large segments) or {@code loss,duplicates,flips,late,us}: each is
 * the N of "one frame in N", and the last one the maximum delay in microseconds. Each case prints one line: {@code ok} or {@code
 * FAILED}, its duration, its name and a note, separated by tabs. The case "system" transfers between two sockets of the system, for
 * comparison.
 */
final class TcpStranger {

    private final TcpThread tcp;
    private final InetAddress system;
    private final InetAddress own;
    private final TcpPeers peers;

    private TcpStranger(TcpThread tcp, InetAddress system, InetAddress own) {
        this.tcp = tcp;
        this.system = system;
        this.own = own;
        this.peers = new TcpPeers(tcp, system, own);
    }

    public static void main(String[] arguments) throws Exception {
        TcpCarrier carrier = TcpCarrier.valueOf(arguments[0].toUpperCase(Locale.ROOT));
        RnicOptions options = RnicOptions.defaults().withDevice(arguments[1]).withIwarp(it -> it.withTcp(carrier)
                .withSocketBufferBytes(Integer.getInteger("window", 1 << 20)));
        if (carrier == TcpCarrier.PACKET) {
            options = options.withSettings(Map.of(TcpCarrier.ADDRESS_SETTING, arguments[3] + "/24"));
        }
        int failures = 0;
        try (TcpThread tcp = new TcpThread(options, faults(arguments[4]))) {
            TcpStranger run = new TcpStranger(
                    tcp, InetAddress.getByName(arguments[2]), InetAddress.getByName(arguments[3]));
            for (String each : List.of(arguments).subList(5, arguments.length)) {
                failures += report(each, run::run) ? 0 : 1;
            }
        }
        System.exit(failures == 0 ? 0 : 1);
    }

    static PacketFaults faults(String text) {
        if (text.equals("none")) {
            return PacketFaults.none();
        }
        if (text.equals("small")) {
            return PacketFaults.none().withLoss(Integer.MAX_VALUE);
        }
        String[] f = text.split(",");
        return PacketFaults.none()
                .withLoss(Integer.parseInt(f[0]))
                .withDuplicates(Integer.parseInt(f[1]))
                .withFlips(Integer.parseInt(f[2]))
                .withHolds(Integer.parseInt(f[3]), Integer.parseInt(f[4]) * 1000L);
    }

    /** A case, by its name and size; returns a note. */
    @FunctionalInterface
    interface Case {
        String run(String name, long size) throws Exception;
    }

    /** Runs a case, {@code NAME} or {@code NAME:SIZE}, and prints its line. */
    static boolean report(String name, Case body) {
        long startNs = System.nanoTime();
        String[] words = name.split(":");
        try {
            String note = body.run(words[0], words.length > 1 ? Long.parseLong(words[1]) : 1);
            double seconds = (System.nanoTime() - startNs) / 1e9;
            System.out.printf(Locale.ROOT, "ok\t%.2f\t%s\t%s%n", seconds, name, note);
            return true;
        } catch (Throwable e) {
            Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
            System.out.printf(
                    Locale.ROOT, "FAILED\t%.2f\t%s\t%s%n", (System.nanoTime() - startNs) / 1e9, name, cause);
            cause.printStackTrace();
            return false;
        }
    }

    private String run(String name, long size) throws Exception {
        return switch (name) {
            case "out" -> transfer(size << 20, 0, true);
            case "in" -> transfer(0, size << 20, true);
            case "both" -> transfer(size << 20, size << 20, true);
            case "served" -> transfer(size << 20, size << 20, false);
            case "system" -> systemOnly(size << 20);
            case "half-close" -> halfClose();
            case "reset-by-system" -> resetBySystem();
            case "reset-by-us" -> resetByUs();
            case "system-stops" -> zeroWindow(true);
            case "we-stop" -> zeroWindow(false);
            case "short-out" -> shortConnections((int) size, true);
            case "short-in" -> shortConnections((int) size, false);
            case "refused-by-system" -> refusedBySystem();
            case "refused-by-us" -> refusedByUs();
            case "no-host" -> noHost();
            case "latency" -> latency((int) size);
            case "removed" -> removed();
            default -> throw new IllegalArgumentException("no case " + name);
        };
    }

    // The cases.

    private String transfer(long out, long in, boolean fromUs) throws Exception {
        TcpPeers.Pair pair = peers.connect(fromUs, out, in);
        long startNs = System.nanoTime();
        CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
            try {
                TcpPeers.send(pair.theirs(), in);
                pair.theirs().shutdownOutput();
            } catch (IOException e) {
                throw new IllegalStateException("the system's socket: " + e.getMessage(), e);
            }
        });
        long received = TcpPeers.receive(pair.theirs(), 0);
        TcpPeers.check(received == out, "the system received " + received + " bytes, not " + out);
        sender.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        pair.ours().done.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        pair.theirs().close();
        double seconds = (System.nanoTime() - startNs) / 1e9;
        return String.format(Locale.ROOT, "%.3f GB/s", (out + in) / seconds / 1e9);
    }

    private String systemOnly(long bytes) throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(system, 0));
                SocketChannel from = SocketChannel.open(server.getLocalAddress());
                SocketChannel to = server.accept()) {
            long startNs = System.nanoTime();
            CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
                try {
                    TcpPeers.send(from, bytes);
                    from.shutdownOutput();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            TcpPeers.check(TcpPeers.receive(to, 0) == bytes, "the system lost bytes");
            sender.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
            return String.format(Locale.ROOT, "%.3f GB/s", bytes / ((System.nanoTime() - startNs) / 1e9) / 1e9);
        }
    }

    /** Each side in turn ends its direction first, and receives afterwards. */
    private String halfClose() throws Exception {
        TcpPeers.Pair first = peers.connect(true, 0, 300_000); // ours is closed at once
        TcpPeers.check(TcpPeers.receive(first.theirs(), 0) == 0, "the system received bytes");
        TcpPeers.send(first.theirs(), 300_000);
        first.theirs().close();
        first.ours().done.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        TcpPeers.Pair second = peers.connect(false, 500_000, 0);
        second.theirs().shutdownOutput();
        TcpPeers.check(TcpPeers.receive(second.theirs(), 0) == 500_000, "not all bytes after the half-close");
        second.ours().done.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        second.theirs().close();
        return "";
    }

    private String resetBySystem() throws Exception {
        TcpPeers.Pair pair = peers.connect(false, 0, 1 << 20);
        TcpPeers.send(pair.theirs(), 1000);
        pair.theirs().setOption(StandardSocketOptions.SO_LINGER, 0).close();
        return failure(pair.ours().done, "reset");
    }

    private String resetByUs() throws Exception {
        TcpPeers.Pair pair = peers.connect(true, 1 << 20, 1);
        ByteBuffer some = ByteBuffer.allocate(1000);
        pair.theirs().read(some);
        tcp.run(() -> pair.ours().stream.close(true));
        try {
            TcpPeers.receive(pair.theirs(), some.position());
        } catch (IOException e) {
            TcpPeers.check(e.getMessage().contains("reset"), "not a reset: " + e);
            return e.getMessage();
        }
        throw new IllegalStateException("the system saw an end, not a reset");
    }

    static String failure(CompletableFuture<?> future, String word) throws Exception {
        return failure(future, word, TcpPeers.PATIENCE_S);
    }

    private static String failure(CompletableFuture<?> future, String word, long patienceS) throws Exception {
        try {
            future.get(patienceS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            String sentence = String.valueOf(e.getCause().getMessage());
            TcpPeers.check(sentence.contains(word), "another failure: " + e.getCause());
            return sentence;
        }
        throw new IllegalStateException("no failure");
    }

    /** The receiver does not read for longer than the first probes of the window, then all bytes arrive. */
    private String zeroWindow(boolean atSystem) throws Exception {
        long bytes = 16 << 20;
        TcpPeers.Pair pair = peers.connect(atSystem, atSystem ? bytes : 0, atSystem ? 0 : bytes);
        if (atSystem) {
            TimeUnit.MILLISECONDS.sleep(1500);
            TcpPeers.check(!pair.ours().done.isDone() && pair.ours().sent < bytes, "the window did not close");
            TcpPeers.check(TcpPeers.receive(pair.theirs(), 0) == bytes, "not all bytes after the pause");
            pair.theirs().close();
            pair.ours().done.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
            return "";
        }
        pair.ours().read(false);
        CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
            try {
                TcpPeers.send(pair.theirs(), bytes);
                pair.theirs().close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        try {
            sender.get(1500, TimeUnit.MILLISECONDS);
            throw new IllegalStateException("the window did not close");
        } catch (TimeoutException expected) {
            pair.ours().read(true);
        }
        sender.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        pair.ours().done.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        return "";
    }

    private String shortConnections(int count, boolean fromUs) throws Exception {
        int port = peers.newPort();
        List<CompletableFuture<Long>> all = new ArrayList<>();
        long startNs = System.nanoTime();
        if (fromUs) {
            try (ServerSocketChannel server =
                    ServerSocketChannel.open().bind(new InetSocketAddress(system, port), 1024)) {
                for (int i = 0; i < count; i++) {
                    TcpPeers.End end = peers.new End(64, 100);
                    all.add(end.done);
                    tcp.run(() -> tcp.streams().connect(new InetSocketAddress(system, port), end));
                    try (SocketChannel theirs = server.accept()) {
                        TcpPeers.send(theirs, 100);
                        TcpPeers.check(TcpPeers.receive(theirs, 0) == 64, "a short connection lost bytes");
                    }
                }
            }
        } else {
            StreamLoop.Acceptor acceptor = tcp.streams().listen(new InetSocketAddress(own, port), 64, stream -> {
                TcpPeers.End end = peers.new End(64, 100);
                all.add(end.done); // only here, in the thread of the TCP
                end.begin(stream);
            });
            for (int i = 0; i < count; i++) {
                try (SocketChannel theirs = SocketChannel.open(new InetSocketAddress(own, port))) {
                    TcpPeers.send(theirs, 100);
                    TcpPeers.check(TcpPeers.receive(theirs, 0) == 64, "a short connection lost bytes");
                }
            }
            acceptor.close();
            CompletableFuture<Void> barrier = new CompletableFuture<>();
            tcp.run(() -> barrier.complete(null));
            barrier.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        }
        for (CompletableFuture<Long> each : List.copyOf(all)) {
            each.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        }
        return String.format(Locale.ROOT, "%.0f/s", count / ((System.nanoTime() - startNs) / 1e9));
    }

    private String refusedBySystem() throws Exception {
        TcpPeers.End end = peers.new End(0, 0);
        tcp.run(() -> tcp.streams().connect(new InetSocketAddress(system, 9), end));
        return failure(end.opened, "refused");
    }

    private String refusedByUs() throws Exception {
        try (SocketChannel theirs = SocketChannel.open(new InetSocketAddress(own, 9))) {
            throw new IllegalStateException("connected: " + theirs);
        } catch (ConnectException e) {
            TcpPeers.check(e.getMessage().contains("refused"), "not refused: " + e);
            return e.getMessage();
        }
    }

    /** A host is asked for two minutes before it counts as absent, and a SYN is repeated for three. */
    private static final long ABSENT_S = 170;

    /** An address on the link that no host has. */
    private String noHost() throws Exception {
        byte[] absent = own.getAddress();
        absent[absent.length - 1] += 5;
        TcpPeers.End end = peers.new End(0, 0);
        tcp.run(() -> tcp.streams().connect(new InetSocketAddress(address(absent), 9), end));
        return failure(end.opened, "No route", ABSENT_S);
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private String latency(int rounds) throws Exception {
        int port = peers.newPort();
        StreamLoop.Acceptor acceptor = tcp.streams().listen(new InetSocketAddress(own, port), 4, stream -> {
            ByteBuffer buffer = ByteBuffer.allocateDirect(64);
            tcp.streams().attach(stream, new StreamEvents() {
                @Override
                public void onReadable() {
                    try {
                        int count;
                        while ((count = stream.read(buffer.clear())) > 0) {
                            stream.write(buffer.flip());
                        }
                        if (count == ByteStream.END) {
                            stream.close(false);
                        }
                    } catch (IOException e) {
                        stream.close(true);
                    }
                }

                @Override
                public void onWritable() {}
            });
        });
        long[] roundNs = new long[rounds];
        try (SocketChannel theirs = SocketChannel.open(new InetSocketAddress(own, port))) {
            theirs.setOption(StandardSocketOptions.TCP_NODELAY, true);
            theirs.configureBlocking(false);
            ByteBuffer eight = ByteBuffer.allocateDirect(8);
            for (int i = 0; i < rounds; i++) {
                long startNs = System.nanoTime();
                theirs.write(eight.clear());
                eight.clear();
                while (eight.hasRemaining()) {
                    TcpPeers.check(theirs.read(eight) >= 0, "the echo ended");
                }
                roundNs[i] = System.nanoTime() - startNs;
            }
        }
        acceptor.close();
        java.util.Arrays.sort(roundNs);
        return String.format(Locale.ROOT, "half a round trip %.1f us", roundNs[rounds / 2] / 2e3);
    }

    /** The device is deleted: connections end with a reason, and the TCP refuses new ones with one. */
    private String removed() throws Exception {
        TcpPeers.Pair pair = peers.connect(true, 0, 1);
        int outcome = new ProcessBuilder("ip", "link", "delete", System.getProperty("device"))
                .inheritIO()
                .start()
                .waitFor();
        TcpPeers.check(outcome == 0, "the device cannot be removed");
        String reason = failure(pair.ours().done, "gone");
        TcpPeers.End end = peers.new End(0, 0);
        tcp.run(() -> tcp.streams().connect(new InetSocketAddress(system, peers.newPort()), end));
        failure(end.opened, "gone");
        return reason;
    }
}
