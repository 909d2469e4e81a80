package io.verbena.messaging.start;

import io.verbena.messaging.policy.EnlargementPolicy;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Lines of printable ASCII over a socket. The length of a line and the time to receive it are bounded, whatever the peer sends. */
public final class Lines implements Closeable {

    static final int MAX_LINE_BYTES = 512;

    private final Socket socket;
    private final byte[] line = new byte[MAX_LINE_BYTES];
    private final byte[] buffer = new byte[MAX_LINE_BYTES];
    private int from;
    private int to;

    public Lines(Socket socket) {
        this.socket = socket;
    }

    Socket socket() {
        return socket;
    }

    /**
     * Receives the next line.
     *
     * @return empty if the peer has closed the connection instead
     * @throws SocketTimeoutException if the line did not arrive within this time
     * @throws ForeignProtocolException if the line is too long or is not text
     */
    public Optional<String> next(Duration within) throws IOException {
        long deadlineNs = System.nanoTime() + EnlargementPolicy.bounded(within).toNanos();
        for (int length = 0; ; length++) {
            if (from == to && !fill(deadlineNs)) {
                return Optional.empty();
            }
            byte next = buffer[from++];
            if (next == '\n') {
                return Optional.of(new String(line, 0, length, StandardCharsets.US_ASCII));
            }
            if (length == MAX_LINE_BYTES || next < ' ' || next > '~') {
                throw new ForeignProtocolException();
            }
            line[length] = next;
        }
    }

    private boolean fill(long deadlineNs) throws IOException {
        long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
            throw new SocketTimeoutException("the line did not arrive in time");
        }
        socket.setSoTimeout((int) Math.min(leftMs, Integer.MAX_VALUE));
        InputStream in = socket.getInputStream();
        int count = in.read(buffer, 0, buffer.length);
        from = 0;
        to = Math.max(0, count);
        return count > 0;
    }

    public void send(String text) throws IOException {
        socket.getOutputStream().write((text + "\n").getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
