import io.verbena.host.TcpThread;
import io.verbena.port.faults.PacketFaults;
import io.verbena.port.StreamLoop;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TcpCarrier;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The TCP of Verbena against lwIP over a Unix socket: {@code LwipStranger LWIP SOCKET THEIR-ADDRESS OUR-ADDRESS/BITS FAULTS CASE...}. LWIP
 * is the program of strangers/lwip.c, which this one starts. FAULTS and the lines that are printed are those of {@link TcpStranger}.
 */
final class LwipStranger {

    private final TcpThread tcp;
    private final InetAddress lwip;
    private final InetAddress own;
    private final TcpPeers peers;
    private final List<String> command;
    private Stack stack;

    private LwipStranger(TcpThread tcp, InetAddress lwip, InetAddress own, List<String> command) throws IOException {
        this.tcp = tcp;
        this.lwip = lwip;
        this.own = own;
        this.peers = new TcpPeers(tcp, lwip, own);
        this.command = command;
        this.stack = new Stack(command);
    }

    public static void main(String[] arguments) throws Exception {
        String program = arguments[0];
        String socket = arguments[1];
        String theirs = arguments[2];
        String ours = arguments[3];
        RnicOptions options = RnicOptions.defaults()
                .withDevice("listen:" + socket)
                .withIwarp(it -> it.withTcp(TcpCarrier.QEMU).withSocketBufferBytes(1 << 20))
                .withSettings(Map.of(TcpCarrier.ADDRESS_SETTING, ours));
        String address = ours.substring(0, ours.indexOf('/'));
        PacketFaults faults = TcpStranger.faults(arguments[4]);
        int failures = 0;
        try (TcpThread tcp = new TcpThread(options, faults)) {
            LwipStranger run = new LwipStranger(
                    tcp,
                    InetAddress.getByName(theirs),
                    InetAddress.getByName(address),
                    List.of(program, socket, theirs, address));
            for (String each : List.of(arguments).subList(5, arguments.length)) {
                failures += TcpStranger.report(each, run::run) ? 0 : 1;
            }
            run.stack.end();
        }
        System.exit(failures == 0 ? 0 : 1);
    }

    /** A process of lwIP, and what it says about each port. */
    private static final class Stack {
        private final Process process;
        private final Writer commands;
        private final Map<Integer, BlockingQueue<String>> lines = new ConcurrentHashMap<>();

        Stack(List<String> command) throws IOException {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            commands = new BufferedWriter(process.outputWriter());
            Thread.ofVirtual().start(this::read);
        }

        private void read() {
            try (BufferedReader from = process.inputReader()) {
                String line;
                while ((line = from.readLine()) != null) {
                    String[] words = line.split(" ", 3);
                    of(Integer.parseInt(words[1])).add(words[0] + (words.length > 2 ? " " + words[2] : ""));
                }
            } catch (IOException e) {
                System.err.println("the output of lwIP: " + e.getMessage());
            }
        }

        private BlockingQueue<String> of(int port) {
            return lines.computeIfAbsent(port, _ -> new LinkedBlockingQueue<>());
        }

        void command(String format, Object... arguments) throws IOException {
            commands.write(String.format(Locale.ROOT, format, arguments) + "\n");
            commands.flush();
        }

        /** The next line about a port must be this one. */
        void expect(int port, String line) throws InterruptedException {
            String got = of(port).poll(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
            TcpPeers.check(line.equals(got), "lwIP says " + (got == null ? "nothing" : got) + ", not " + line);
        }

        void end() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }

    private String run(String name, long size) throws Exception {
        return switch (name) {
            case "out" -> transfer(size << 10, 0, true);
            case "in" -> transfer(0, size << 10, true);
            case "both" -> transfer(size << 10, size << 10, true);
            case "served" -> transfer(size << 10, size << 10, false);
            case "half-close" -> halfClose();
            case "reset-by-lwip" -> resetByLwip();
            case "reset-by-us" -> resetByUs();
            case "refused-by-lwip" -> TcpStranger.failure(connect(9, 0, 0).opened, "refused");
            case "refused-by-us" -> refusedByUs();
            case "lwip-stops" -> lwipStops();
            case "we-stop" -> weStop();
            case "short-out" -> shortConnections((int) size, true);
            case "short-in" -> shortConnections((int) size, false);
            case "restarted" -> restarted();
            default -> throw new IllegalArgumentException("no case " + name);
        };
    }

    // Connections.

    private TcpPeers.End connect(int port, long send, long receive) {
        TcpPeers.End end = peers.new End(send, receive);
        tcp.run(() -> tcp.streams().connect(new InetSocketAddress(lwip, port), end));
        return end;
    }

    /** Opens a connection to lwIP, which does with it what the command says. */
    private TcpPeers.End toLwip(int port, long send, long receive, String theirEnd) throws Exception {
        stack.command("listen %d 1 %d %d %s", port, receive, send, theirEnd);
        stack.expect(port, "ready");
        return connect(port, send, receive);
    }

