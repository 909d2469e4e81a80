package io.verbena.messaging.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;

/** A launcher that speaks PMI over TCP, each rank over a connection of its own. */
final class PmiServer implements AutoCloseable {

    private final ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    private final Map<String, String> values = new ConcurrentHashMap<>();
    private final Set<String> left = ConcurrentHashMap.newKeySet();
    private final CyclicBarrier barrier;
    private final int size;
    private final Set<Integer> versions;

    /** A launcher of this number of ranks that speaks these versions. */
    PmiServer(int size, Set<Integer> versions) throws IOException {
        this.size = size;
        this.versions = versions;
        barrier = new CyclicBarrier(size);
        Thread.ofPlatform().daemon().start(this::run);
    }

    int port() {
        return server.getLocalPort();
    }

    /** The number of ranks that took leave. */
    int left() {
        return left.size();
    }

    private void run() {
        try {
            while (true) {
                Socket socket = server.accept();
                Thread.ofPlatform().daemon().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            int version = 1;
            while (true) {
                Optional<String> request = version == 1 ? line(socket.getInputStream()) : text(socket.getInputStream());
                if (request.isEmpty()) {
                    return;
                }
                String said = request.get();
                if (said.startsWith("cmd=init ")) {
                    int asked = said.contains("pmi_version=2") ? 2 : 1;
                    boolean spoken = versions.contains(asked);
                    version = spoken ? asked : version;
                    answer(
                            socket,
                            "cmd=response_to_init rc=" + (spoken ? 0 : -1) + " pmi_version=" + asked
                                    + " pmi_subversion=0\n");
                } else if (version == 1) {
                    answer(socket, one(said, socket));
                } else {
                    String text = two(said, socket);
                    answer(socket, String.format("%-6d", text.length()) + text);
                }
            }
        } catch (IOException | InterruptedException | BrokenBarrierException e) {
            // the rank has ended
        }
    }

    private String one(String said, Socket socket) throws InterruptedException, BrokenBarrierException {
        String[] words = said.split(" ");
        return switch (words[0]) {
            case "cmd=initack" ->
                "cmd=initack\ncmd=set size=" + size + "\ncmd=set rank=" + words[1].substring("pmiid=".length())
                        + "\ncmd=set debug=0\n";
            case "cmd=get_my_kvsname" -> "cmd=my_kvsname kvsname=kvs_1\n";
            case "cmd=put" -> {
                values.put(words[2].substring("key=".length()), words[3].substring("value=".length()));
                yield "cmd=put_result rc=0 msg=success\n";
            }
            case "cmd=barrier_in" -> {
                barrier.await();
                yield "cmd=barrier_out\n";
            }
            case "cmd=get" -> {
                String value = values.get(words[2].substring("key=".length()));
                yield value == null
                        ? "cmd=get_result rc=-1 msg=key_not_found value=unknown\n"
                        : "cmd=get_result rc=0 msg=success value=" + value + "\n";
            }
            case "cmd=finalize" -> {
                left.add(String.valueOf(socket.getPort()));
                yield "cmd=finalize_ack\n";
            }
            default -> "cmd=what\n";
        };
    }

    private String two(String said, Socket socket) throws InterruptedException, BrokenBarrierException {
        String[] pairs = said.split(";");
        return switch (pairs[0]) {
            case "cmd=fullinit" ->
                "cmd=fullinit-response;pmi-version=2;pmi-subversion=0;rank=0;size=" + size + ";rc=0;";
            case "cmd=kvs-put" -> {
                values.put(pairs[1].substring("key=".length()), pairs[2].substring("value=".length()));
                yield "cmd=kvs-put-response;rc=0;";
            }
            case "cmd=kvs-fence" -> {
                barrier.await();
                yield "cmd=kvs-fence-response;rc=0;";
            }
            case "cmd=kvs-get" -> {
                String value = values.get(pairs[3].substring("key=".length()));
                yield "cmd=kvs-get-response;found=TRUE;value=" + value + ";rc=0;";
            }
            case "cmd=finalize" -> {
                left.add(String.valueOf(socket.getPort()));
                yield "cmd=finalize-response;rc=0;";
            }
            default -> "cmd=what;";
        };
    }

    private static void answer(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Optional<String> line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                return Optional.empty();
            }
            line.write(next);
        }
        return Optional.of(line.toString(StandardCharsets.US_ASCII));
    }

    private static Optional<String> text(InputStream in) throws IOException {
        String digits = new String(in.readNBytes(6), StandardCharsets.US_ASCII);
        return digits.isEmpty()
                ? Optional.empty()
                : Optional.of(new String(in.readNBytes(Integer.parseInt(digits.strip())), StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
