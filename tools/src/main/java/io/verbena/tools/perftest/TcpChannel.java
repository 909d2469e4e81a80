package io.verbena.tools.perftest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.verbena.tools.base.Failure;
import io.verbena.tools.exchange.ExchangeSocket;
import java.io.IOException;

/** The exchange over TCP, in which addresses are lines of text. */
record TcpChannel(ExchangeSocket socket) implements PerftestChannel {

    private static final byte[] DONE = "done\0".getBytes(ISO_8859_1);

    @Override
    public boolean client() {
        return socket.client();
    }

    @Override
    public byte[] swap(byte[] own) throws IOException, Failure {
        return socket.swap(own);
    }

    @Override
    public PerftestAddress swap(PerftestAddress own) throws IOException, Failure {
        byte[] theirs = socket.swap(own.line().getBytes(ISO_8859_1));
        if (theirs.length < PerftestAddress.LINE_BYTES) {
            throw PerftestChannel.closedBefore("address");
        }
        PerftestAddress named = PerftestAddress.parse(new String(theirs, ISO_8859_1));
        socket.checkNamed(named.address());
        return named;
    }

    @Override
    public void await(Runnable check) throws IOException {
        socket.await(check);
    }

    @Override
    public void end() throws IOException {
        socket.write(DONE);
    }
}
