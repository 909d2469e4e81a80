package io.verbena.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A connection, with the request that was read from it. Each connection carries one request, so that none remains open without one. */
record Exchange(SocketChannel connection, Request request) {

    /** Nothing is loaded from elsewhere, and nothing in the page can become a script. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /** What is read of a request after its answer, so that the answer is not lost with an unread rest. */
    private static final int MOST_REST_BYTES = 1 << 16;

    /** Sends the head of an answer whose end is that of the connection, and returns where its content goes. */
    OutputStream begin(String type) throws IOException {
        OutputStream out = Channels.newOutputStream(connection);
        out.write(head(200, type, ""));
        return out;
    }

    /** Sends an answer. */
    void send(Answer answer) throws IOException {
        send(connection, answer);
        rest();
    }

    /** Sends an answer to something that is no request. */
    static void send(SocketChannel connection, Answer answer) throws IOException {
        OutputStream out = Channels.newOutputStream(connection);
        out.write(head(answer.status(), answer.type(), "Content-Length: " + answer.bytes().length + "\r\n"));
        out.write(answer.bytes());
        connection.shutdownOutput();
    }

    private void rest() throws IOException {
        InputStream in = request.rest();
        in.skip(MOST_REST_BYTES);
    }

    private static byte[] head(int status, String type, String length) {
        String reason = status == 200 ? "OK" : status == 204 ? "No Content" : "Refused";
        String head = "HTTP/1.1 " + status + ' ' + reason + "\r\nConnection: close\r\nContent-Type: " + type + "\r\n"
                + length
                + "Content-Security-Policy: " + POLICY + "\r\nX-Content-Type-Options: nosniff\r\n"
                + "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                + "Cache-Control: no-store\r\n\r\n";
        return head.getBytes(StandardCharsets.ISO_8859_1);
    }
}
