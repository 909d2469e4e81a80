package io.verbena.proofs;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Requests over sockets of java.net, as programs write them by hand: a length, then that many bytes, in both directions. */
final class Rpc {

    private static final int REQUEST_BYTES = 64;
    private static final int ANSWER_BYTES = 256;

    private Rpc() {}

    private record Streams(DataInputStream in, DataOutputStream out) {
        static Streams of(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            return new Streams(
                    new DataInputStream(new BufferedInputStream(socket.getInputStream())),
                    new DataOutputStream(new BufferedOutputStream(socket.getOutputStream())));
        }

        void send(int bytes) throws IOException {
            out.writeInt(bytes);
            out.write(new byte[bytes]);
            out.flush();
        }

        void receive(int bytes) throws IOException {
            if (in.readInt() != bytes || in.readNBytes(bytes).length != bytes) {
                throw new IOException("another message than one of " + bytes + " bytes");
            }
        }
    }

    /** Prints its port, and answers one connection. */
    static final class Server {

        private Server() {}

        public static void main(String[] arguments) throws IOException {
            try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                System.out.println("port " + listener.getLocalPort());
                try (Socket socket = listener.accept()) {
                    Streams streams = Streams.of(socket);
                    while (true) {
                        streams.receive(REQUEST_BYTES);
                        streams.send(ANSWER_BYTES);
                    }
                } catch (EOFException _) {
                    return; // the client has ended
                }
            }
        }
    }

    /** Measures. Argument: the port. */
    static final class Client {

        private Client() {}

        public static void main(String[] arguments) throws Exception {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))) {
                Streams streams = Streams.of(socket);
                Requests.measure(() -> {
                    streams.send(REQUEST_BYTES);
                    streams.receive(ANSWER_BYTES);
                });
            }
        }
    }
}
