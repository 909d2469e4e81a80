package io.verbena.tools.pingpong;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The exchange of addresses over TCP.
 *
 * <pre>
 *   client                          server
 *     one line per queue pair  ---&gt;          connects its queue pairs
 *                              &lt;---  one line per queue pair
 *     connects its queue pairs
 *     "done"                   ---&gt;
 * </pre>
 */
final class PingPongExchange implements AutoCloseable {

    private static final byte[] DONE = "done\0".getBytes(ISO_8859_1);
    private static final int ACCEPT_SLICE_MS = 200;

    private final Socket socket;

    private PingPongExchange(Socket socket, Duration timeout) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) Math.min(timeout.toMillis(), Integer.MAX_VALUE));
        socket.setTcpNoDelay(true);
    }

    /** Connects to a server. */
    static PingPongExchange connect(InetSocketAddress server, Duration timeout) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(server, (int) Math.min(timeout.toMillis(), Integer.MAX_VALUE));
            return new PingPongExchange(socket, timeout);
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
    static PingPongExchange accept(ServerSocket listener, Duration timeout, StopSignal stop) throws IOException {
        listener.setSoTimeout(ACCEPT_SLICE_MS);
        while (true) {
            stop.check();
            try {
                return new PingPongExchange(listener.accept(), timeout);
            } catch (SocketTimeoutException e) {
                // Looks at the stop signal and waits again.
            }
        }
    }

    void sendAddresses(List<PingPongAddress> mine) throws IOException {
        StringBuilder lines = new StringBuilder();
        mine.forEach(each -> lines.append(each.line()));
        socket.getOutputStream().write(lines.toString().getBytes(ISO_8859_1));
    }

    List<PingPongAddress> receiveAddresses(int count) throws IOException, Failure {
        List<PingPongAddress> addresses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] line = read(PingPongAddress.BYTES);
            if (line.length < PingPongAddress.BYTES) {
                throw new Failure("The peer closed the TCP connection after " + i + " of " + count
                        + " addresses; both sides must use the same service"
                        + (count > 1 ? " and number of queue pairs (-q)" : ""));
            }
            addresses.add(PingPongAddress.parse(new String(line, ISO_8859_1)));
        }
        return addresses;
    }

    /** Client: reports that its queue pairs are connected. */
    void sendDone() throws IOException {
        socket.getOutputStream().write(DONE);
    }

    /** Server: waits until the queue pairs of the client are connected. The text is not checked, as in the Linux programs. */
    void receiveDone() throws IOException, Failure {
        if (read(DONE.length).length < DONE.length) {
            throw new Failure("The client closed the TCP connection before it had connected its queue pairs");
        }
    }

    private byte[] read(int bytes) throws IOException, Failure {
        InputStream in = socket.getInputStream();
        try {
            return in.readNBytes(bytes);
        } catch (SocketTimeoutException e) {
            throw new Failure(
                    "The peer did not send its addresses in time; it may be stalled (--timeout sets how long to wait)", e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
