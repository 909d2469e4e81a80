package io.verbena.tools.exchange;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;

/** The TCP connection of two programs that exchange addresses. Every wait is bounded. */
public final class ExchangeSocket implements AutoCloseable {

    private static final int ACCEPT_SLICE_MS = 200;

    private static final int WATCH_SLICE_MS = 100;
    private static final int NONE = -1;

    private final Socket socket;
    private final boolean client;
    private final int timeoutMs;

    /** Whether the peer may have its RNIC at another address than its end of this connection. */
    private boolean otherNetwork;

    /** A byte that {@link #await} has read ahead. */
    private int ahead = NONE;

    private ExchangeSocket(Socket socket, boolean client, Duration timeout) throws IOException {
        this.socket = socket;
        this.client = client;
        timeoutMs = milliseconds(timeout);
        socket.setSoTimeout(timeoutMs);
        socket.setTcpNoDelay(true);
    }

    private static int milliseconds(Duration timeout) {
        return (int) Math.clamp(Times.nanos(timeout) / 1_000_000, 1, Integer.MAX_VALUE);
    }

    /** Connects to a server. */
    public static ExchangeSocket connect(InetSocketAddress server, Duration timeout) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(server, milliseconds(timeout));
            return new ExchangeSocket(socket, true, timeout);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Waits for a client.
     *
     * @throws StopSignal.Stopped if the user requested the end
     */
    public static ExchangeSocket accept(ServerSocket listener, Duration timeout, StopSignal stop) throws IOException {
        listener.setSoTimeout(ACCEPT_SLICE_MS);
        while (true) {
            stop.check();
            try {
                return new ExchangeSocket(listener.accept(), false, timeout);
            } catch (SocketTimeoutException e) {
                // Looks at the stop signal and waits again.
            }
        }
    }

    /** The user has stated that the exchange uses another network than the packets. */
    public ExchangeSocket overAnotherNetwork() {
        otherNetwork = true;
        return this;
    }

    /**
     * Checks the address that the peer names for the packets of this side. A client chooses it: the address of a third host would make a
     * server send there whatever the client requests. A client trusts its server, which the user has named.
     *
     * @throws Failure if it is not the address of the client
     */
    public void checkNamed(InetAddress named) throws Failure {
        InetAddress peer = socket.getInetAddress();
        boolean own = named.equals(peer) || named.isLoopbackAddress() && peer.isLoopbackAddress();
        if (!client && !otherNetwork && !own) {
            throw new Failure("The client at " + peer.getHostAddress() + " requests packets to "
                    + named.getHostAddress() + ", which may be another host. If both addresses belong to it, start the"
                    + " server with --exchange and the local address of the TCP connection");
        }
    }

    /** The address of this side. */
    public InetAddress local() {
        return socket.getLocalAddress();
    }

    /** Whether this side has connected. */
    public boolean client() {
        return client;
    }

    /**
     * Waits until the peer sends something or closes the connection, without a time-out.
     *
     * @param check runs ten times per second; what it throws ends the wait
     */
    public void await(Runnable check) throws IOException {
        socket.setSoTimeout(WATCH_SLICE_MS);
        try {
            while (ahead == NONE) {
                check.run();
                try {
                    ahead = socket.getInputStream().read();
                    return;
                } catch (SocketTimeoutException e) {
                    // Checks and waits again.
                }
            }
        } finally {
            socket.setSoTimeout(timeoutMs);
        }
    }

    /** Sends all bytes. */
    public void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /**
     * Receives this number of bytes, or fewer if the peer has closed the connection.
     *
     * @throws Failure if the peer sends nothing for the time-out
     */
    public byte[] read(int bytes) throws IOException, Failure {
        byte[] received = new byte[bytes];
        int first = 0;
        if (ahead != NONE && bytes > 0) {
            received[0] = (byte) ahead;
            ahead = NONE;
            first = 1;
        }
        try {
            int count = first + socket.getInputStream().readNBytes(received, first, bytes - first);
            return Arrays.copyOf(received, count);
        } catch (SocketTimeoutException e) {
            throw new Failure(
                    "The peer did not send its part of the exchange in time; it may be stalled (--timeout sets how long to wait)",
                    e);
        }
    }

    /** Exchanges as many bytes each way. The client sends first. Returns fewer bytes if the peer has closed the connection. */
    public byte[] swap(byte[] own) throws IOException, Failure {
        if (client) {
            write(own);
            return read(own.length);
        }
        byte[] theirs = read(own.length);
        if (theirs.length == own.length) {
            write(own);
        }
        return theirs;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
