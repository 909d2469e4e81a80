package io.verbena.tools.pingpong;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.exchange.ExchangeSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PingPongExchangeTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);

    private final ServerSocket listener;
    private final InetSocketAddress where;

    PingPongExchangeTest() throws IOException {
        listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        where = (InetSocketAddress) listener.getLocalSocketAddress();
    }

    @AfterEach
    void close() throws IOException {
        listener.close();
    }

    private static PingPongAddress address(int number) {
        return new PingPongAddress(0, number, 7, InetAddress.getLoopbackAddress());
    }

    private PingPongExchange accept(Duration timeout) throws IOException {
        return new PingPongExchange(ExchangeSocket.accept(listener, timeout, new StopSignal()));
    }

    @Test
    void bothSides_exchangeTheirAddressesInOrder() throws Exception {
        List<PingPongAddress> ofClient = List.of(address(1), address(2));
        List<PingPongAddress> ofServer = List.of(address(3), address(4));
        try (PingPongExchange client = new PingPongExchange(ExchangeSocket.connect(where, TIMEOUT));
                PingPongExchange server = accept(TIMEOUT)) {
            client.sendAddresses(ofClient, 3);
            List<PingPongAddress> received = server.receiveAddresses(3);
            assertEquals(ofClient.toString(), received.subList(0, 2).toString());
            assertEquals(0, received.get(2).number(), "a line that is not used");
            server.sendAddresses(ofServer, 2);
            assertEquals(ofServer.toString(), client.receiveAddresses(2).toString());
            client.sendDone();
            server.receiveDone();
        }
    }

    /** A server would send to a third host whatever the client requests. */
    @Test
    void client_namesAnotherHost_isRefusedUnlessTheExchangeUsesAnotherNetwork() throws Exception {
        List<PingPongAddress> victim = List.of(new PingPongAddress(0, 1, 7, InetAddress.ofLiteral("192.0.2.1")));
        for (boolean otherNetwork : new boolean[] {false, true}) {
            try (PingPongExchange client = new PingPongExchange(ExchangeSocket.connect(where, TIMEOUT));
                    ExchangeSocket accepted = ExchangeSocket.accept(listener, TIMEOUT, new StopSignal())) {
                client.sendAddresses(victim, 1);
                PingPongExchange server = new PingPongExchange(otherNetwork ? accepted.overAnotherNetwork() : accepted);
                if (otherNetwork) {
                    assertEquals(victim.toString(), server.receiveAddresses(1).toString());
                } else {
                    Failure failure = assertThrows(Failure.class, () -> server.receiveAddresses(1));
                    assertTrue(failure.toString().contains("192.0.2.1"), failure::toString);
                }
            }
        }
    }

    @Test
    void peer_closesWithinALine_fails() throws Exception {
        try (Socket client = new Socket(where.getAddress(), where.getPort());
                PingPongExchange server = accept(TIMEOUT)) {
            client.getOutputStream().write("0000:0000".getBytes(ISO_8859_1));
            client.shutdownOutput();
            Failure failure = assertThrows(Failure.class, () -> server.receiveAddresses(1));
            assertTrue(failure.toString().contains("after 0 of 1 addresses"), failure::toString);
        }
    }

    @Test
    void peer_sendsOtherBytes_fails() throws Exception {
        try (Socket client = new Socket(where.getAddress(), where.getPort());
                PingPongExchange server = accept(TIMEOUT)) {
            client.getOutputStream().write(new byte[4096]);
            Failure failure = assertThrows(Failure.class, () -> server.receiveAddresses(1));
            assertTrue(failure.toString().contains("not one of the ibv_*_pingpong programs"), failure::toString);
        }
    }

    @Test
    void peer_isSilent_failsAfterTheTimeOut() throws Exception {
        try (Socket client = new Socket(where.getAddress(), where.getPort());
                PingPongExchange server = accept(SHORT)) {
            assertTrue(client.isConnected());
            Failure failure = assertThrows(Failure.class, () -> server.receiveAddresses(1));
            assertTrue(failure.toString().contains("did not send its part of the exchange in time"), failure::toString);
        }
    }

    @Test
    void client_leavesBeforeDone_fails() throws Exception {
        try (PingPongExchange server = acceptFrom(new PingPongExchange(ExchangeSocket.connect(where, TIMEOUT)))) {
            assertThrows(Failure.class, server::receiveDone);
        }
    }

    private PingPongExchange acceptFrom(PingPongExchange client) throws IOException {
        PingPongExchange server = accept(TIMEOUT);
        client.close();
        return server;
    }

    @Test
    void accept_stopped_ends() {
        StopSignal stop = new StopSignal();
        stop.raise();
        assertThrows(StopSignal.Stopped.class, () -> ExchangeSocket.accept(listener, TIMEOUT, stop));
    }
}