    /** Lets lwIP open a connection. */
    private TcpPeers.End fromLwip(int port, long send, long receive, String theirEnd) throws Exception {
        CompletableFuture<TcpPeers.End> accepted = new CompletableFuture<>();
        StreamLoop.Acceptor acceptor = tcp.streams().listen(new InetSocketAddress(own, port), 64, stream -> {
            TcpPeers.End end = peers.new End(send, receive);
            end.begin(stream);
            accepted.complete(end);
        });
        try {
            stack.command("connect %d %d %d %s", port, receive, send, theirEnd);
            return accepted.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
        } finally {
            acceptor.close();
        }
    }

    private static void await(CompletableFuture<?> future) throws Exception {
        future.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS);
    }

    // The cases.

    private String transfer(long out, long in, boolean fromUs) throws Exception {
        int port = peers.newPort();
        long startNs = System.nanoTime();
        TcpPeers.End end = fromUs ? toLwip(port, out, in, "close") : fromLwip(port, out, in, "close");
        await(end.done);
        stack.expect(port, "done");
        return String.format(Locale.ROOT, "%.1f MB/s", (out + in) * 1e3 / (System.nanoTime() - startNs));
    }

    /** Each side in turn sends only after the other one has ended its direction. */
    private String halfClose() throws Exception {
        int first = peers.newPort();
        await(toLwip(first, 0, 300_000, "close").done);
        stack.expect(first, "done");
        int second = peers.newPort();
        await(fromLwip(second, 500_000, 0, "close").done);
        stack.expect(second, "done");
        return "";
    }

    private String resetByLwip() throws Exception {
        int port = peers.newPort();
        String reason = TcpStranger.failure(toLwip(port, 1 << 20, 1, "reset").done, "reset");
        stack.expect(port, "done");
        return reason;
    }

    private String resetByUs() throws Exception {
        int port = peers.newPort();
        TcpPeers.End end = toLwip(port, 1 << 20, 1 << 20, "stop");
        // A reset before the acknowledgment of its SYN-ACK would end a connection that the program of lwIP has never seen.
        await(end.heard);
        tcp.run(() -> end.stream.close(true));
        stack.expect(port, "failed reset");
        return "";
    }

    private String refusedByUs() throws Exception {
        int port = peers.newPort();
        stack.command("connect %d 0 0 close", port);
        stack.expect(port, "failed reset");
        return "";
    }

    /** lwIP consumes nothing for 1.5 s: its window closes, is probed, and opens again. */
    private String lwipStops() throws Exception {
        int port = peers.newPort();
        TcpPeers.End end = toLwip(port, 4 << 20, 0, "stop");
        await(end.opened);
        try {
            end.done.get(1, TimeUnit.SECONDS);
            throw new IllegalStateException("the window did not close");
        } catch (TimeoutException expected) {
            TcpPeers.check(end.sent < 4 << 20, "all bytes were sent into a closed window");
        }
        await(end.done);
        stack.expect(port, "done");
        return "";
    }

    private String weStop() throws Exception {
        int port = peers.newPort();
        TcpPeers.End end = fromLwip(port, 0, 4 << 20, "close");
        end.read(false);
        TimeUnit.MILLISECONDS.sleep(1500);
        TcpPeers.check(!end.done.isDone(), "the window did not close");
        end.read(true);
        await(end.done);
        stack.expect(port, "done");
        return "";
    }

    private String shortConnections(int count, boolean fromUs) throws Exception {
        int port = peers.newPort();
        long startNs = System.nanoTime();
        List<TcpPeers.End> ends = new ArrayList<>();
        if (fromUs) {
            stack.command("listen %d %d 100 64 close", port, count);
            stack.expect(port, "ready");
            for (int i = 0; i < count; i++) {
                await(connect(port, 64, 100).done);
                stack.expect(port, "done");
            }
        } else {
            StreamLoop.Acceptor acceptor = tcp.streams().listen(new InetSocketAddress(own, port), 64, stream -> {
                TcpPeers.End end = peers.new End(64, 100);
                ends.add(end); // only here, in the thread of the TCP
                end.begin(stream);
            });
            for (int i = 0; i < count; i++) {
                stack.command("connect %d 100 64 close", port);
                stack.expect(port, "done");
            }
            acceptor.close();
            CompletableFuture<List<TcpPeers.End>> all = new CompletableFuture<>();
            tcp.run(() -> all.complete(List.copyOf(ends)));
            for (TcpPeers.End each : all.get(TcpPeers.PATIENCE_S, TimeUnit.SECONDS)) {
                await(each.done);
            }
        }
        return String.format(Locale.ROOT, "%.0f/s", count * 1e9 / (System.nanoTime() - startNs));
    }

    /** lwIP dies with a connection and is started again: the new one knows nothing of the connection and resets it (RFC 9293 3.5.1). */
    private String restarted() throws Exception {
        int port = peers.newPort();
        TcpPeers.End end = toLwip(port, 4 << 20, 1, "stop");
        await(end.opened);
        stack.end();
        stack = new Stack(command);
        String reason = TcpStranger.failure(end.done, "reset");
        transfer(100_000, 100_000, true);
        return reason;
    }
}
