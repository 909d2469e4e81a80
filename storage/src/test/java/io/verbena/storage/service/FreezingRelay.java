package io.verbena.storage.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Passes byte streams on until it is frozen: from then on nothing arrives at either end, and no stream ends. */
final class FreezingRelay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final InetSocketAddress server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean frozen;

    FreezingRelay(InetSocketAddress server) throws IOException {
        this.server = server;
        Thread.ofVirtual().start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    void freeze() {
        frozen = true;
    }

    private void accept() {
        try {
            while (!listener.isClosed()) {
                Socket near = listener.accept();
                Socket far = new Socket(server.getAddress(), server.getPort());
                sockets.addAll(List.of(near, far));
                Thread.ofVirtual().start(() -> pass(near, far));
                Thread.ofVirtual().start(() -> pass(far, near));
            }
        } catch (IOException e) {
            frozen = true; // the test has ended
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] bytes = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0 && !frozen; count = in.read(bytes)) {
                out.write(bytes, 0, count);
            }
            if (!frozen) {
                to.shutdownOutput();
            }
        } catch (IOException e) {
            frozen = true;
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
