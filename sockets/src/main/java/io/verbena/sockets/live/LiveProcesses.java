package io.verbena.sockets.live;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Asks the processes of this user for what they publish. */
public final class LiveProcesses {

    private static final int MOST_BYTES = 16 << 20;

    private LiveProcesses() {}

    static String name(String kind, long pid) {
        return kind + '-' + pid;
    }

    /**
     * The answer of one process; empty if there is no such process, or it does not answer within the time limit.
     *
     * @throws IOException if a folder cannot be read
     */
    public static Optional<String> ask(String kind, long pid, String request, Duration patience) throws IOException {
        for (Path folder : RunFolder.existing()) {
            Path file = folder.resolve(name(kind, pid));
            Optional<String> answer = Files.exists(file) ? ask(file, request, patience) : Optional.empty();
            if (answer.isPresent()) {
                return answer;
            }
        }
        return Optional.empty();
    }

    /**
     * The answers of all processes by their numbers. A process that does not answer within the time limit, or that ends meanwhile, is
     * missing.
     *
     * @param kind what the processes publish
     * @throws IOException if a folder cannot be read
     */
    public static SortedMap<Long, String> ask(String kind, String request, Duration patience) throws IOException {
        String prefix = kind + '-';
        SortedMap<Long, String> texts = new TreeMap<>();
        for (Path folder : RunFolder.existing()) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, prefix + "*")) {
                for (Path file : files) {
                    String number = file.getFileName().toString().substring(prefix.length());
                    if (number.matches("[0-9]{1,10}")) {
                        ask(file, request, patience).ifPresent(text -> texts.put(Long.parseLong(number), text));
                    }
                }
            }
        }
        return texts;
    }

    private static Optional<String> ask(Path file, String request, Duration patience) throws IOException {
        try (SocketChannel process = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            process.connect(UnixDomainSocketAddress.of(file));
            Exchange.write(process, request);
            return Exchange.read(process, patience, MOST_BYTES).filter(text -> !text.isEmpty());
        } catch (ConnectException e) {
            Files.deleteIfExists(file); // its process was killed
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // the process is ending
        }
    }
}
