package io.verbena.tools.pingpong;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.verbena.tools.base.Failure;
import io.verbena.tools.exchange.ExchangeSocket;
import java.io.IOException;
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
    private final ExchangeSocket socket;

    PingPongExchange(ExchangeSocket socket) {
        this.socket = socket;
    }

    /**
     * Sends the addresses of this side.
     *
     * @param lines number of lines; those after the last address contain zeros
     */
    void sendAddresses(List<PingPongAddress> own, int lines) throws IOException {
        StringBuilder text = new StringBuilder();
        own.forEach(each -> text.append(each.line()));
        text.repeat(PingPongAddress.NONE, lines - own.size());
        socket.write(text.toString().getBytes(ISO_8859_1));
    }

    /** Receives this number of lines. */
    List<PingPongAddress> receiveAddresses(int lines) throws IOException, Failure {
        List<PingPongAddress> addresses = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            byte[] line = socket.read(PingPongAddress.BYTES);
            if (line.length < PingPongAddress.BYTES) {
                throw new Failure("The peer closed the TCP connection after " + i + " of " + lines
                        + " addresses; both sides must use the same service");
            }
            PingPongAddress named = PingPongAddress.parse(new String(line, ISO_8859_1));
            if (named.number() != 0) {
                socket.checkNamed(named.address());
            }
            addresses.add(named);
        }
        return addresses;
    }

    /** Client: reports that its queue pairs are connected. */
    void sendDone() throws IOException {
        socket.write(DONE);
    }

    /** Server: waits until the queue pairs of the client are connected. The text is not checked, as in the Linux programs. */
    void receiveDone() throws IOException, Failure {
        if (socket.read(DONE.length).length < DONE.length) {
            throw new Failure("The client closed the TCP connection before it had connected its queue pairs");
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
