package io.verbena.sockets.live;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads what the processes of this user publish. */
public final class LiveProcesses {

    private static final String PREFIX = "sockets-";
    private static final int MOST_BYTES = 16 << 20;

    private LiveProcesses() {}

    static String name(long pid) {
        return PREFIX + pid;
    }

    /**
     * The texts of all processes by their numbers. A process that does not answer within the time limit, or that ends meanwhile, is
     * missing.
     *
     * @throws IOException if a folder cannot be read
     */
    public static SortedMap<Long, String> read(Duration patience) throws IOException {
        SortedMap<Long, String> texts = new TreeMap<>();
        for (Path folder : RunFolder.existing()) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*")) {
                for (Path file : files) {
                    String number = file.getFileName().toString().substring(PREFIX.length());
                    if (number.matches("[0-9]{1,10}")) {
                        read(file, patience).ifPresent(text -> texts.put(Long.parseLong(number), text));
                    }
                }
            }
        }
        return texts;
    }

    private static Optional<String> read(Path file, Duration patience) throws IOException {
        try (SocketChannel process = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            process.connect(UnixDomainSocketAddress.of(file));
            return readAll(process, patience);
        } catch (ConnectException e) {
            Files.deleteIfExists(file); // its process was killed
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // the process is ending
        }
    }

    private static Optional<String> readAll(SocketChannel process, Duration patience) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        long startNs = System.nanoTime();
        try (Selector selector = Selector.open()) {
            process.configureBlocking(false);
            process.register(selector, SelectionKey.OP_READ);
            while (process.read(bytes) >= 0) {
                long leftMs = patience.toMillis() - (System.nanoTime() - startNs) / 1_000_000;
                if (leftMs <= 0 || bytes.position() >= MOST_BYTES) {
                    return Optional.empty();
                }
                if (!bytes.hasRemaining()) {
                    bytes = ByteBuffer.allocate(bytes.capacity() * 2).put(bytes.flip());
                } else {
                    selector.select(leftMs);
                    selector.selectedKeys().clear();
                }
            }
        }
        String text = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }
}
