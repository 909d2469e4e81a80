package io.verbena.messaging.launch;

import io.verbena.messaging.start.JobStartException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** A connection to a launcher that listens at a port. */
final class SocketBytes implements LauncherWire.Bytes {

    private static final int CONNECT_MS = 30_000;

    private final Socket socket = new Socket();

    /** Connects to HOST:PORT. */
    SocketBytes(String variable, String address) throws IOException {
        int colon = address.lastIndexOf(':');
        if (colon < 1) {
            throw new JobStartException(
                    variable + " must be HOST:PORT, not '" + JobVariables.printable(address) + "'.");
        }
        int port = JobVariables.number("The port of " + variable, address.substring(colon + 1));
        if (port < 1 || port > 65_535) {
            throw new JobStartException("The port of " + variable + " must be 1 to 65535, not " + port + ".");
        }
        try {
            socket.connect(new InetSocketAddress(address.substring(0, colon), port), CONNECT_MS);
            socket.setTcpNoDelay(true);
        } catch (IOException | IllegalArgumentException e) {
            socket.close();
            throw new JobStartException("The launcher does not answer at " + JobVariables.printable(address)
                    + ", where " + variable + " says that it listens: " + e.getMessage() + ".");
        }
    }

    @Override
    public int read(byte[] into, long deadlineNs) throws IOException {
        long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
            throw new SocketTimeoutException();
        }
        socket.setSoTimeout((int) Math.min(leftMs, Integer.MAX_VALUE));
        return Math.max(0, socket.getInputStream().read(into));
    }

    @Override
    public void write(byte[] bytes, long deadlineNs) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
