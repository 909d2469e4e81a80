package io.verbena.bench.sockets;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * One JVM of {@link FileFigures}. Both ends of a connection are in one thread, which sends a file by {@code
 * FileChannel.transferTo} and reads it at the other end, then writes bytes and has them put into a file by {@code
 * FileChannel.transferFrom}. An empty line asks for the next answer.
 */
final class FileSide {

    private static final int MIB = 1 << 20;
    private static final int FILE_BYTES = 64 * MIB;
    private static final int BUFFER_BYTES = 256 << 10;
    private static final double NS_PER_US = 1e3;

    /** The minor faults of a thread in its stat, after the name. */
    private static final int FAULTS_AT = 7;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final SocketChannel one;
    private final SocketChannel other;
    private final FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

    private FileSide(CostFigures.Pair pair, FileChannel file) {
        one = pair.one();
        other = pair.other();
        this.file = file;
    }

    /** Arguments: the contestant. */
    public static void main(String[] arguments) throws IOException {
        Path path = Files.createTempFile("verbena-bench", ".bin");
        try (FileChannel file = FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            FileSide side = new FileSide(CostFigures.Pair.open(Contestant.valueOf(arguments[0])), file);
            side.fill();
            while (System.in.read() >= 0) {
                System.out.println(side.measured(true) + " " + side.measured(false));
            }
        }
    }

    private void fill() throws IOException {
        for (long at = 0; at < FILE_BYTES; ) {
            at += file.write(buffer.clear(), at);
        }
    }

    /** Processor time and page faults of a MiB. */
    private String measured(boolean sends) throws IOException {
        long faults = faults();
        long beganNs = THREADS.getCurrentThreadCpuTime();
        if (sends) {
            send();
        } else {
            receive();
        }
        long tookNs = THREADS.getCurrentThreadCpuTime() - beganNs;
        double mib = (double) FILE_BYTES / MIB;
        return String.format(Locale.ROOT, "%.2f %.2f", tookNs / NS_PER_US / mib, (faults() - faults) / mib);
    }

    private void send() throws IOException {
        long sent = 0;
        long read = 0;
        while (read < FILE_BYTES) {
            sent += sent < FILE_BYTES ? file.transferTo(sent, FILE_BYTES - sent, one) : 0;
            read += Math.max(0, other.read(buffer.clear()));
        }
    }

    private void receive() throws IOException {
        long sent = 0;
        long read = 0;
        while (read < FILE_BYTES) {
            int length = (int) Math.min(BUFFER_BYTES, FILE_BYTES - sent);
            sent += one.write(buffer.clear().limit(length));
            read += file.transferFrom(other, read, sent - read);
        }
    }

    private static long faults() throws IOException {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[FAULTS_AT]);
    }
}
