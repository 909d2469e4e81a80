package io.verbena.messaging.launch;

import io.verbena.messaging.start.JobStartException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Text in both directions between a rank and its launcher. The length of each text and the time to receive it are bounded. */
final class LauncherWire implements AutoCloseable {

    private static final int MAX_BYTES = 8192;

    /** Bytes between a rank and its launcher. */
    interface Bytes extends AutoCloseable {

        /** Reads at least one byte; returns 0 if the launcher has closed the connection. */
        int read(byte[] into, long deadlineNs) throws IOException;

        void write(byte[] bytes, long deadlineNs) throws IOException;

        @Override
        void close() throws IOException;
    }

    private final Bytes bytes;
    private final byte[] buffer = new byte[MAX_BYTES];
    private int from;
    private int to;
    private long deadlineNs;

    LauncherWire(Bytes bytes) {
        this.bytes = bytes;
    }

    /** Sets the instant at which all further waiting ends. */
    void until(long deadlineNs) {
        this.deadlineNs = deadlineNs;
    }

    void send(String text) throws IOException {
        bytes.write(text.getBytes(StandardCharsets.US_ASCII), deadlineNs);
    }

    /** Receives until a line feed, which is not returned. */
    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (char next = next(); next != '\n'; next = next()) {
            append(line, next);
        }
        return line.toString();
    }

    /** Receives this number of characters. */
    String text(int length) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            append(text, next());
        }
        return text.toString();
    }

    private static void append(StringBuilder text, char next) throws JobStartException {
        if (text.length() == MAX_BYTES || next < ' ' || next > '~') {
            throw new JobStartException("The launcher of this rank does not use the protocol PMI: it sent '"
                    + JobVariables.printable(text.toString() + next) + "'.");
        }
        text.append(next);
    }

    private char next() throws IOException {
        if (from == to) {
            to = bytes.read(buffer, deadlineNs);
            from = 0;
            if (to == 0) {
                throw new JobStartException("The launcher of this rank ended the connection before the ranks had met.");
            }
        }
        return (char) (buffer[from++] & 0xff);
    }

    @Override
    public void close() throws IOException {
        bytes.close();
    }
}
