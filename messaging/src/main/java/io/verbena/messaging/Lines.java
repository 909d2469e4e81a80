package io.verbena.messaging;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Lines of printable ASCII over a socket. Neither a line nor the time it takes is without a bound, whatever the peer sends. */
final class Lines implements Closeable {

    static final int LONGEST_LINE = 512;

    private final Socket socket;
    private final byte[] line = new byte[LONGEST_LINE];
    private final byte[] buffer = new byte[LONGEST_LINE];
    private int from;
    private int to;

    Lines(Socket socket) {
        this.socket = socket;
    }

    Socket socket() {
        return socket;
    }

    /**
     * The next line, of bytes that came within this time.
     *
     * @return empty when the peer has ended instead
     * @throws SocketTimeoutException when it did not come in time
     * @throws IOException when it is too long, or is no text
     */
    Optional<String> next(Duration within) throws IOException {
        long deadlineNs = System.nanoTime() + within.toNanos();
        for (int length = 0; ; length++) {
            if (from == to && !fill(deadlineNs)) {
                return Optional.empty();
            }
            byte next = buffer[from++];
            if (next == '\n') {
                return Optional.of(new String(line, 0, length, StandardCharsets.US_ASCII));
            }
            if (length == LONGEST_LINE || next < ' ' || next > '~') {
                throw new IOException("that is no line of text");
            }
            line[length] = next;
        }
    }

    private boolean fill(long deadlineNs) throws IOException {
        long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
            throw new SocketTimeoutException("it did not come in time");
        }
        socket.setSoTimeout((int) Math.min(leftMs, Integer.MAX_VALUE));
        InputStream in = socket.getInputStream();
        int count = in.read(buffer, 0, buffer.length);
        from = 0;
        to = Math.max(0, count);
        return count > 0;
    }

    void say(String text) throws IOException {
        socket.getOutputStream().write((text + "\n").getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
